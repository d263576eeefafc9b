// SPDX-License-Identifier: GPL-2.0
/*
 * A kernel whose swap is not that which prefetch_ext knows (tests/swap_cgroup_ids.c):
 * the module is built without prefetching, swap-out and ranges. BPF has no struct_ops
 * type prefetch_ext_ops then, and /proc no file of that name.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/module.h>
#include "cache_ext.h"
#include "glue.h"
#include "module.h"
#include "policies.h"

static const struct btf_kfunc_id_set *evictions;

/* BPF asks of no kfuncs but those of this module. */
static int filter(const struct bpf_prog *prog, u32 id)
{
	if (!cache_ext_is_ours(prog))
		return -EACCES;
	id = cache_ext_built_kfunc_id(prog->aux->attach_btf, id);
	return btf_id_set8_contains(evictions->set, id) ?
		       evictions->filter(prog, id) : -EACCES;
}

int __init cache_ext_glue_kfuncs(const struct btf_kfunc_id_set *set)
{
	struct btf_kfunc_id_set filtered = *set;

	evictions = set;
	filtered.filter = filter;
	return register_btf_kfunc_id_set(BPF_PROG_TYPE_STRUCT_OPS, &filtered);
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
