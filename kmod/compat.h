/* SPDX-License-Identifier: GPL-2.0 */
/* compat.h - the one place that looks at kernel versions: 6.1 and later */
#ifndef BTAP_COMPAT_H
#define BTAP_COMPAT_H

#include <linux/mm.h>
#include <linux/version.h>

/* vm_flags became read-only, with functions to change them, in 6.3. */
static inline void btap_compat_vm_flags(struct vm_area_struct *vma, unsigned long set,
					unsigned long clear)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_mod(vma, set, clear);
#else
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#endif
}

#endif /* BTAP_COMPAT_H */
