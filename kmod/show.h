/* SPDX-License-Identifier: GPL-2.0 */
/* show.h - /sys/kernel/debug/beamtap/regions */
#ifndef BTAP_SHOW_H
#define BTAP_SHOW_H

void btap_show_init(void);
void btap_show_exit(void);

#endif /* BTAP_SHOW_H */
