/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf.h - a recording as a source
 *
 * Reads recordings that beamtap made, see docs/recording.md; other CTF traces
 * are told apart and refused.  One that was cut off is read up to its last whole
 * packet; what is behind that is told by ctf_tail().
 */
#ifndef BEAMTAP_CTF_H
#define BEAMTAP_CTF_H

#include "source/src.h"

struct ctf_opts {
	int64_t shift_ns; /* added to all times: for recordings of other machines or boots */
};

/**
 * ctf_open() - open a recording
 * @out:  source, owned; end it with src_close()
 * @path: directory
 * @opts: NULL: all zero
 * @d:    out: what is wrong, with file, packet and offset, and the remedy
 *
 * Return: 0, -ENOENT, -EACCES, -EPROTO when it is no recording or a damaged one,
 * -EPROTONOSUPPORT when a newer version made it, or another -errno.
 */
int ctf_open(struct src **out, const char *path, const struct ctf_opts *opts, struct diag *d);

/**
 * ctf_is_recording() - Return: whether @path is a directory that looks like a recording
 */
bool ctf_is_recording(const char *path);

/**
 * ctf_tail() - what was found cut off at the end of the files, once the source has ended
 * @buf: out: a sentence for people, "" when all was whole
 *
 * A cut is no error: the recorder was killed, or the disk was full.
 * Return: number of streams with a cut.
 */
unsigned int ctf_tail(const struct src *s, char *buf, size_t size);

#endif /* BEAMTAP_CTF_H */
