/* SPDX-License-Identifier: GPL-2.0 */
/* What files with kfuncs share: whose program is it that calls? */
#ifndef _MM_CACHE_EXT_KFUNCS_H
#define _MM_CACHE_EXT_KFUNCS_H

#include <linux/btf.h>
#include "cache_ext.h"
#include "glue.h"

/*
 * Is the program that calls a kfunc here one of @p's? Arguments do not tell: a folio
 * that a program holds may have become another policy's, and a cgroup may have two
 * policies for a moment. So each kfunc asks this, by one of the two below, or works on
 * the request that only the policy's own program has (request.h).
 *
 * Programs run without preemption under a hint that names their policy (hint.h). Where
 * RCU readers can be preempted evict_folios has none, but is the only one of its task.
 */
static inline bool cache_ext_is_caller(const struct cache_ext_policy *p)
{
	const struct cache_ext_node *hint = this_cpu_read(cache_ext_hint);

	if (likely(hint->policy))
		return hint->policy == p->kind.policy;
	return READ_ONCE(p->evicting) == current;
}

/* policy.c: of a folio that the program was not called for. */
struct cache_ext_node *cache_ext_own_other_node(struct folio *folio);

/*
 * The node of a folio, if the policy whose program calls has it; one that is being
 * removed, too. Caller: rcu_read_lock().
 */
static __always_inline struct cache_ext_node *
cache_ext_own_node(struct folio *folio)
{
	struct cache_ext_node *hint = this_cpu_read(cache_ext_hint);

	if (likely(READ_ONCE(hint->pfn) == folio_key(folio)))
		return hint;
	return cache_ext_own_other_node(folio);
}

/*
 * The same, unless the policy ends: teardown goes through its lists once. Caller:
 * rcu_read_lock().
 */
static inline struct cache_ext_node *cache_ext_live_node(struct folio *folio)
{
	struct cache_ext_node *node = cache_ext_own_node(folio);

	if (!node || unlikely(READ_ONCE(cnode_policy(node)->life.dead)))
		return NULL;
	return node;
}

/*
 * The policy whose program calls, if it is @memcg's, and does not end. Caller:
 * rcu_read_lock().
 */
static inline struct cache_ext_policy *
cache_ext_own_policy(struct mem_cgroup *memcg)
{
	struct cache_ext_policy *p = cnode_policy(this_cpu_read(cache_ext_hint));

	if (unlikely(!p)) {
		p = cache_ext_policy_of(memcg);
		if (p && !cache_ext_is_caller(p))
			p = NULL;
	}
	return p && p->life.memcg == memcg && !READ_ONCE(p->life.dead) ? p : NULL;
}

#endif /* _MM_CACHE_EXT_KFUNCS_H */
