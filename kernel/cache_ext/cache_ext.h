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
 *   type.c    the struct_ops type
 *   ops.c     attach and detach: the life of a policy
 *   table.c   folio -> node (table.h)
 *   arena.c   where nodes and their records live (node.h)
 *   list.c    lists, their one iterator, sizes (list.h)
 *   admit.c   folios that the policy does not want, from their read to their end
 *   tree.c    cgroups below others: who governs, handing folios over
 *   tick.c    the tick program, by time and when asked for
 *   event.c   hooks: added, accessed, removed
 *   change.c  hooks: replaced, split
 *   evict.c   requests (request.h)
 *   offer.c   proposals; offers, of which the lowest scores are proposed
 *   isolate.c from proposed to off the kernel's LRU
 *   mapped.c  what is mapped and in use stays, and the policy hears of that
 *   offence.c policies that keep back what could go, and their end
 *   kfuncs.c  what programs may call, and from where
 *   iter.c    iterators of programs
 *   stats.c   /proc/cache_ext/stat
 *   hint.h    which node a program's kfuncs look at first
 *   glue.h   what the core needs of the kernel it runs in
 *
 * Locks, outermost first:
 *   cache_ext_mutex      the list of policies, attach, detach; sleeps
 *   policy->evict_mutex  one request at a time; holds no memory allocation
 *   policy->lock         lists and the state of nodes; irqsave, since removal
 *			  runs under i_pages with interrupts off
 *   arena->lock, locks of the table's stripes, the directory's (table.h); irqsave
 * Hooks hold rcu_read_lock() while they use a policy; whoever sleeps holds a
 * reference (policy->users).
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
#include "contract.h"
#include "table.h"

#define CACHE_EXT_FUTILE	8	/* requests that free nothing, then stop */
#define CACHE_EXT_KEEP		512	/* pages in use, then these count, too */
#define CACHE_EXT_CALL_SCAN	262144	/* of all in a call of evict_folios */
#define CACHE_EXT_OFFENCES	64	/* until a policy is detached */
#define CACHE_EXT_LAST_PRIORITY	2	/* of reclaim: from here without it */

struct cache_ext_stats {
	u64 nr[CES_NR];
};

#include "list.h"
#include "request.h"

struct cache_ext_policy {
	struct cache_ext_ops *ops;
	/* The programs behind @ops, NULL where the kernel does not tell. */
	const struct bpf_prog *progs[CACHE_EXT_MEMBERS];
	struct mem_cgroup *memcg;	/* css reference */
	u64 cgroup_id;
	char name[16];
	u32 data_size;
	struct cache_ext_arena arena;

	spinlock_t lock;
	struct cache_ext_list *lists;	/* with @nr_lists: fixed after init */
	unsigned int nr_lists;
	unsigned int room;		/* lists that are allocated */
	unsigned long owned;		/* pages; under lock, read without */

	/* Not admitted, under lock: since the last sweep, and before it. */
	struct cache_ext_list refused[2];
	unsigned long nr_refused;	/* folios; under lock, read without */
	struct delayed_work sweep;

	struct mutex evict_mutex;
	struct cache_ext_request request;	/* under evict_mutex */
	struct cache_ext_conduct conduct;
	struct task_struct *evicting;	/* runs ops->evict_folios; see there */

	struct delayed_work tick;
	unsigned long tick_wanted;	/* bit 0: a program asked for it */

	struct cache_ext_stats __percpu *stats;
	unsigned long untracked;	/* pages not adopted at attach */
	unsigned long refaults;		/* of the cgroup before attach */

	struct kref users;
	struct completion unused;	/* last user is gone */
	bool dead;			/* under cache_ext_mutex, read without */
	bool published;			/* under cache_ext_mutex */
	bool subtree;			/* governs other cgroups too */
	struct task_struct *initializing; /* runs ops->init */
	struct work_struct teardown;
	struct list_head all;		/* under cache_ext_mutex */
	struct hlist_node glue_link;	/* used by the module only */
};

