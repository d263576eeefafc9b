/* SPDX-License-Identifier: GPL-2.0 */
/*
 * prefetch_ext: what is read ahead, from swap and from files, decided in BPF.
 *
 * A policy is an instance of struct prefetch_ext_ops (BPF struct_ops). It governs
 * the swap faults of processes in its cgroup, and their readahead of files; and
 * those of cgroups below that have none of their own or nearer. It is independent
 * of cache_ext, of which a cgroup may have a policy, too.
 *
 * It also says what is to be done when a file is opened, and when a range of one was
 * read or written: drop it from the cache, flush it. And it may keep some of the
 * anonymous memory of its cgroup from going out to swap.
 *
 * Programs run without sleeping and only record targets. When the program has
 * ended, the core checks the targets and reads them under one plug. The page that
 * is faulted, and the pages that a read asks for, are read whatever the policy
 * says. So a policy can waste memory and bandwidth of its cgroup, no more; and
 * waste is watched.
 *
 * What it shares with cache_ext is in mm/policy_ext.
 *
 * Layers, each of which knows those above it only:
 *
 *   policy.c	  the policies that there are
 *   glue.h	  what the core needs of the kernel that it runs in
 *   find.c	  the policy that governs a process, or has a number
 *   watchdog.c	  policies that waste
 *   mark.c	  pages that were prefetched, until they are used or gone
 *   targets.h	  what a program records, and where (struct, and its rules)
 *   swap_read.c	  reads what a policy wants from swap
 *   swap.c	  hooks: a swap fault, swap readahead
 *   file.c	  hook: readahead of a file
 *   swap_out.c	  hook: a folio is about to be swapped out
 *   range_left.c  open files that policies are not asked about
 *   range_part.c  pages inside which readers and writers have stopped
 *   range_drop.c  drops what can go, and says what may go soon
 *   range_late.c  ranges that wait for workers, and what may go soon
 *   range_act.c	  flushes and drops a range; and for writers that must not wait
 *   range.c	  hooks: a file was opened, a range was read or written
 *   ops.c	  attach, replace, detach: the turns of a policy's life
 *   type.c	  the struct_ops type
 *   kfuncs.c	  what programs may call, and from where
 *   stats.c	  statistics: /proc/prefetch_ext/stat
 *   init.c	  all of it starts
 *
 * Locks, outermost first:
 *   prefetch_ext_mutex	  the list of policies, attach, detach; sleeps
 *   marks->lock	  irqsave: marks go under i_pages
 *   watchdog->lock	  with interrupts off
 *   policy->late_lock	  (range_late.c) nothing inside it
 *   entry->lock	  (range_part.c) the same
 * Hooks run programs under rcu_read_lock(), of a policy that is not dead: its end
 * waits a grace period for its programs, and not for what is read, flushed or dropped
 * after them. For that hooks keep its counters (life.refs).
 */
#ifndef _MM_PREFETCH_EXT_H
#define _MM_PREFETCH_EXT_H

#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/prefetch_ext.h>
#include <linux/rhashtable-types.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include "../policy_ext/policy_ext.h"
#include "contract.h"

#define PREFETCH_EXT_MAX_ID	1023	/* policies at once */
#define PREFETCH_EXT_RECENT	64	/* late faults that will come again */

struct prefetch_ext_stats {
	u64 nr[PES_NR];
	u64 latency[PREFETCH_EXT_BUCKETS];
};

/* Outcomes of prefetched pages: watchdog.c tells of it. */
struct prefetch_ext_watchdog {
	spinlock_t lock;	/* innermost; interrupts off */
	u32 percent;		/* more waste is too much */
	u32 judged;		/* pages used or wasted, in this window */
	u32 wasted;		/* of these */
	u32 row;		/* windows in a row with too much */
};

/* Pages that it has prefetched, and that are neither used nor gone: mark.c. */
struct prefetch_ext_marks {
	spinlock_t lock;	/* irqsave; for what follows but @ready */
	unsigned long nr;	/* read without it, too */
	struct rhashtable table;	/* by their place; look-ups: RCU */
	struct list_head list;	/* the oldest first */
	bool ready;		/* there is a table: the policy prefetches */
};

/* Ranges that wait for the policy's worker: range_late.c. */
struct prefetch_ext_late {
	struct list_head ranges;	/* under policy->late_lock */
	atomic_t nr;	/* and those that the worker has taken from there */
	int most;	/* of these; neighbours are one */
	struct delayed_work work;
};

struct prefetch_ext_policy {
	struct prefetch_ext_ops *ops;
	/* The programs behind it, NULL where the kernel does not tell. */
	const struct bpf_prog *progs[PREFETCH_EXT_MEMBERS];
	struct policy_ext_life life;	/* teardown, the list, and hooks have references */
	u32 id;			/* by which find.c knows it; never 0 */

	struct prefetch_ext_stats __percpu *stats;
	struct prefetch_ext_watchdog watchdog;
	struct prefetch_ext_marks marks;
	spinlock_t late_lock;	/* for both; process context */
	struct prefetch_ext_late late;	/* to be flushed */
	struct prefetch_ext_late again;	/* flushed, and not yet dropped */
	u64 recent[PREFETCH_EXT_RECENT];	/* swap.c */
	atomic64_t kept;	/* a second, and pages in it; swap_out.c */
	atomic_long_t passed;	/* pages; swap_out.c */

