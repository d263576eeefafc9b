/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_KTIME_H
#define _LINUX_KTIME_H

#include <linux/types.h>

#define NSEC_PER_MSEC 1000000ULL

u64 ktime_get_ns(void);
u64 ktime_get_boot_fast_ns(void);

#endif
