/* SPDX-License-Identifier: GPL-2.0 */
/* A range of a file, and what is to be done with it: range.c has the hooks. */
#ifndef _MM_PREFETCH_EXT_RANGE_H
#define _MM_PREFETCH_EXT_RANGE_H

#include <linux/list.h>
#include <linux/types.h>

struct address_space;
struct file;
struct prefetch_ext_late;
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
	bool part;	/* @last is written in part: it is flushed, and stays */
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

/* A page that is read or written in part: range_part.c */
struct prefetch_ext_part {
	pgoff_t index;
	bool written;	/* else: read */
};

/*
 * One that waits for a worker. It holds the inode and the mount. A reference on the
 * file would keep it from being executed, and its locks from going, when the writer has
 * closed it; one on the dentry would make NFS rename what is unlinked.
 */
struct prefetch_ext_late_range {
	struct list_head link;
	struct vfsmount *mnt;
	u64 since;	/* sum of the ends of the writes; microseconds */
	struct prefetch_ext_file_range range;
	/* To be dropped again. Under policy->late_lock. */
	unsigned long until;	/* jiffies */
	unsigned long least;	/* pages of the rest so far */
	unsigned int tries;	/* since there were so few */
	bool joined;	/* since the try began */
};

/* range_part.c */
void prefetch_ext_parts_init(void);
bool prefetch_ext_part_goes_on(const struct file *file, pgoff_t first,
			       pgoff_t last, bool stops, bool written,
			       struct prefetch_ext_part *left);
bool prefetch_ext_part_ends(const struct file *file,
			    struct prefetch_ext_part *left);

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
/* For a worker: one range of those that it took, and all of it. */
void prefetch_ext_late_free(struct prefetch_ext_late *late,
			    struct prefetch_ext_late_range *l);
void prefetch_ext_worker_ends(struct prefetch_ext_policy *p);

#endif /* _MM_PREFETCH_EXT_RANGE_H */
