/* SPDX-License-Identifier: GPL-2.0 */
/* To which cgroup a folio is charged, and who pays for what a policy allocates. */
#ifndef _CACHE_EXT_COMPAT_CHARGE_H
#define _CACHE_EXT_COMPAT_CHARGE_H

#include <linux/memcontrol.h>

/*
 * Of any folio, without a lock; NULL: none, or it is not memory of a process or file.
 * Caller: rcu_read_lock(), or preemption is off.
 */
static __always_inline struct mem_cgroup *policy_ext_memcg_of(struct folio *folio)
{
	unsigned long data = READ_ONCE(folio->memcg_data);

	/* Of kernel memory, which processes may have mapped, it is tagged. */
	if (!data || data & OBJEXTS_FLAGS_MASK)
		return NULL;
#ifdef STOCK_FOLIO_OBJCG
	return READ_ONCE(((struct obj_cgroup *)data)->memcg);
#else
	return (struct mem_cgroup *)data;
#endif
}

/*
 * Whom kernel memory of @memcg is charged to; NULL: nobody. Where that is told for each
 * node, the first one's will do: it is about the cgroup that pays. Caller:
 * rcu_read_lock().
 */
static inline struct obj_cgroup *policy_ext_objcg_of(struct mem_cgroup *memcg)
{
#if defined(STOCK_OBJCG_OF_MEMCG)
	return rcu_dereference(memcg->objcg);
#elif defined(STOCK_OBJCG_PER_NODE)
	return rcu_dereference(memcg->nodeinfo[first_online_node]->objcg);
#else
#error "cache_ext: in this kernel the module does not know where a cgroup's obj_cgroup is"
#endif
}

/*
 * Do folios of a removed cgroup become its parent's at once, while its policy still
 * has nodes for them?
 */
#ifdef STOCK_FOLIO_OBJCG
#define STOCK_REPARENTS		true
#else
#define STOCK_REPARENTS		false
#endif

#endif /* _CACHE_EXT_COMPAT_CHARGE_H */
