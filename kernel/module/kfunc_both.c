// SPDX-License-Identifier: GPL-2.0
/* The kfuncs of both cores, made known to BPF. */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include "cache_ext.h"
#include "glue.h"
#include "module.h"
#include "prefetch_ext/glue.h"
#include "prefetch_ext/prefetch_ext.h"

/*
 * A module registers its kfuncs for a type of programs once: those of both types of
 * policies are one set.
 */
static const struct btf_kfunc_id_set *evictions, *prefetches;

int __init cache_ext_glue_kfuncs(const struct btf_kfunc_id_set *set)
{
	evictions = set;
	return 0;
}

/* BPF asks of no kfuncs but those of this module. */
static int filter_both(const struct bpf_prog *prog, u32 id)
{
	if (!cache_ext_is_ours(prog) && !prefetch_ext_is_ours(prog))
		return -EACCES;
	id = cache_ext_built_kfunc_id(prog->aux->attach_btf, id);
	if (!btf_id_set8_contains(evictions->set, id) &&
	    !btf_id_set8_contains(prefetches->set, id))
		return -EACCES;
	return evictions->filter(prog, id) ?: prefetches->filter(prog, id);
}

static int __init by_id(const void *a, const void *b)
{
	const u32 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

int __init prefetch_ext_glue_kfuncs(const struct btf_kfunc_id_set *set)
{
	u32 nr = evictions->set->cnt;
	struct btf_id_set8 *both;
	struct btf_kfunc_id_set all = {
		.owner = THIS_MODULE,
		.filter = filter_both,
	};
	int err;

	both = kzalloc(struct_size(both, pairs, nr + set->set->cnt), GFP_KERNEL);
	if (!both)
		return -ENOMEM;
	both->flags = evictions->set->flags;
	both->cnt = nr + set->set->cnt;
	memcpy(both->pairs, evictions->set->pairs, nr * sizeof(both->pairs[0]));
	memcpy(both->pairs + nr, set->set->pairs,
	       set->set->cnt * sizeof(both->pairs[0]));
	/* As BPF looks them up. */
	sort(both->pairs, both->cnt, sizeof(both->pairs[0]), by_id, NULL);
	prefetches = set;
	all.set = both;
	err = register_btf_kfunc_id_set(BPF_PROG_TYPE_STRUCT_OPS, &all);
	/* BPF has made a copy. */
	kfree(both);
	return err;
}
