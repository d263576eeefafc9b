// SPDX-License-Identifier: GPL-2.0
/* Which cgroup has which policy: a table beside the cgroups. */
#include <linux/cgroup.h>
#include <linux/hashtable.h>
#include "cache_ext.h"
#include "glue.h"
#include "policies.h"
#include "governed.h"

/* By memcg. Readers: RCU. Writers: cache_ext_mutex. */
static DEFINE_HASHTABLE(policies, CACHE_EXT_TABLE_BITS);
static_assert(CACHE_EXT_MAX_POLICIES <= CACHE_EXT_TABLE_MOST);

static struct cache_ext_policy *own_policy(struct mem_cgroup *memcg)
{
	struct cache_ext_policy *p;

	hash_for_each_possible_rcu(policies, p, glue_link, (unsigned long)memcg,
				   lockdep_is_held(&cache_ext_mutex))
		if (p->life.memcg == memcg)
			return p;
	return NULL;
}

/* A stock kernel's mem_cgroup has no room for the policy that governs it. */
struct cache_ext_policy *cache_ext_policy_of(struct mem_cgroup *memcg)
{
	struct cache_ext_policy *p = NULL;

	for (; memcg && !p; memcg = parent_mem_cgroup(memcg))
		p = own_policy(memcg);
	return p;
}

bool cache_ext_governs(struct mem_cgroup *memcg)
{
	bool ret;

	rcu_read_lock();
	ret = memcg && cache_ext_policy_of(memcg);
	rcu_read_unlock();
	return ret;
}

/*
 * A policy that went is freed after a grace period (see teardown in detach.c). Any
 * cgroup may get some below it without our being told: all policies look at the
 * cgroup of a folio before it is proposed.
 */
void cache_ext_glue_publish(struct mem_cgroup *memcg,
			    struct cache_ext_policy *p)
{
	struct cache_ext_policy *old;

	lockdep_assert_held(&cache_ext_mutex);
	old = own_policy(memcg);
	cache_ext_change_begin(CACHE_EXT_LOOKUP_EVICTION);
	if (p) {
		WRITE_ONCE(p->subtree, true);
		hash_add_rcu(policies, &p->glue_link, (unsigned long)memcg);
	}
	/* After the new one: there is always one if there was one. */
	if (old)
		hash_del_rcu(&old->glue_link);
	cache_ext_change_end(CACHE_EXT_LOOKUP_EVICTION);
}

unsigned long cache_ext_glue_file_pages(struct mem_cgroup *memcg)
{
	struct mem_cgroup *pos = NULL;
	unsigned long nr = 0;
	bool governed;
	int nid;

	mem_cgroup_flush_stats(memcg);
	while ((pos = mem_cgroup_iter(memcg, pos, NULL))) {
		rcu_read_lock();
		governed = cache_ext_policy_of(pos) == own_policy(memcg);
		rcu_read_unlock();
		if (!governed)
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

/* Policies of cgroups that are being removed end; their links stay, inert. */
void cache_ext_reap(struct policy_ext_type *type)
{
	struct cgroup_subsys_state *css;
	struct policy_ext_life *l;

	do {
		css = NULL;
		mutex_lock(type->lock);
		list_for_each_entry(l, type->all, all) {
			if (!l->gone && (l->memcg->css.flags & CSS_DYING)) {
				css = &l->memcg->css;
				css_get(css);
				break;
			}
		}
		mutex_unlock(type->lock);
		if (css) {
			policy_ext_offline(type, mem_cgroup_from_css(css));
			css_put(css);
		}
	} while (css);
}
