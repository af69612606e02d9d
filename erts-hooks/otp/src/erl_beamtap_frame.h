/* SPDX-License-Identifier: Apache-2.0 */
/* erl_beamtap_frame.h - the frames of the VM's own tracing on a stack, and ours, which look like them */
#ifndef ERL_BEAMTAP_FRAME_H__
#define ERL_BEAMTAP_FRAME_H__

#include "beam_code.h"
#include "beam_common.h"

/* Words of a frame of return_trace behind its return address. */
#ifdef BEAM_RETURN_TRACE_FRAME_SZ
#define BEAMTAP_FRAME_WORDS BEAM_RETURN_TRACE_FRAME_SZ
#else
#define BEAMTAP_FRAME_WORDS 2
#endif

/* Words of the frame whose return address is @w, if it is one of the VM's tracing; 0: the program's */
static ERTS_INLINE int beamtap_trace_words(ErtsCodePtr w)
{
    if (BeamIsReturnTrace(w))
        return CP_SIZE + BEAMTAP_FRAME_WORDS;
#ifdef BeamIsReturnCallAccTrace
    if (BeamIsReturnCallAccTrace(w))
        return CP_SIZE + BEAM_RETURN_CALL_ACC_TRACE_FRAME_SZ;
    if (BeamIsReturnToTrace(w))
        return CP_SIZE + BEAM_RETURN_TO_TRACE_FRAME_SZ;
#else
    if (BeamIsReturnTimeTrace(w))
        return CP_SIZE + 1;
    if (BeamIsReturnToTrace(w))
        return CP_SIZE;
#endif
    return 0;
}

#endif /* ERL_BEAMTAP_FRAME_H__ */
