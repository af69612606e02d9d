/* SPDX-License-Identifier: Apache-2.0 */
/*
 * btapw_api.h - what an emulator that has hooks offers to the application that runs in it
 *
 * The emulator exports one symbol, BTAPW_API_SYMBOL, a struct btapw_api.  The application
 * looks for it with dlsym(); in a stock VM it is not there.  Both sides have their own copy
 * of the writer library and share its data, so they must be of the same version: who finds
 * another version or other sizes leaves all else in the structure alone.
 */
#ifndef BEAMTAP_BTAPW_API_H
#define BEAMTAP_BTAPW_API_H

#include "btapw_map.h"

#define BTAPW_API_SYMBOL "erts_beamtap_api"

/* A function whose calls are told; module and function are the VM's terms. */
struct btapw_function {
	uint64_t module, function;
	uint32_t arity;
	uint32_t has_return; /* returns, tail calls and exceptions that leave it, too */
};

struct btapw_api {
	char version[32];    /* of beamtap; the same place in all versions */
	uint32_t api_size;   /* of this structure */
	uint32_t writer_size; /* sizeof(struct btapw) */
	/* The emulator's region; NULL: it has none.  Set before any Erlang code runs. */
	struct btapw_map *map;
	/* The calling thread's writer; makes its ring if it has none yet. */
	struct btapw *(*writer)(void);
	/* The emulator's btapw_map_leases(): it knows the emulator's USDT probes. */
	uint32_t (*leases)(struct btapw_map *m, struct btapw_leases *ls);
	/* The application serves the leases from now on; false: no longer.  Not called by two threads at once. */
	void (*serve)(bool is_application);
	/* Tell all atoms that there are; those to come are told from then on.  One thread at a time. */
	void (*all_atoms)(void);
	/**
	 * functions() - these and no others are told from now on
	 * @f: borrowed during the call
	 *
	 * To be called on a thread that runs Erlang code.  Done in the background, in some
	 * milliseconds: see functions_busy().
	 * Return: 0; -EBUSY: the last one is not done yet; -ENOMEM
	 */
	int (*functions)(const struct btapw_function *f, size_t nr);
	/* Return: -1 while functions() is being done; then how many functions were found. */
	int (*functions_done)(void);
	/* Are its calls told, in the code that is loaded now?  On a thread that runs Erlang code. */
	bool (*is_told)(const struct btapw_function *f);
	uint64_t able[BTAP_MASK_WORDS]; /* events that can fire in this VM */
};

#endif /* BEAMTAP_BTAPW_API_H */
