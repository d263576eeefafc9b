/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_PAGE_COUNTER_H
#define _LINUX_PAGE_COUNTER_H

#include <linux/atomic.h>

struct page_counter {
	atomic_long_t usage;	/* pages */
	unsigned long max, high;
};

#define PAGE_COUNTER_MAX (__LONG_MAX__ / 4096)
#define page_counter_read(c) ((unsigned long)atomic_long_read(&(c)->usage))

#endif
