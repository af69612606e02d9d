/* SPDX-License-Identifier: Apache-2.0 */
/*
 * msgpair.h - which receive belongs to which send, in one VM; proved or not said
 *
 * Where the writer gives messages an identity (`msg` is not 0), that pairs them.
 * Otherwise messages from A to B arrive in the order they were sent, so the
 * n-th receive belongs to the n-th send once the two counts are known to begin
 * at the same message.  They are, when
 *
 *  - A or B was spawned inside the trace and nothing was lost since, or
 *  - B answered a question about its state: the question is a signal in the same
 *    queue, so the sends of A before it have arrived when the answer is there;
 *    those of them that were not received then ... see msgpair.c.
 *
 * A loss anywhere in the VM takes all such knowledge away.  A message whose
 * `msg` is BTAP_UNKNOWN is in no such order: it may be one that the VM made in
 * the sender's name, of which there is no send.
 */
#ifndef BEAMTAP_MSGPAIR_H
#define BEAMTAP_MSGPAIR_H

#include <stdbool.h>
#include "event/names.h"

struct msgpair_hit {
	uint64_t sent_ns;    /* when it was sent */
	uint64_t latency_ns; /* until it was received, or put into the mailbox */
	uint64_t sender;     /* term */
	bool by_id;	     /* by the identity in the records */
};

struct msgpair_stats {
	uint64_t sent;	    /* message_send seen */
	uint64_t received;  /* message_receive seen */
	uint64_t paired;    /* of these, with its send */
	uint64_t unaligned; /* of these, not: the pair's beginning was not seen or a loss came between */
	uint64_t unknown;   /* of these, not: the sender is not said, or its name could not be resolved */
	uint64_t not_by_order; /* of these, not: the VM may have made it in the sender's name */
	uint64_t no_room;   /* sends or pairs for which the memory allowed was not enough */
	uint64_t losses;    /* times all pairs were taken back */
};

struct msgpair;

/**
 * msgpair_new() - empty
 * @names: of the same VM, borrowed; feed it a record before msgpair_feed() gets it
 * @max:   sends kept at a time, and pairs; more are counted as no_room
 */
struct msgpair *msgpair_new(const struct names *names, uint32_t max);
void msgpair_free(struct msgpair *m);

/**
 * msgpair_feed() - take any record of the VM, in time order
 * @hit: out: set when the result is 1
 *
 * Return: 1 if the record is a message_receive whose send is known, else 0.
 */
int msgpair_feed(struct msgpair *m, const struct src_rec *rec, struct msgpair_hit *hit);
const struct msgpair_stats *msgpair_stats(const struct msgpair *m);

#endif /* BEAMTAP_MSGPAIR_H */
