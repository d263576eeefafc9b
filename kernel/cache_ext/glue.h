/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the core needs of the kernel that it runs in. glue_patched.c
 * gives it on a kernel with the cache_ext patches, ../module/ on a stock kernel.
 */
#ifndef _MM_CACHE_EXT_GLUE_H
#define _MM_CACHE_EXT_GLUE_H

#include <linux/memcontrol.h>
#include <linux/page_counter.h>
#include "../policy_ext/policy_ext.h"

struct bpf_prog;
struct btf_kfunc_id_set;
struct cache_ext_policy;
struct cache_ext_shrink;
struct folio;
struct list_head;
struct mem_cgroup;

/*
 * The policy that governs this cgroup, or NULL: its own, or the nearest
 * ancestor's if the glue can do that. Caller: rcu_read_lock().
 */
#ifndef MODULE
static inline struct cache_ext_policy *
cache_ext_policy_of(struct mem_cgroup *memcg)
{
	return rcu_dereference(memcg->cache_ext);
}
#else
struct cache_ext_policy *cache_ext_policy_of(struct mem_cgroup *memcg);
#endif

/*
 * The program behind a member of the ops @kdata, as long as these are attached;
 * or NULL: the member is empty, or is to be called through @kdata.
 */
const struct bpf_prog *cache_ext_glue_prog(const void *kdata, u32 member);

/*
 * Make hooks and reclaim see @p in the cgroup, or no policy of its own any more.
 * If cgroups below are governed too, set policy->subtree. Caller:
 * cache_ext_mutex.
 */
void cache_ext_glue_publish(struct mem_cgroup *memcg,
			    struct cache_ext_policy *p);

/*
 * Before anything else; when all but the type is there; and after everything else
 * (of a module).
 */
int cache_ext_glue_init(void);
int cache_ext_glue_started(void);
void cache_ext_glue_exit(void);
/* Before all else goes; returns when nobody uses the module. */
void cache_ext_glue_stops(void);

/* Make the kfuncs known to BPF, for struct_ops programs. */
int cache_ext_glue_kfuncs(const struct btf_kfunc_id_set *set);

/* Switch hooks on or off; counted. May sleep, no lock of ours held. */
int cache_ext_glue_enable(void);
void cache_ext_glue_disable(void);

/* Is a split told before the parts are folios, under the same locks? */
bool cache_ext_glue_splits_early(void);

/*
 * Members of cache_ext_ops that this kernel cannot support are refused. The two for
 * folios that are not admitted are counted as those above.
 */
#define CACHE_EXT_CAN_ADMIT	1
u32 cache_ext_glue_abilities(void);
void cache_ext_glue_admit_enable(void);
void cache_ext_glue_admit_disable(void);

/* Have the kernel's own scans ask __cache_ext_keeps(); counted as those above. */
int cache_ext_glue_pin_enable(void);
void cache_ext_glue_pin_disable(void);

/*
 * Take @folio, which is locked and referenced, out of the page cache, regardless of
 * other references. False if that would lose data, or if the folio is in use: mapped,
 * dirty, under writeback, pinned.
 */
bool cache_ext_glue_drop(struct folio *folio);

/*
 * Take @folio, on which the caller has a reference, off the kernel's LRU. The
 * caller updates NR_ISOLATED_FILE.
 */
bool cache_ext_glue_isolate(struct folio *folio);

/*
 * Reclaim isolated folios with the context of the reclaim that asked. The
 * refused ones are left on @folios, still isolated.
 */
unsigned long cache_ext_glue_reclaim(struct cache_ext_shrink *s,
				     struct list_head *folios);
/*
 * Ask @p for @nr of its pages of a node, as a reclaim of its cgroup's limit would, with
 * nothing else; nothing if it governs no more. Returns how many went. May sleep, no lock of
 * ours held.
 */
unsigned long cache_ext_glue_reclaim_own(struct cache_ext_policy *p, int nid,
					 unsigned long nr);

/* Is it MGLRU that folios are on? */
bool cache_ext_glue_mglru(void);

/* Put isolated folios back on the kernel's LRU. */
void cache_ext_glue_putback(struct cache_ext_shrink *s,
			    struct list_head *folios);

/*
 * Show @fn the file folios of @memcg, and of those below if they are governed
 * too; of each cgroup first those that would go first. Caller: policy_ext_drain().
 */
void cache_ext_glue_walk(struct mem_cgroup *memcg,
			 void (*fn)(struct folio *folio));

/* File pages of @memcg, and of those below that its policy governs, as of now. */
unsigned long cache_ext_glue_file_pages(struct mem_cgroup *memcg);

/* Pages that the policy may own: the least limit, less what else is used. */
static inline u64 cache_ext_capacity(struct mem_cgroup *memcg,
				     unsigned long owned)
{
	unsigned long limit = policy_ext_limit(memcg);
	unsigned long usage = page_counter_read(&memcg->memory);
	unsigned long other = usage > owned ? usage - owned : 0;

	return limit > other ? limit - other : 0;
}

/* Refaults of file pages in @memcg and below it, ever, as of now. */
static inline unsigned long cache_ext_refaults(struct mem_cgroup *memcg)
{
	mem_cgroup_flush_stats(memcg);
	return memcg_page_state(memcg, WORKINGSET_REFAULT_FILE);
}

#endif /* _MM_CACHE_EXT_GLUE_H */
