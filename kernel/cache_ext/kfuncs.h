/* SPDX-License-Identifier: GPL-2.0 */
/* What kfuncs.c and iter.c share. */
#ifndef _MM_CACHE_EXT_KFUNCS_H
#define _MM_CACHE_EXT_KFUNCS_H

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

#endif /* _MM_CACHE_EXT_KFUNCS_H */
