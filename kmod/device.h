/* SPDX-License-Identifier: GPL-2.0 */
/* device.h - /dev/beamtap */
#ifndef BTAP_DEVICE_H
#define BTAP_DEVICE_H

int btap_device_init(void);
void btap_device_exit(void);

#endif /* BTAP_DEVICE_H */
