// SPDX-License-Identifier: GPL-2.0
/*
 * The glue on a kernel with the prefetch_ext patches: mem_cgroup has a pointer to its
 * policy, hooks are behind a static key.
 */
#include "prefetch_ext.h"
#include "glue.h"

/* On while any policy is attached, and some seconds more. */
DEFINE_STATIC_KEY_DEFERRED_FALSE(prefetch_ext_key, 5 * HZ);
/* The same while a policy has programs for opened files or ranges. */
DEFINE_STATIC_KEY_DEFERRED_FALSE(prefetch_ext_ranges_key, 5 * HZ);
EXPORT_SYMBOL(prefetch_ext_ranges_key);
/* The same while a policy has a program for swap-out. */
DEFINE_STATIC_KEY_DEFERRED_FALSE(prefetch_ext_swap_out_key, 5 * HZ);
/* On while a policy prefetches, which counts pages that are used or go. */
DEFINE_STATIC_KEY_DEFERRED_FALSE(prefetch_ext_marks_key, 5 * HZ);

int __init prefetch_ext_glue_kfuncs(const struct btf_kfunc_id_set *set)
{
	return register_btf_kfunc_id_set(BPF_PROG_TYPE_STRUCT_OPS, set);
}

const struct bpf_prog *prefetch_ext_glue_prog(const void *kdata, u32 member)
{
	return bpf_struct_ops_member_prog(kdata, member);
}

static struct prefetch_ext_policy *of_locked(struct mem_cgroup *memcg)
{
	return rcu_dereference_protected(memcg->prefetch_ext,
					 lockdep_is_held(&prefetch_ext_mutex));
}

/*
 * Each mem_cgroup points to the policy that governs it: hooks of reads are too many to
 * climb. @heir comes to @memcg and all below that @old has. Removed cgroups that still
 * have folios are among them. One that is being created either is seen here, or sees
 * what is done here in __prefetch_ext_memcg_online().
 */
static void inherit(struct mem_cgroup *memcg, struct prefetch_ext_policy *old,
		    struct prefetch_ext_policy *heir)
{
	struct mem_cgroup *pos = NULL;

	while ((pos = mem_cgroup_iter(memcg, pos, NULL))) {
		cond_resched();
		if (of_locked(pos) == old)
			rcu_assign_pointer(pos->prefetch_ext, heir);
	}
}

void prefetch_ext_glue_publish(struct prefetch_ext_policy *p)
{
	inherit(p->life.memcg, of_locked(p->life.memcg), p);
}

void prefetch_ext_glue_hide(struct prefetch_ext_policy *p)
{
	struct mem_cgroup *parent = parent_mem_cgroup(p->life.memcg);

	inherit(p->life.memcg, p, parent ? of_locked(parent) : NULL);
}

void __prefetch_ext_memcg_online(struct mem_cgroup *memcg)
{
	struct mem_cgroup *parent = parent_mem_cgroup(memcg);

	if (!parent)
		return;
	mutex_lock(&prefetch_ext_mutex);
	rcu_assign_pointer(memcg->prefetch_ext, of_locked(parent));
	mutex_unlock(&prefetch_ext_mutex);
}

void prefetch_ext_glue_hold(void)
{
}

void prefetch_ext_glue_release(void)
{
}

int prefetch_ext_glue_enable(u32 more)
{
	static_branch_deferred_inc(&prefetch_ext_key);
	if (more & PREFETCH_EXT_HOOKS_RANGES)
		static_branch_deferred_inc(&prefetch_ext_ranges_key);
	if (more & PREFETCH_EXT_HOOKS_SWAP_OUT)
		static_branch_deferred_inc(&prefetch_ext_swap_out_key);
	if (more & PREFETCH_EXT_HOOKS_MARKS)
		static_branch_deferred_inc(&prefetch_ext_marks_key);
	return 0;
}

void prefetch_ext_glue_disable(u32 more)
{
	if (more & PREFETCH_EXT_HOOKS_MARKS)
		static_branch_slow_dec_deferred(&prefetch_ext_marks_key);
	if (more & PREFETCH_EXT_HOOKS_SWAP_OUT)
		static_branch_slow_dec_deferred(&prefetch_ext_swap_out_key);
	if (more & PREFETCH_EXT_HOOKS_RANGES)
		static_branch_slow_dec_deferred(&prefetch_ext_ranges_key);
	static_branch_slow_dec_deferred(&prefetch_ext_key);
}
