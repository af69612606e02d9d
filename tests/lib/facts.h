/* SPDX-License-Identifier: Apache-2.0 */
/* facts.h - what a VM of OTP 25 says of itself, for initialisers of struct btap_facts */
#ifndef BEAMTAP_TESTS_FACTS_H
#define BEAMTAP_TESTS_FACTS_H

/* clang-format off */
#define FACTS_OTP_25                                                              \
	.otp_release = 25, .erts_version = "13.1.5",                              \
	.pid_shift = 4, .pid_number_bits = 15, .pid_serial_bits = 13,             \
	.port_shift = 4, .port_number_bits = 28
/* clang-format on */

#endif /* BEAMTAP_TESTS_FACTS_H */
