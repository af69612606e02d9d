/* SPDX-License-Identifier: GPL-2.0 */
/* harness.h - the kernel's kselftest_harness.h, with time for an emulated machine */
#ifndef BTAP_HARNESS_H
#define BTAP_HARNESS_H

#include "kselftest_harness.h"

/* Seconds a test may take; the kernel's own 30 are for real machines. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 180

#endif /* BTAP_HARNESS_H */
