// SPDX-License-Identifier: GPL-2.0
/*
 * A kernel whose swap is not that which prefetch_ext knows (tests/swap_cgroup_ids.c):
 * the module is built without prefetching, swap-out and ranges. BPF has no struct_ops
 * type prefetch_ext_ops then, and /proc no file of that name.
 */
#include <linux/btf.h>
#include <linux/module.h>
#include "glue.h"
#include "module.h"
#include "policies.h"

int __init cache_ext_glue_kfuncs(const struct btf_kfunc_id_set *set)
{
	return register_btf_kfunc_id_set(BPF_PROG_TYPE_STRUCT_OPS, set);
}

bool cache_ext_prefetches(struct mem_cgroup *memcg)
{
	return false;
}

/* By its name in BTF, cpolc tells such a module from one that can prefetch. */
static struct cache_ext_without_prefetch {
	bool told;
} without;

int __init cache_ext_prefetch_init(void)
{
	without.told = true;
	pr_info("cache_ext: policies can evict; this kernel's swap is none that they can prefetch from\n");
	return 0;
}

void cache_ext_prefetch_exit(void)
{
}
