/* SPDX-License-Identifier: GPL-2.0 */
/* What files with kfuncs share. */
#ifndef _MM_CACHE_EXT_KFUNCS_H
#define _MM_CACHE_EXT_KFUNCS_H

#include <linux/btf.h>
#include "cache_ext.h"
#include "glue.h"

/*
 * The policy that a program is of. In init and exit there is none yet, or any
 * more; or it is one that is replaced, or replaces. Caller: rcu_read_lock().
 */
static inline struct cache_ext_policy *
cache_ext_own_policy(struct mem_cgroup *memcg)
{
	struct cache_ext_policy *p = cache_ext_policy_of(memcg);

	return p && p->memcg == memcg ? p : NULL;
}

/*
 * The node of a folio, unless its policy ends: teardown goes through its lists
 * once. Other policies' programs may meet it: a folio that they hold may have
 * become one of that policy's. Caller: rcu_read_lock().
 */
static inline struct cache_ext_node *cache_ext_live_node(struct folio *folio)
{
	struct cache_ext_node *node = cache_ext_node_find_hinted(folio);

	if (!node || unlikely(READ_ONCE(cnode_policy(node)->dead)))
		return NULL;
	return node;
}

#endif /* _MM_CACHE_EXT_KFUNCS_H */
