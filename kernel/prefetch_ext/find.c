// SPDX-License-Identifier: GPL-2.0
/* The policy that governs a process: the glue knows that of its cgroup. */
#include <linux/cgroup.h>
#include <linux/xarray.h>
#include "prefetch_ext.h"
#include "glue.h"

DEFINE_PER_CPU(struct prefetch_ext_policy *, prefetch_ext_running);

/* By number, from 1 on: what may be looked up later is kept as a number. */
static DEFINE_XARRAY_ALLOC1(numbers);

/* Caller: prefetch_ext_mutex, and must not reclaim (PF_MEMALLOC). 0, or an error. */
int prefetch_ext_find_add(struct prefetch_ext_policy *p)
{
	int err = xa_alloc(&numbers, &p->id, p,
			   XA_LIMIT(1, PREFETCH_EXT_MAX_ID), GFP_KERNEL);

	return err == -EBUSY ? -ENOSPC : err;
}

/* A grace period later it may be freed. Its number stays taken. */
void prefetch_ext_find_del(struct prefetch_ext_policy *p)
{
	xa_store(&numbers, p->id, NULL, GFP_KERNEL);
}

/* Its number may be that of another policy. */
void prefetch_ext_find_free(struct prefetch_ext_policy *p)
{
	xa_erase(&numbers, p->id);
}

/* Caller: rcu_read_lock(). */
struct prefetch_ext_policy *prefetch_ext_policy_of_id(u32 id)
{
	return xa_load(&numbers, id);
}

/* @task may be gone; NULL: then none governs. */
static struct prefetch_ext_policy *of_task(struct task_struct *task)
{
	struct prefetch_ext_policy *p;

	if (!task || mem_cgroup_disabled())
		return NULL;
	p = prefetch_ext_policy_of(mem_cgroup_from_css(task_css(task,
								memory_cgrp_id)));
	return p && !READ_ONCE(p->life.dead) ? p : NULL;
}

/*
 * The policy that governs the owner of @mm, or NULL. Caller: rcu_read_lock(), until
 * its programs that the caller runs have ended.
 */
struct prefetch_ext_policy *prefetch_ext_of_mm(struct mm_struct *mm)
{
	return of_task(rcu_dereference(mm->owner));
}

/* The same of the current task. */
struct prefetch_ext_policy *prefetch_ext_of_current(void)
{
	return of_task(current);
}

/*
 * Is @memcg that of @p, or below, and no other policy nearer to it? @p may have ended, or
 * been replaced: then it governs what it would govern still. Caller: rcu_read_lock().
 */
bool prefetch_ext_governs(const struct prefetch_ext_policy *p,
			  struct mem_cgroup *memcg)
{
	const struct prefetch_ext_policy *nearest = prefetch_ext_policy_of(memcg);

	if (likely(nearest == p))
		return true;
	return memcg && mem_cgroup_is_descendant(memcg, p->life.memcg) &&
	       (!nearest || mem_cgroup_is_descendant(p->life.memcg, nearest->life.memcg));
}

/* Is @folio charged to such a cgroup? Caller: keeps it charged. */
bool prefetch_ext_governs_folio(const struct prefetch_ext_policy *p,
				struct folio *folio)
{
	bool ret;

	rcu_read_lock();
	ret = prefetch_ext_governs(p, folio_memcg(folio));
	rcu_read_unlock();
	return ret;
}
