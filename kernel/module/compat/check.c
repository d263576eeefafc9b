// SPDX-License-Identifier: GPL-2.0
/*
 * Compiled once, before all else: does the module know each thing in which kernels
 * differ? If not, its error is all that the build says.
 */
#include <linux/version.h>
#include <linux/memcontrol.h>
#include <linux/swap.h>
#include <linux/vmstat.h>

/*
 * Not all that differs can be tested for. So a series of kernels on which nobody has
 * tried the module is refused.
 */
#define IS_SERIES(major, minor)						\
	(LINUX_VERSION_CODE >= KERNEL_VERSION(major, minor, 0) &&	\
	 LINUX_VERSION_CODE < KERNEL_VERSION(major, (minor) + 1, 0))
#if !IS_SERIES(6, 12) && !defined(CACHE_EXT_UNTRIED)
#error "cache_ext uses internals of Linux, and passes its tests on 6.12 only: build it for 6.12, or say UNTRIED=1"
#endif
/* Hooks and reclaim take spinlocks where interrupts are off, and there spinlocks sleep. */
#ifdef CONFIG_PREEMPT_RT
#error "cache_ext does not run on PREEMPT_RT kernels: build it for a kernel without"
#endif
#ifdef CONFIG_READ_ONLY_THP_FOR_FS
#error "CONFIG_READ_ONLY_THP_FOR_FS collapses file folios without a tracepoint: build cache_ext for a kernel without it"
#endif
#ifdef CONFIG_LTO
#error "link-time optimization can inline a hooked function anywhere: build cache_ext for a kernel without it"
#endif

#include "../stock_list.h"
#include "charge.h"
