/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cache_ext: page cache eviction policies in BPF, one for a cgroup.
 *
 * A policy is an instance of struct cache_ext_ops (BPF struct_ops) that governs
 * the file folios charged to its cgroup, and to those below that have none of
 * their own or nearer. The core keeps a node for each
 * folio that the policy owns; nodes sit on the policy's lists. Folios stay on
 * the kernel's LRU all the while: a node holds no reference, and dropping all
 * nodes gives everything back. So the kernel's own reclaim can always take any
 * folio, and the policy is told.
 *
 * What it shares with prefetch_ext is in mm/policy_ext.
 *
 * Layers, each of which knows those above it only:
 *
 *   node.c	   nodes: slab objects, freed by RCU
 *   index.c	   folio -> node: a hash table by page frame number
 *   pin_count.c   how much is pinned, of which cgroups
 *   list.c	   lists of nodes, and their one iterator
 *   batch.c	   moves within a list, gathered by CPU
 *   candidates.c, select.c, scan.c
 *		   what a program does in a request (request.h)
 *   policy.c	   the policies that there are, and who holds one
 *   glue.h	   what the core needs of the kernel that it runs in
 *   pin.c	   folios that stay, up to a quota
 *   tick.c	   the tick program, by time and when asked for
 *   wanted.c	   evictions that the policy itself wants
 *   admit.c	   folios that the policy does not want
 *   event.c	   hooks: added, accessed, removed
 *   change.c	   hooks: replaced, split
 *   refused.c	   hooks: what was not admitted is read, mapped; it is dropped
 *   tree.c	   folios that change hands between policies
 *   check.c	   is all of it consistent? (CACHE_EXT_DEBUG)
 *   watchdog.c	   policies that keep back what could go
 *   isolate.c	   from proposed to off the kernel's LRU
 *   mapped.c	   what is mapped and in use stays, and the policy hears of that
 *   evict.c	   reclaim asks the policy
 *   detach.c	   the end of a policy
 *   ops.c	   attach, replace: the turns of a policy's life
 *   iter.c	   iterators of programs
 *   kfuncs_list.c   what programs may call to put folios on lists
 *   executable.c   whether a folio is code, as the mappings of its file say
 *   type.c	   the struct_ops type
 *   kfuncs.c	   what programs may call, and from where; files above have some
 *   stats.c	   statistics: /proc/cache_ext/stat
 *   init.c	   all of it starts
 *
 * Locks, outermost first:
 *   cache_ext_mutex	   the list of policies, attach, detach; sleeps
 *   policy->evict_mutex   one program of evict_folios at a time; allocates nothing
 *   batch->lock	   a CPU's moves; irqsave
 *   lists->lock	   lists, and the states of nodes; irqsave, since removal
 *			   runs under i_pages with interrupts off
 *   the index's locks	   of its buckets; irqsave; nothing is taken inside them
 * Hooks hold rcu_read_lock() while they use a policy; a sleeper holds a
 * reference: policy->users while it runs programs, for which detach waits; else
 * policy->holders, for which only teardown's worker waits. Reclaim may wait for a
 * server of files that does not answer: it is of the second kind.
 */
#ifndef _MM_CACHE_EXT_H
#define _MM_CACHE_EXT_H

#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/cache_ext.h>
#include <linux/completion.h>
#include <linux/filter.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include "../policy_ext/policy_ext.h"
#include "batch.h"
#include "contract.h"
#include "index.h"
#include "list.h"
#include "request.h"
#include "watchdog.h"

#define CACHE_EXT_FUTILE	8	/* requests that free nothing, then stop */
#define CACHE_EXT_RESUMES	2	/* requests cut short, then stop */
#define CACHE_EXT_KEEP		512	/* pages in use, then these count, too */
#define CACHE_EXT_CALL_SCAN	262144	/* of all in a call of evict_folios */
#define CACHE_EXT_PAGE_SCAN	4096	/* more in a pass, for a page proposed: evict.c */
#define CACHE_EXT_LAST_PRIORITY	2	/* of reclaim: from here without it */
#define CACHE_EXT_PIN_PASSES	64	/* pinned pages passed by for one that goes */
#define CACHE_EXT_LEEWAY	16384	/* bytes of lists past the limit, without init */
#define CACHE_EXT_SWEEP		HZ	/* how often refused folios are looked at */

