/* SPDX-License-Identifier: GPL-2.0 */
/* The watchdog over policies: watchdog.c tells of it. */
#ifndef _MM_CACHE_EXT_WATCHDOG_H
#define _MM_CACHE_EXT_WATCHDOG_H

#include <linux/atomic.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define CACHE_EXT_OFFENCES	64	/* until a policy is ended */

/* Why a policy is ended. */
enum cache_ext_stall {
	CACHE_EXT_STARVES = 1,
	CACHE_EXT_ROTATES,
	CACHE_EXT_CANNOT_GO,
	CACHE_EXT_DAWDLES,
};

/* Under @lock, but what is read without. */
struct cache_ext_watchdog {
	spinlock_t lock;	/* innermost; process context */
	unsigned int offences;	/* that were not made good; read without */
	enum cache_ext_stall barks; /* 0: no; written once, read without */
	bool stalled;		/* passes fail in a row; read without */
	u64 looked;		/* folios, since then */
	u64 tried;		/* pages that did not go, since then */
	atomic_long_t taken;	/* pages, since then, by the kernel; no lock */
};

/* What came of asking the policy once, in as many requests as it took. */
struct cache_ext_pass {
	unsigned long wanted;	/* pages */
	unsigned long freed;
	unsigned long kept;	/* pages proposed, but in use through a mapping */
	unsigned long tried;	/* pages proposed */
	unsigned long in_io;	/* of these: being read or written back */
	unsigned long unfit;	/* of the last request: could not go */
	u32 steps_left;		/* of iterators, in all calls */
	u32 looked;		/* folios that the program was shown */
	u32 nr_cut;		/* requests in a row that ended early */
	u32 passed;		/* folios that reclaim could not take: it was not shown */
	bool left_out;		/* it was not asked, or the request ended early for those */
	bool stalled;		/* it ended because nothing was proposed */
	bool futile;		/* ... because nothing of it could go */
	bool spent;		/* ... because it took too many steps, though it could */
};

#endif /* _MM_CACHE_EXT_WATCHDOG_H */
