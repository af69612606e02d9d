/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prelude.h - the declarations that every D program begins with; private to this folder
 */
#ifndef BEAMTAP_DLANG_PRELUDE_H
#define BEAMTAP_DLANG_PRELUDE_H

extern const char prelude_types[]; /* typedefs and structs */
extern const char prelude_names[]; /* inlines: NULL, signals, errors, address families */

#endif /* BEAMTAP_DLANG_PRELUDE_H */