	bool hooked;		/* holds hooks */
	u32 hooks;		/* which of them, besides those that all hold */
	struct hlist_node glue_link;	/* the module's */
};

/* policy.c */
extern struct mutex prefetch_ext_mutex;
extern struct list_head prefetch_ext_policies;

static inline struct prefetch_ext_policy *
prefetch_ext_policy_of_life(struct policy_ext_life *l)
{
	return container_of(l, struct prefetch_ext_policy, life);
}

/* find.c */
int prefetch_ext_find_add(struct prefetch_ext_policy *p);
void prefetch_ext_find_del(struct prefetch_ext_policy *p);
void prefetch_ext_find_free(struct prefetch_ext_policy *p);
struct prefetch_ext_policy *prefetch_ext_policy_of_id(u32 id);
struct prefetch_ext_policy *prefetch_ext_of_mm(struct mm_struct *mm);
struct prefetch_ext_policy *prefetch_ext_of_current(void);
bool prefetch_ext_governs(const struct prefetch_ext_policy *p,
			  struct mem_cgroup *memcg);
bool prefetch_ext_governs_folio(const struct prefetch_ext_policy *p,
				struct folio *folio);

/* range_left.c */
void prefetch_ext_leave(const struct prefetch_ext_policy *p,
			const struct file *file);
bool prefetch_ext_has_left(const struct prefetch_ext_policy *p,
			   const struct file *file);
void prefetch_ext_not_left(const struct file *file);
void prefetch_ext_leave_none(u32 id);

/* range_part.c, range.c */
bool prefetch_ext_in_part(const struct file *file);
void prefetch_ext_file_is_new(const struct file *file);

/* ops.c */
extern struct policy_ext_type prefetch_ext_type;
int prefetch_ext_reg(void *kdata, struct bpf_link *link);
void prefetch_ext_unreg(void *kdata, struct bpf_link *link);
int prefetch_ext_update(void *kdata, void *old_kdata, struct bpf_link *link);

/* mark.c */
struct address_space;
int prefetch_ext_marks_start(void);
void prefetch_ext_marks_exit(void);
int prefetch_ext_marks_init(struct prefetch_ext_policy *p);
size_t prefetch_ext_marks_memory(const struct prefetch_ext_policy *p);
bool prefetch_ext_mark(struct prefetch_ext_policy *p,
		       struct address_space *mapping, pgoff_t index, bool swap);
bool prefetch_ext_use(struct mem_cgroup *memcg, struct address_space *mapping,
		      pgoff_t index, bool late);
void prefetch_ext_gone(struct mem_cgroup *memcg, struct address_space *mapping,
		       pgoff_t index, unsigned long nr, bool counts);
void prefetch_ext_unmark_all(struct prefetch_ext_policy *p);

/* range_late.c */
int prefetch_ext_ranges_init(void);
void prefetch_ext_ranges_exit(void);
void prefetch_ext_late_init(struct prefetch_ext_policy *p);

/* range_act.c */
void prefetch_ext_act_init(struct prefetch_ext_policy *p);

/* watchdog.c */
void prefetch_ext_judge(struct prefetch_ext_policy *p, bool wasted);

/* type.c, kfuncs.c, stats.c, init.c */
int prefetch_ext_type_init(void);
bool prefetch_ext_is_ours(const struct bpf_prog *prog);
int prefetch_ext_kfuncs_init(void);
int prefetch_ext_start(void);
void prefetch_ext_stats_init(void);
void prefetch_ext_stats_exit(void);

static inline void pes_add(struct prefetch_ext_policy *p,
			   enum prefetch_ext_stat_item item, u64 nr)
{
	this_cpu_add(p->stats->nr[item], nr);
}

static inline void pes_inc(struct prefetch_ext_policy *p,
			   enum prefetch_ext_stat_item item)
{
	pes_add(p, item, 1);
}

/* Its time counts if that of BPF programs does. */
#define prefetch_ext_timed(p, call) do {				\
	if (static_branch_unlikely(&bpf_stats_enabled_key)) {		\
		u64 since = ktime_get_ns();				\
		call;							\
		pes_add(p, PES_PROG_NS, ktime_get_ns() - since);	\
	} else {							\
		call;							\
	}								\
} while (0)

/* Whose program runs on this CPU. find.c */
DECLARE_PER_CPU(struct prefetch_ext_policy *, prefetch_ext_running);

/*
 * Runs the program @member, which the policy has, with the argument @arg. @number: of
 * the member. Caller: rcu_read_lock(), and @p is not dead. As in mm/cache_ext the
 * program gets its arguments as the trampoline of struct_ops would give them, where
 * the kernel tells which it is; and it runs without preemption, which costs less than to
 * keep it on its CPU, and so is the only one there. No hook runs in an interrupt.
 */
#define prefetch_ext_run(p, number, member, arg) do {			\
	const struct bpf_prog *__prog = (p)->progs[number];		\
	u64 __args[] = { (unsigned long)(arg), (unsigned long)(p)->life.memcg };	\
									\
	preempt_disable();						\
	this_cpu_write(prefetch_ext_running, p);			\
	if (likely(__prog))						\
		prefetch_ext_timed(p, bpf_prog_run(__prog, __args));	\
	else								\
		prefetch_ext_timed(p, (p)->ops->member(arg, (p)->life.memcg)); \
	this_cpu_write(prefetch_ext_running, NULL);			\
	preempt_enable();						\
} while (0)

#endif /* _MM_PREFETCH_EXT_H */
