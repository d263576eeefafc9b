/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What kernels differ in: the cgroup that any folio is charged to, without a lock, or NULL;
 * whom kernel memory of a cgroup is charged to, or NULL; the parent of a node of kernfs. For
 * a module, those of its kernel are there already. Callers: rcu_read_lock().
 */
#ifndef _MM_POLICY_EXT_MEMCG_H
#define _MM_POLICY_EXT_MEMCG_H

#include <linux/memcontrol.h>
#include <linux/pagemap.h>

#ifndef MODULE
static __always_inline struct mem_cgroup *policy_ext_memcg_of(struct folio *folio)
{
	unsigned long data = READ_ONCE(folio->memcg_data);

	/* Of kernel memory, which processes may have mapped, it is tagged. */
	return data & OBJEXTS_FLAGS_MASK ? NULL : (struct mem_cgroup *)data;
}

static inline struct obj_cgroup *policy_ext_objcg_of(struct mem_cgroup *memcg)
{
	return rcu_dereference(memcg->objcg);
}

#define policy_ext_kernfs_parent(kn)	((kn)->parent)
#endif

#endif /* _MM_POLICY_EXT_MEMCG_H */
