/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_JIFFIES_H
#define _LINUX_JIFFIES_H

#define HZ 250
#define jiffies shim_jiffies()
unsigned long shim_jiffies(void);
#define nsecs_to_jiffies(ns) ((unsigned long)((ns) / (1000000000 / HZ)))
#define msecs_to_jiffies(ms) (((ms) * HZ + 999) / 1000)

#define time_after(a, b) ((long)((b) - (a)) < 0)
#define jiffies_to_nsecs(j) ((u64)(j) * (1000000000ULL / HZ))

#endif