struct cache_ext_stats {
	u64 nr[CES_NR];
};

struct cache_ext_policy {
	struct cache_ext_ops *ops;
	/* The programs behind @ops, NULL where the kernel does not tell. */
	const struct bpf_prog *progs[CACHE_EXT_MEMBERS];
	struct policy_ext_life life;
	struct cache_ext_node_kind kind;
	struct cache_ext_lists lists;

	/* Not admitted, under lists.lock: since the last sweep, and before it. */
	struct list_head refused[2];
	unsigned long nr_refused;	/* folios; under lock, read without */
#ifdef CONFIG_CACHE_EXT_DEBUG
	unsigned int checks;		/* so far, under lists.lock */
#endif
	struct delayed_work sweep;

	struct mutex evict_mutex;	/* one evict program at a time */
	struct cache_ext_request request;	/* under evict_mutex */
	struct task_struct *evicting;	/* runs ops->evict_folios; see there */
	struct cache_ext_watchdog watchdog;

	u64 pin_pages;			/* quota of the policy */
	atomic_long_t pin_passed;	/* pages; pin.c */

	struct delayed_work tick;
	unsigned long tick_wanted;	/* bit 0: a program asked for it */

	/* wanted.c; from wanted_not_before on the worker's, but that others read this one. */
	atomic_long_t wanted_goal;	/* of lists.gone; if it is reached, nothing is wanted */
	unsigned long wanted_queued;	/* bit 0: a run is queued, or under way */
	struct delayed_work wanted_work;
	unsigned long wanted_not_before; /* jiffies: the next run waits until then */
	unsigned int wanted_futile;	/* runs that freed nothing, the last ones */
	u64 wanted_ns;			/* that runs took, and that nobody has rested for */
	int wanted_nid;			/* the node that was asked last */

	struct cache_ext_stats __percpu *stats;
	unsigned long untracked;	/* pages not adopted at attach */
	unsigned long refaults;		/* of the cgroup before attach */

	struct kref users;		/* tasks that run its programs, and may sleep */
	struct kref holders;		/* tasks that use its nodes, and may sleep */
	struct completion unheld;	/* the last of them is gone */
	/*
	 * One for all holders, one for its adoption, one for adoption by the
	 * policy that replaces it: teardown ends after them.
	 */
	struct kref rest;
	bool hooked;			/* holds hooks */
	bool admits;			/* one that ends: that of admission, too */
	bool subtree;			/* governs other cgroups too */

	/* ops.c, detach.c */
	struct work_struct adopt;
	bool adopting;			/* it has not run to its end */
	struct cache_ext_policy *forebear; /* whose folios it adopts; referenced */
	struct cache_ext_policy *heir;	/* replaces it, and adopts its folios */
	struct work_struct quieten;
	struct work_struct finish;
	struct hlist_node glue_link;	/* used by the module only */
	/*
	 * The hint of programs that are called for no folio. Last: its size is
	 * not constant.
	 */
	struct cache_ext_node self;
};

/* policy.c */
extern struct mutex cache_ext_mutex;
extern struct list_head cache_ext_policies;
extern atomic_t cache_ext_leaving;
void cache_ext_leaves(void);
void cache_ext_release(struct kref *kref);
void cache_ext_unheld(struct kref *kref);
void cache_ext_free(struct policy_ext_life *l);

static inline struct cache_ext_policy *
cache_ext_policy_of_life(struct policy_ext_life *l)
{
	return container_of(l, struct cache_ext_policy, life);
}

static inline bool cache_ext_get(struct cache_ext_policy *p)
{
	return kref_get_unless_zero(&p->users);
}

