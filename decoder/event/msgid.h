/* SPDX-License-Identifier: Apache-2.0 */
/*
 * msgid.h - messages on their way, by their identity
 *
 * A table of fixed size: identities have a few slots each to lie in, and the
 * oldest makes room.  An identity is compared whole, so what is found is right;
 * a message that is never received is forgotten in time.  An identity that two
 * messages had at a time is not believed any more: a stock VM's agent makes them
 * of the aliases that answers are sent to, and a server may answer twice.
 */
#ifndef BEAMTAP_MSGID_H
#define BEAMTAP_MSGID_H

#include <stdbool.h>
#include <stdint.h>

#define MSGID_TWO UINT64_MAX

struct msgid_sent {
	uint64_t id; /* 0: free */
	uint64_t ns; /* when it was sent */
	uint64_t sender; /* term; MSGID_TWO: two messages had this identity at a time */
};

struct msgid {
	struct msgid_sent *tab; /* made when it is first needed */
	uint32_t mask;
};

/**
 * msgid_put() - remember a send
 * @max: messages to have room for, when the table is made
 * Return: false if another was forgotten for it, or there is no memory
 */
bool msgid_put(struct msgid *m, uint64_t id, uint64_t ns, uint64_t sender, uint32_t max);
/** msgid_take() - find a send and forget it.  Return: whether it was there */
bool msgid_take(struct msgid *m, uint64_t id, struct msgid_sent *sent);
void msgid_fini(struct msgid *m);

#endif /* BEAMTAP_MSGID_H */
