/* SPDX-License-Identifier: GPL-2.0 */
/* A range of a file, and what is to be done with it: range.c has the hooks. */
#ifndef _MM_PREFETCH_EXT_RANGE_H
#define _MM_PREFETCH_EXT_RANGE_H

#include <linux/types.h>

struct address_space;
struct file;
struct path;
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

/*
 * range_act.c: does it, with a file at @path; sleeps. Caller: keeps the policy's
 * counters, and the file.
 */
void prefetch_ext_act(struct prefetch_ext_policy *p, const struct path *path,
		      const struct prefetch_ext_file_range *r);
/*
 * Drops what was flushed, and was in use then. True: some of it still is, but is worth
 * a try again. @tries: how many were in vain.
 */
bool prefetch_ext_drop_again(struct prefetch_ext_policy *p,
			     const struct prefetch_ext_file_range *r,
			     unsigned int *tries);
/* range_late.c: leaves it to the policy's worker; does not sleep. */
void prefetch_ext_defer(struct prefetch_ext_policy *p, const struct path *path,
			const struct prefetch_ext_file_range *r);
/* The same for what is flushed, or about to be. False: much waits already. */
bool prefetch_ext_drop_later(struct prefetch_ext_policy *p,
			     const struct path *path,
			     const struct prefetch_ext_file_range *r);

#endif /* _MM_PREFETCH_EXT_RANGE_H */
