// SPDX-License-Identifier: GPL-2.0
/*
 * Which cgroup has which prefetching policy. There is no room in a stock kernel's
 * mem_cgroup to note that: a table leads from cgroups to policies, and hooks climb.
 */
#include <linux/hashtable.h>
#include <linux/memcontrol.h>
#include "policies.h"
#include "prefetch_ext/prefetch_ext.h"
#include "prefetch_ext/glue.h"
#include "governed.h"

/* By memcg. Written under prefetch_ext_mutex, read under RCU. */
static DEFINE_HASHTABLE(policies, CACHE_EXT_TABLE_BITS);
static_assert(PREFETCH_EXT_MAX_ID <= CACHE_EXT_TABLE_MOST);

struct prefetch_ext_policy *prefetch_ext_policy_of(struct mem_cgroup *memcg)
{
	struct prefetch_ext_policy *p;

	for (; memcg; memcg = parent_mem_cgroup(memcg))
		hash_for_each_possible_rcu(policies, p, glue_link,
					   (unsigned long)memcg)
			if (p->life.memcg == memcg)
				return p;
	return NULL;
}

bool cache_ext_prefetches(struct mem_cgroup *memcg)
{
	bool ret;

	rcu_read_lock();
	ret = prefetch_ext_policy_of(memcg);
	rcu_read_unlock();
	return ret;
}

/* The first one counts: a new policy, in place of the old. */
void prefetch_ext_glue_publish(struct prefetch_ext_policy *p)
{
	cache_ext_change_begin(CACHE_EXT_LOOKUP_PREFETCHING);
	hash_add_rcu(policies, &p->glue_link, (unsigned long)p->life.memcg);
	cache_ext_change_end(CACHE_EXT_LOOKUP_PREFETCHING);
}

void prefetch_ext_glue_hide(struct prefetch_ext_policy *p)
{
	cache_ext_change_begin(CACHE_EXT_LOOKUP_PREFETCHING);
	hash_del_rcu(&p->glue_link);
	cache_ext_change_end(CACHE_EXT_LOOKUP_PREFETCHING);
}
