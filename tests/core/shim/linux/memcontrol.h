/* SPDX-License-Identifier: GPL-2.0 */
/* Cgroups: lib/memcg.c. */
#ifndef _LINUX_MEMCONTROL_H
#define _LINUX_MEMCONTROL_H

#include <linux/atomic.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/mmzone.h>
#include <linux/page_counter.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>

struct cache_ext_policy;
struct mem_cgroup;

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
	atomic_t refs;
	bool online;
};

struct cgroup {
	u64 id;
	struct {
		struct kernfs_node *kn;
	} procs_file;
	struct cgroup_subsys_state *subsys[1];
};

/* Here part of its cgroup, which nobody may free before. */
struct obj_cgroup {
	long charged;			/* bytes */
	long forced;			/* of these, past a limit */
	/* It is charged for so much at most; by who reclaims, for so much more. 0: all. */
	long limit, cache;
	long refs;
};

struct mem_cgroup {
	struct cgroup_subsys_state css;
	struct cgroup cgroup;
	struct page_counter memory;
	unsigned long low, min;		/* pages */
	unsigned long elow, emin;
	struct cache_ext_policy *cache_ext;
	struct prefetch_ext_policy *prefetch_ext;
	struct obj_cgroup *objcg, own_objcg;
	struct lruvec lruvec[MAX_NUMNODES];
	/* Under the lock of the tree: memcg.c. */
	struct list_head children, sibling;
	struct rcu_head rcu;
};

#define rcu_dereference_css(p) rcu_dereference(p)

static inline struct mem_cgroup *
mem_cgroup_from_css(struct cgroup_subsys_state *css)
{
	return container_of(css, struct mem_cgroup, css);
}

static inline struct mem_cgroup *parent_mem_cgroup(struct mem_cgroup *memcg)
{
	return memcg->css.parent ? mem_cgroup_from_css(memcg->css.parent) : NULL;
}

bool css_tryget_online(struct cgroup_subsys_state *css);
void css_get(struct cgroup_subsys_state *css);
void css_put(struct cgroup_subsys_state *css);

/* In pre-order; the one that is returned is referenced until the next call. */
struct mem_cgroup *mem_cgroup_iter(struct mem_cgroup *root,
				   struct mem_cgroup *prev, void *cookie);
bool mem_cgroup_is_descendant(struct mem_cgroup *memcg, struct mem_cgroup *root);
void mem_cgroup_calculate_protection(struct mem_cgroup *root,
				     struct mem_cgroup *memcg);
bool mem_cgroup_below_min(struct mem_cgroup *target, struct mem_cgroup *memcg);
bool mem_cgroup_below_low(struct mem_cgroup *target, struct mem_cgroup *memcg);

static inline struct lruvec *mem_cgroup_lruvec(struct mem_cgroup *memcg,
					       struct pglist_data *pgdat)
{
	return &memcg->lruvec[pgdat->node_id];
}

static inline struct mem_cgroup *lruvec_memcg(struct lruvec *lruvec)
{
	return lruvec->memcg;
}

#define WORKINGSET_REFAULT_FILE 0
#define mem_cgroup_flush_stats(memcg) ((void)(memcg))
#define memcg_page_state(memcg, item) ((void)(memcg), 0UL)

bool obj_cgroup_tryget(struct obj_cgroup *objcg);
void obj_cgroup_put(struct obj_cgroup *objcg);
int obj_cgroup_charge(struct obj_cgroup *objcg, gfp_t gfp, size_t size);
void obj_cgroup_uncharge(struct obj_cgroup *objcg, size_t size);

/* Allocations are charged to nobody but by obj_cgroup_charge(). */

#define memalloc_noreclaim_save() 0u
#define memalloc_noreclaim_restore(flags) ((void)(flags))

#define OBJEXTS_FLAGS_MASK 3UL

#endif
