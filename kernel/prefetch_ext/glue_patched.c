// SPDX-License-Identifier: GPL-2.0
/* The glue on a kernel with the prefetch_ext patches: hooks behind a static key. */
#include "prefetch_ext.h"
#include "glue.h"

/* On while any policy is attached, and some seconds more. */
DEFINE_STATIC_KEY_DEFERRED_FALSE(prefetch_ext_key, 5 * HZ);
/* The same for one that wants to know of opened files and of ranges. */
DEFINE_STATIC_KEY_DEFERRED_FALSE(prefetch_ext_ranges_key, 5 * HZ);
EXPORT_SYMBOL(prefetch_ext_ranges_key);
/* And for one that is asked before folios are swapped out. */
DEFINE_STATIC_KEY_DEFERRED_FALSE(prefetch_ext_swap_out_key, 5 * HZ);

int __init prefetch_ext_glue_kfuncs(const struct btf_kfunc_id_set *set)
{
	return register_btf_kfunc_id_set(BPF_PROG_TYPE_STRUCT_OPS, set);
}

const struct bpf_prog *prefetch_ext_glue_prog(const void *kdata, u32 member)
{
	return bpf_struct_ops_member_prog(kdata, member);
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
	return 0;
}

void prefetch_ext_glue_disable(u32 more)
{
	if (more & PREFETCH_EXT_HOOKS_SWAP_OUT)
		static_branch_slow_dec_deferred(&prefetch_ext_swap_out_key);
	if (more & PREFETCH_EXT_HOOKS_RANGES)
		static_branch_slow_dec_deferred(&prefetch_ext_ranges_key);
	static_branch_slow_dec_deferred(&prefetch_ext_key);
}