static inline void cache_ext_put(struct cache_ext_policy *p)
{
	kref_put(&p->users, cache_ext_release);
}

/* Caller: rcu_read_lock(), and @p governs a cgroup; or has a reference. */
static inline bool cache_ext_hold(struct cache_ext_policy *p)
{
	return kref_get_unless_zero(&p->holders);
}

/* The same of policy->rest. */
void cache_ext_rested(struct kref *kref);

/* Any context. */
static inline void cache_ext_let_go(struct cache_ext_policy *p)
{
	kref_put(&p->holders, cache_ext_unheld);
}

static inline bool cache_ext_owns(const struct cache_ext_policy *p,
				  const struct cache_ext_node *node)
{
	return node->policy == p->kind.policy;
}

/* watchdog.c */
const char *cache_ext_watchdog_reason(struct cache_ext_policy *p);
void cache_ext_watchdog_pass(struct cache_ext_policy *p,
			     const struct cache_ext_pass *pass);
void cache_ext_watchdog_near_oom(struct cache_ext_policy *p);

/* The kernel's own scan evicted a folio that was on a list. Any context. */
static inline void cache_ext_taken(struct cache_ext_policy *p, unsigned long nr)
{
	if (READ_ONCE(p->watchdog.stalled))
		atomic_long_add(nr, &p->watchdog.taken);
}

/* isolate.c */
void cache_ext_isolate(struct cache_ext_request *r, struct list_head *folios);

/* mapped.c */
unsigned long cache_ext_keep_used(struct cache_ext_shrink *s,
				  struct list_head *folios,
				  struct list_head *kept);

/* tree.c */
void cache_ext_adopt_all(struct cache_ext_policy *p);
void cache_ext_inherit(struct cache_ext_policy *p,
		       struct cache_ext_policy *old);
void cache_ext_hand_back(struct cache_ext_policy *p);

/* pin.c */
#ifdef CONFIG_CACHE_EXT_PIN
unsigned long cache_ext_pin_limit(struct cache_ext_policy *p);

/* Reclaim took pages of the policy that were not pinned. Any context. */
static inline void cache_ext_unpinned_went(struct cache_ext_policy *p,
					   unsigned long nr)
{
	long passed = atomic_long_read(&p->pin_passed);

	/* Others do the same meanwhile: it need not be exact. */
	if (unlikely(passed))
		atomic_long_set(&p->pin_passed,
				max(passed - (long)nr * CACHE_EXT_PIN_PASSES,
				    0L));
}
#else
static inline unsigned long cache_ext_pin_limit(struct cache_ext_policy *p)
{
	return 0;
}

static inline void cache_ext_unpinned_went(struct cache_ext_policy *p,
					   unsigned long nr)
{ }
#endif

/* tick.c */
#ifdef CONFIG_CACHE_EXT_TICK
void cache_ext_tick_init(struct cache_ext_policy *p);
void cache_ext_tick_start(struct cache_ext_policy *p);
void cache_ext_tick_stop(struct cache_ext_policy *p);
#else
static inline void cache_ext_tick_init(struct cache_ext_policy *p) { }
static inline void cache_ext_tick_start(struct cache_ext_policy *p) { }
static inline void cache_ext_tick_stop(struct cache_ext_policy *p) { }
#endif

/* wanted.c */
#ifdef CONFIG_CACHE_EXT_RECLAIM
void cache_ext_wanted_init(struct cache_ext_policy *p);
void cache_ext_wanted_stop(struct cache_ext_policy *p);
#else
static inline void cache_ext_wanted_init(struct cache_ext_policy *p) { }
static inline void cache_ext_wanted_stop(struct cache_ext_policy *p) { }
#endif

/* event.c */
struct cache_ext_policy *cache_ext_policy_of_folio(struct folio *folio);
void cache_ext_used(struct cache_ext_policy *p, struct folio *folio);
void cache_ext_disown(struct cache_ext_node *node, struct folio *folio);
bool cache_ext_claim(struct cache_ext_policy *p, struct cache_ext_node *node,
		     struct folio *folio);
