/* SPDX-License-Identifier: GPL-2.0 */
/* A page cache of files, and policies of prefetching, for prefetch/cases.c. */
#ifndef PREFETCH_WORLD_H
#define PREFETCH_WORLD_H

#include "prefetch_ext.h"
#include "targets.h"

struct a_file {
	struct inode inode;
	struct address_space mapping;
	struct file file;
	/* Reading its pages, or flushing them, calls this first. */
	void (*before_io)(struct a_file *f);
	/* Of the pages of a readahead the file system reads so many, if it is not 0: a FUSE server has much to do. */
	unsigned long takes_most;
	unsigned long disk_reads;	/* pages that file_{read,write}_bytes() had to read */
	loff_t flushed_from, flushed_to;	/* by the last flush, both included */
};

struct a_file *file_new(void);
void file_open(struct a_file *f); /* as one that is new at its address */
void file_read(struct a_file *f, pgoff_t index); /* its page is cached */
void file_add_page(struct a_file *f, pgoff_t index); /* as a reader does */
void file_remove_page(struct a_file *f, pgoff_t index);
/* Bytes are read, or written; what is not cached comes from the disk. */
void file_read_bytes(struct a_file *f, loff_t pos, size_t count);
void file_write_bytes(struct a_file *f, loff_t pos, size_t count, bool nowait);
void file_close(struct a_file *f);
pgoff_t file_cached(struct a_file *f, pgoff_t *last); /* how many pages, and one of them */
void file_free(struct a_file *f);
/* A read of page @index finds nothing. */
void file_read_ahead(struct a_file *f, pgoff_t index);
/* A page is written by one who must not wait. */
void file_write_nowait(struct a_file *f, pgoff_t index);
/* By one who may. @in_use: somebody uses the page. Returns it, if it is still cached. */
struct folio *file_write(struct a_file *f, pgoff_t index, bool in_use);

/* A fault of the page in slot @slot, which is not in the swap cache. Has a policy said what is read, or the kernel? */
bool swap_fault(unsigned long slot, unsigned int flags);
extern struct swap_info_struct swap_device;
extern bool entry_is_shared; /* more than one process has it */
extern unsigned int clock_reads;
extern void (*before_swap_read)(void);
/* Is called after the first hook of such a fault (1), and after the second (2). */
extern void (*between_swap_hooks)(int hook);

/* So many pages of one folio are about to go out, in a reclaim of this priority. Do they stay? */
bool swap_out(unsigned long pages, int priority);
bool swap_out_below(unsigned long pages, int priority); /* of a cgroup below the policy's */
extern unsigned long share, share_below;	/* that the administrator allows, of both */
extern bool is_contended;	/* somebody holds the lock by which pages find their process */
extern long long seconds;	/* since boot */

/* The policy that governs, until policy_end(). */
struct prefetch_ext_policy *policy_new(struct prefetch_ext_ops *ops);
void policy_govern(struct prefetch_ext_policy *p);
void policy_move(struct prefetch_ext_policy *p, struct mem_cgroup *memcg);
/* Cgroups: the policy's; one below it; one beside it. The task is in the first, unless a case says another. */
extern struct mem_cgroup root, group, below, elsewhere;
extern unsigned int failures; /* of 1024 insertions into tables */
/* As teardown() does. False, and nothing done: somebody uses it. */
bool policy_end(struct prefetch_ext_policy *p);
extern unsigned int policies_freed;
extern unsigned int ended_shown;	/* by /proc */
extern int holds;		/* that keep a module from being unloaded */
extern int inodes_held, drains;

/* Is called at each allocation of a mark. */
extern void (*at_allocation)(void);
/* Before a lock is taken. */
extern void (*before_lock)(spinlock_t *lock);

#endif