extern struct mutex cache_ext_mutex;
extern struct list_head cache_ext_policies;

/* ops.c */
int cache_ext_reg(void *kdata, struct bpf_link *link);
void cache_ext_unreg(void *kdata, struct bpf_link *link);
void cache_ext_release(struct kref *kref);

static inline bool cache_ext_get(struct cache_ext_policy *p)
{
	return kref_get_unless_zero(&p->users);
}

static inline void cache_ext_put(struct cache_ext_policy *p)
{
	kref_put(&p->users, cache_ext_release);
}

/* ops.c; returns whether it was not retired already. May sleep. */
bool cache_ext_retire(struct cache_ext_policy *p);

/* offence.c */
const char *cache_ext_overruled_why(struct cache_ext_policy *p);
void cache_ext_pass_over(struct cache_ext_policy *p,
			 const struct cache_ext_pass *pass);
bool cache_ext_near_oom(struct cache_ext_policy *p,
			const struct cache_ext_shrink *s);
void cache_ext_offence_init(struct cache_ext_policy *p);
void cache_ext_offence_stop(struct cache_ext_policy *p);

/* The kernel's own scan evicted a folio that was on a list. Any context. */
static inline void cache_ext_taken(struct cache_ext_policy *p, unsigned long nr)
{
	if (READ_ONCE(p->conduct.trouble))
		atomic_long_add(nr, &p->conduct.taken);
}

/* isolate.c */
void cache_ext_isolate(struct cache_ext_request *r, struct list_head *folios);

/* mapped.c */
unsigned long cache_ext_keep_used(struct cache_ext_shrink *s,
				  struct list_head *folios,
				  struct list_head *kept);

/* offer.c; but for the end of a call they are kfuncs.h's */
void cache_ext_end_offers(struct cache_ext_request *r);

/* evict.c */
bool cache_ext_may_take(struct cache_ext_policy *p, struct folio *folio);

/* tree.c */
void cache_ext_adopt_all(struct cache_ext_policy *p);
void cache_ext_hand_back(struct cache_ext_policy *p);

/* tick.c */
void cache_ext_tick_init(struct cache_ext_policy *p);
void cache_ext_tick_start(struct cache_ext_policy *p);
void cache_ext_tick_kick(struct cache_ext_policy *p);
void cache_ext_tick_stop(struct cache_ext_policy *p);

/* event.c */
struct cache_ext_policy *cache_ext_policy_of_folio(struct folio *folio);
void cache_ext_used(struct cache_ext_policy *p, struct folio *folio);
void cache_ext_disown(struct cache_ext_node *node, struct folio *folio);
bool cache_ext_claim(struct cache_ext_policy *p, struct cache_ext_node *node);
void cache_ext_introduce(struct cache_ext_policy *p,
			 struct cache_ext_node *node, struct folio *folio);

/* admit.c */
void cache_ext_admit_init(struct cache_ext_policy *p);
bool cache_ext_admits(struct cache_ext_policy *p, struct folio *folio);
void cache_ext_refuse(struct cache_ext_policy *p, struct cache_ext_node *node);
void cache_ext_refused_link(struct cache_ext_policy *p,
			    struct cache_ext_node *node);
void cache_ext_refused_unlink(struct cache_ext_policy *p,
			      struct cache_ext_node *node);
void cache_ext_admit_stop(struct cache_ext_policy *p);

/* kfuncs.c */
int cache_ext_kfuncs_init(void);

/* type.c */
bool cache_ext_is_ours(const struct bpf_prog *prog);

/* stats.c */
void cache_ext_stats_init(void);
void cache_ext_stats_exit(void);
unsigned long cache_ext_refaults(struct mem_cgroup *memcg);
u64 cache_ext_capacity(struct mem_cgroup *memcg, unsigned long owned);

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