void cache_ext_forget(struct cache_ext_node *node, unsigned int was);
void cache_ext_node_release(struct cache_ext_node *node, unsigned int was);
void cache_ext_introduce(struct cache_ext_policy *p,
			 struct cache_ext_node *node, struct folio *folio,
			 enum cache_ext_stat_item item);
void cache_ext_adopt(struct folio *folio, bool used);

/* admit.c */
#ifdef CONFIG_CACHE_EXT_ADMIT
bool cache_ext_admits(struct cache_ext_policy *p, struct cache_ext_node *node,
		      struct folio *folio);
void cache_ext_refuse(struct cache_ext_policy *p, struct cache_ext_node *node);
void cache_ext_refused_push(struct cache_ext_policy *p,
			    struct cache_ext_node *node, unsigned int age);
void cache_ext_refused_link(struct cache_ext_policy *p,
			    struct cache_ext_node *node);
void cache_ext_refused_unlink(struct cache_ext_policy *p,
			      struct cache_ext_node *node);

/* refused.c */
void cache_ext_refused_init(struct cache_ext_policy *p);
void cache_ext_refused_stop(struct cache_ext_policy *p);
#else
static inline bool cache_ext_admits(struct cache_ext_policy *p,
				    struct cache_ext_node *node,
				    struct folio *folio)
{
	return true;
}

static inline void cache_ext_refuse(struct cache_ext_policy *p,
				    struct cache_ext_node *node)
{ }

static inline void cache_ext_refused_link(struct cache_ext_policy *p,
					  struct cache_ext_node *node)
{ }

static inline void cache_ext_refused_unlink(struct cache_ext_policy *p,
					    struct cache_ext_node *node)
{ }

static inline void cache_ext_refused_init(struct cache_ext_policy *p) { }
static inline void cache_ext_refused_stop(struct cache_ext_policy *p) { }
#endif

/* detach.c */
void cache_ext_detach_init(struct cache_ext_policy *p);
void cache_ext_teardown(struct work_struct *work);
void cache_ext_run_exit(struct policy_ext_life *l);
void cache_ext_hide(struct policy_ext_life *l);
void cache_ext_notify_exit(struct policy_ext_life *l);

/* ops.c */
extern struct policy_ext_type cache_ext_type;
int cache_ext_reg(void *kdata, struct bpf_link *link);
void cache_ext_unreg(void *kdata, struct bpf_link *link);
int cache_ext_update(void *kdata, void *old_kdata, struct bpf_link *link);

/* check.c: complains with WARN() if the policy is not consistent. */
#ifdef CONFIG_CACHE_EXT_DEBUG
void cache_ext_check(struct cache_ext_policy *p, bool at_rest);
#else
static inline void cache_ext_check(struct cache_ext_policy *p, bool at_rest)
{
}
#endif

/* kfuncs.c */
int cache_ext_kfuncs_init(void);

/* type.c */
int cache_ext_type_init(void);
bool cache_ext_is_ours(const struct bpf_prog *prog);

/* stats.c */
void cache_ext_stats_init(void);
void cache_ext_stats_exit(void);

static inline void ces_add(struct cache_ext_policy *p,
			   enum cache_ext_stat_item item, unsigned long nr)
{
	this_cpu_add(p->stats->nr[item], nr);
}

static inline void ces_inc(struct cache_ext_policy *p,
			   enum cache_ext_stat_item item)
{
	ces_add(p, item, 1);
}

/* Calls a program. Its time counts if that of BPF programs does. */
#define cache_ext_timed(p, call) do {					\
	if (static_branch_unlikely(&bpf_stats_enabled_key)) {		\
		u64 since = ktime_get_ns();				\
		call;							\
		ces_add(p, CES_PROG_NS, ktime_get_ns() - since);	\
	} else {							\
		call;							\
	}								\
} while (0)

#endif /* _MM_CACHE_EXT_H */
