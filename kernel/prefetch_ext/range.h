/* SPDX-License-Identifier: GPL-2.0 */
/* A range of a file, and what is to be done with it: range.c has the hooks. */
#ifndef _MM_PREFETCH_EXT_RANGE_H
#define _MM_PREFETCH_EXT_RANGE_H

#include <linux/types.h>

struct address_space;
struct prefetch_ext_policy;
struct vfsmount;

struct prefetch_ext_file_range {
	struct address_space *mapping;
	pgoff_t first;
	pgoff_t last;
	pgoff_t behind;	/* pages before @first that are dropped, too */
	unsigned int nr;	/* ranges that it is made of */
	bool flush;
	bool wait;
	bool drop;
	bool in_use;	/* of a rest: some clean folios are, perhaps by a CPU's batch */
};

/* What is worth another try after one to drop a range. */
struct prefetch_ext_rest {
	unsigned long pages;	/* 0: nothing, and @first and @last say nothing */
	unsigned long left;	/* pages that stay if nobody tries again */
	pgoff_t first;
	pgoff_t last;
	bool in_use;	/* some are clean; the others are being written */
};

/*
 * range_act.c: does it, with a file at @mnt; sleeps. Caller: keeps the policy's
 * counters, and the file.
 */
void prefetch_ext_act(struct prefetch_ext_policy *p, struct vfsmount *mnt,
		      const struct prefetch_ext_file_range *r);
/* range_drop.c: counts what went, and what is left beside the rest; sleeps. */
struct prefetch_ext_rest
prefetch_ext_drop_once(struct prefetch_ext_policy *p,
		       const struct prefetch_ext_file_range *r);
/* range_late.c: leaves it to the policy's worker; does not sleep. */
void prefetch_ext_defer(struct prefetch_ext_policy *p, struct vfsmount *mnt,
			const struct prefetch_ext_file_range *r);
/*
 * The same for the rest of what is flushed, or about to be. False: much waits already,
 * or there is no memory.
 */
bool prefetch_ext_drop_later(struct prefetch_ext_policy *p,
			     struct vfsmount *mnt,
			     const struct prefetch_ext_file_range *r);

#endif /* _MM_PREFETCH_EXT_RANGE_H */
