/* SPDX-License-Identifier: GPL-2.0 */
/* A range of a file, and what is to be done with it: range.c has the hooks. */
#ifndef _MM_PREFETCH_EXT_RANGE_H
#define _MM_PREFETCH_EXT_RANGE_H

#include <linux/types.h>

struct address_space;
struct file;
struct prefetch_ext_policy;

struct prefetch_ext_file_range {
	struct address_space *mapping;
	pgoff_t first;
	pgoff_t last;
	pgoff_t behind;	/* pages before @first that are dropped, too */
	unsigned int nr;	/* ranges that it is made of */
	bool flush;
	bool wait;
	bool drop;
};

/* range_act.c: does it; sleeps. Caller: keeps the policy's counters, and the file. */
void prefetch_ext_act(struct prefetch_ext_policy *p,
		      const struct prefetch_ext_file_range *r);
/* range_late.c: leaves it to the policy's worker; does not sleep. */
void prefetch_ext_defer(struct prefetch_ext_policy *p, const struct file *file,
			const struct prefetch_ext_file_range *r);

#endif /* _MM_PREFETCH_EXT_RANGE_H */
