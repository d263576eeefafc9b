// SPDX-License-Identifier: GPL-2.0
/*
 * The glue on a kernel with the cache_ext patches: mem_cgroup has a pointer to
 * its policy, hooks are behind a static key, and vmscan.c reclaims a list of
 * folios with the scan_control of the reclaim that asked.
 */
#include <linux/cgroup.h>
#include <linux/swap.h>
#include "../internal.h"
#include "cache_ext.h"
#include "glue.h"

/*
 * On while any policy is attached, and some seconds more: replacing a policy by
 * another is not worth patching the kernel's text twice.
 */
DEFINE_STATIC_KEY_DEFERRED_FALSE(cache_ext_key, 5 * HZ);

int __init cache_ext_glue_init(void)
{
	return 0;
}

int __init cache_ext_glue_started(void)
{
	return 0;
}

void cache_ext_glue_stops(void)
{
}

void cache_ext_glue_exit(void)
{
}

int __init cache_ext_glue_kfuncs(const struct btf_kfunc_id_set *set)
{
	return register_btf_kfunc_id_set(BPF_PROG_TYPE_STRUCT_OPS, set);
}

const struct bpf_prog *cache_ext_glue_prog(const void *kdata, u32 member)
{
	return bpf_struct_ops_member_prog(kdata, member);
}

bool cache_ext_governs(struct mem_cgroup *memcg)
{
	bool ret;

	rcu_read_lock();
	ret = memcg && cache_ext_policy_of(memcg);
	rcu_read_unlock();
	return ret;
}

#ifdef CONFIG_CACHE_EXT_HIERARCHY
static struct cache_ext_policy *of_locked(struct mem_cgroup *memcg)
{
	return rcu_dereference_protected(memcg->cache_ext,
					 lockdep_is_held(&cache_ext_mutex));
}

/*
 * Each mem_cgroup points to the policy that governs it, so that hooks need not
 * climb. A new policy is set in all cgroups below that no nearer one governs; a
 * policy that goes leaves them to that of its parent. Removed cgroups that still
 * have folios are among them. One that is being created either is seen here, or
 * sees what is done here in __cache_ext_memcg_online().
 */
void cache_ext_glue_publish(struct mem_cgroup *memcg,
			    struct cache_ext_policy *p)
{
	struct mem_cgroup *parent = parent_mem_cgroup(memcg), *pos = NULL;
	struct cache_ext_policy *old = of_locked(memcg);
	struct cache_ext_policy *heir = parent ? of_locked(parent) : NULL;

	while ((pos = mem_cgroup_iter(memcg, pos, NULL))) {
		struct cache_ext_policy *cur = of_locked(pos);

		cond_resched();
		/* @old, or what a cgroup got while this one's had none. */
		if (cur == old)
			rcu_assign_pointer(pos->cache_ext, p ?: heir);
		else
			continue;
		if (pos != memcg && p)
			WRITE_ONCE(p->subtree, true);
	}
	if (!p && heir)
		WRITE_ONCE(heir->subtree, true);
}

void __cache_ext_memcg_online(struct mem_cgroup *memcg)
{
	struct mem_cgroup *parent = parent_mem_cgroup(memcg);
	struct cache_ext_policy *p;

	if (!parent)
		return;
	mutex_lock(&cache_ext_mutex);
	p = of_locked(parent);
	rcu_assign_pointer(memcg->cache_ext, p);
	if (p)
		WRITE_ONCE(p->subtree, true);
	mutex_unlock(&cache_ext_mutex);
}
#else
void cache_ext_glue_publish(struct mem_cgroup *memcg,
			    struct cache_ext_policy *p)
{
	rcu_assign_pointer(memcg->cache_ext, p);
}
#endif

int cache_ext_glue_enable(void)
{
	static_branch_deferred_inc(&cache_ext_key);
	return 0;
}

void cache_ext_glue_disable(void)
{
	static_branch_slow_dec_deferred(&cache_ext_key);
}

bool cache_ext_glue_splits_early(void)
{
	return false;
}

#ifdef CONFIG_CACHE_EXT_ADMIT
/* On while a policy with admit_folio is attached, and some seconds more. */
DEFINE_STATIC_KEY_DEFERRED_FALSE(cache_ext_admit_key, 5 * HZ);

u32 cache_ext_glue_abilities(void)
{
	return CACHE_EXT_CAN_ADMIT;
}

void cache_ext_glue_admit_enable(void)
{
	static_branch_deferred_inc(&cache_ext_admit_key);
}

void cache_ext_glue_admit_disable(void)
{
	static_branch_slow_dec_deferred(&cache_ext_admit_key);
}

bool cache_ext_glue_drop(struct folio *folio)
{
	return cache_ext_drop_folio(folio);
}
#else
u32 cache_ext_glue_abilities(void)
{
	return 0;
}

void cache_ext_glue_admit_enable(void)
{
}

void cache_ext_glue_admit_disable(void)
{
}
#endif

#ifdef CONFIG_CACHE_EXT_PIN
/* On while a policy that may pin is attached, and some seconds more. */
DEFINE_STATIC_KEY_DEFERRED_FALSE(cache_ext_pin_key, 5 * HZ);

int cache_ext_glue_pin_enable(void)
{
	static_branch_deferred_inc(&cache_ext_pin_key);
	return 0;
}

void cache_ext_glue_pin_disable(void)
{
	static_branch_slow_dec_deferred(&cache_ext_pin_key);
}
#else
int cache_ext_glue_pin_enable(void)
{
	return -EOPNOTSUPP;
}

void cache_ext_glue_pin_disable(void)
{
}
#endif

bool cache_ext_glue_isolate(struct folio *folio)
{
	return folio_isolate_lru(folio);
}

#ifdef CONFIG_CACHE_EXT_RECLAIM
unsigned long cache_ext_glue_reclaim_own(struct cache_ext_policy *p, int nid,
					 unsigned long nr)
{
	return cache_ext_reclaim_own(p->life.memcg, p, nid, nr);
}
#endif

bool cache_ext_glue_mglru(void)
{
	return lru_gen_enabled();
}

unsigned long cache_ext_glue_reclaim(struct cache_ext_shrink *s,
				     struct list_head *folios)
{
	return cache_ext_reclaim_folios(s, folios);
}

void cache_ext_glue_putback(struct cache_ext_shrink *s,
			    struct list_head *folios)
{
	cache_ext_putback_folios(s, folios);
}

void cache_ext_glue_walk(struct mem_cgroup *memcg,
			 void (*fn)(struct folio *folio))
{
	struct mem_cgroup *pos = NULL;
	int nid;

	while ((pos = mem_cgroup_iter(memcg, pos, NULL)))
		for_each_online_node(nid)
			cache_ext_walk_lru(mem_cgroup_lruvec(pos, NODE_DATA(nid)),
					   fn);
}

unsigned long cache_ext_glue_file_pages(struct mem_cgroup *memcg)
{
	struct mem_cgroup *pos = NULL;
	unsigned long nr = 0;
	int nid;

	mem_cgroup_flush_stats(memcg);
	while ((pos = mem_cgroup_iter(memcg, pos, NULL))) {
		if (rcu_access_pointer(pos->cache_ext) !=
		    rcu_access_pointer(memcg->cache_ext))
			continue;
		for_each_online_node(nid) {
			struct lruvec *lruvec = mem_cgroup_lruvec(pos,
							NODE_DATA(nid));

			nr += lruvec_page_state_local(lruvec, NR_FILE_PAGES);
			nr -= lruvec_page_state_local(lruvec, NR_SHMEM);
		}
	}
	return nr;
}
