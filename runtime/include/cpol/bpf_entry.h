/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The struct_ops programs of a policy, and the map that makes a policy of them: included at the end of generated C, after
 * the handlers. Each program builds the context and calls its handler.
 */
#ifndef CPOL_BPF_ENTRY_H
#define CPOL_BPF_ENTRY_H

#include "cpol/bpf.h"

#define CPOL_PROGRAM_(section, result, name) SEC(section) result name(const u64 *ctx)
#define CPOL_PROGRAM(member) CPOL_PROGRAM_("struct_ops/" #member, void, cpol_##member)

#if CPOL_HAS_META
#define CPOL_RECORD_SIZE sizeof(struct cpol_meta)
#else
#define CPOL_RECORD_SIZE 0
#endif

/* The map of the policy, as libbpf and bpftool call it. */
#ifndef CPOL_MAP_NAME
#define CPOL_MAP_NAME policy
#endif

CPOL_PROGRAM_("struct_ops.s/init", s32, cpol_init)
{
	cpol_ctx c = { .memcg = (struct mem_cgroup *)ctx[0] };

	for (int i = 0; i < CPOL_N_LISTS; i++)
		if (bpf_cache_ext_list_create(c.memcg) != i)
			return -22;
#if CPOL_HAS_INIT
	cpol_on_init(&c);
#endif
	return 0;
}

CPOL_PROGRAM(folio_added)
{
	cpol_folio f = (cpol_folio)ctx[0];
	cpol_ctx c = { .memcg = (struct mem_cgroup *)ctx[1] };

#if CPOL_HAS_META
	c.record = cpol_look_up(f);
	if (c.record)
		cpol_meta_init(c.record);
	c.folio = f;
#endif
	cpol_on_added(&c, f);
}

#if CPOL_HAS_TOUCHED
CPOL_PROGRAM(folio_accessed)
{
	cpol_folio f = (cpol_folio)ctx[0];
	cpol_ctx c = { .memcg = (struct mem_cgroup *)ctx[1] };

	c.record = cpol_look_up(f);
	if (!c.record)
		return;
	c.folio = f;
	if (!c.record->cpol_touched) {
		c.record->cpol_touched = 1;
#if CPOL_HAS_FIRST_ACCESSED
		cpol_on_first_accessed(&c, f);
#endif
		return;
	}
#if CPOL_HAS_ACCESSED
	cpol_on_accessed(&c, f);
#endif
}
#endif

#if CPOL_HAS_REMOVED
CPOL_PROGRAM(folio_removed)
{
	cpol_folio f = (cpol_folio)ctx[0];
	cpol_ctx c = { .memcg = (struct mem_cgroup *)ctx[1] };

	cpol_on_removed(&c, f, (u32)ctx[2]);
}
#endif

CPOL_PROGRAM(evict_folios)
{
	cpol_ctx c = { .memcg = (struct mem_cgroup *)ctx[1], .evict = (struct cache_ext_evict_ctx *)ctx[0] };

	cpol_on_evict(&c);
}

#define CPOL_NAME_AT(i) ((i) < sizeof(CPOL_POLICY) ? CPOL_POLICY[i] : 0)

/* Its name is cut to 15 characters. The loader sets cgroup_id. */
SEC(".struct_ops.link") struct cache_ext_ops CPOL_MAP_NAME = {
	.init = (void *)cpol_init,
	.folio_added = (void *)cpol_folio_added,
#if CPOL_HAS_TOUCHED
	.folio_accessed = (void *)cpol_folio_accessed,
#endif
#if CPOL_HAS_REMOVED
	.folio_removed = (void *)cpol_folio_removed,
#endif
	.evict_folios = (void *)cpol_evict_folios,
	.folio_data_size = CPOL_RECORD_SIZE,
	.name = { CPOL_NAME_AT(0), CPOL_NAME_AT(1), CPOL_NAME_AT(2), CPOL_NAME_AT(3), CPOL_NAME_AT(4), CPOL_NAME_AT(5),
		  CPOL_NAME_AT(6), CPOL_NAME_AT(7), CPOL_NAME_AT(8), CPOL_NAME_AT(9), CPOL_NAME_AT(10), CPOL_NAME_AT(11),
		  CPOL_NAME_AT(12), CPOL_NAME_AT(13), CPOL_NAME_AT(14) },
};

const char cpol_license[] SEC("license") = "GPL";

#endif
