/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The struct_ops programs of a policy, and the map that makes a policy of them: included at the end of generated C, where
 * the handlers are known (bpf.h says what must be defined). Each program builds the context and calls its handler.
 */
#ifndef CPOL_BPF_PROGRAMS_H
#define CPOL_BPF_PROGRAMS_H

#include "cpol/bpf.h"

#define CPOL_PROGRAM_(section, result, name) SEC(section) result name(const u64 *ctx)
#define CPOL_PROGRAM(member) CPOL_PROGRAM_("struct_ops/" #member, void, cpol_##member)

/* The record beside a folio's node. */
struct cpol_record {
#ifdef CPOL_HAS_META
	struct cpol_meta meta;
#endif
#ifdef CPOL_HAS_TOUCHED
	u8 touched; /* there was a first access */
#endif
};

#if defined(CPOL_HAS_META) || defined(CPOL_HAS_TOUCHED)
#define CPOL_RECORD_SIZE sizeof(struct cpol_record)
_Static_assert(CPOL_RECORD_SIZE <= 64, "the folio record is larger than the kernel's 64 bytes");

static __always_inline struct cpol_record *cpol_record(struct folio *f)
{
	return (struct cpol_record *)bpf_cache_ext_folio_data(f, CPOL_RECORD_SIZE);
}
#else
#define CPOL_RECORD_SIZE 0
#endif

#ifdef CPOL_HAS_META
static __always_inline struct cpol_meta *cpol_meta(struct cpol_bpf *c, struct folio *f)
{
	struct cpol_record *record = cpol_record(f);

	return record ? &record->meta : NULL;
}
#endif

CPOL_PROGRAM_("struct_ops.s/init", s32, cpol_init)
{
	struct cpol_bpf c = { .memcg = (struct mem_cgroup *)ctx[0] };

	for (int i = 0; i < CPOL_LISTS; i++)
		if (bpf_cache_ext_list_create(c.memcg) != i)
			return -22;
#ifdef CPOL_HAS_INIT
	cpol_on_init(&c);
#endif
	return 0;
}

CPOL_PROGRAM(folio_added)
{
	struct folio *f = (struct folio *)ctx[0];
	struct cpol_bpf c = { .memcg = (struct mem_cgroup *)ctx[1] };

#ifdef CPOL_HAS_META
	struct cpol_meta *meta = cpol_meta(&c, f);

	if (meta)
		cpol_meta_init(meta);
#endif
	cpol_on_added(&c, f);
}

#ifdef CPOL_HAS_TOUCHED
CPOL_PROGRAM(folio_accessed)
{
	struct folio *f = (struct folio *)ctx[0];
	struct cpol_bpf c = { .memcg = (struct mem_cgroup *)ctx[1] };
	struct cpol_record *record = cpol_record(f);

	if (!record)
		return;
	if (!record->touched) {
		record->touched = 1;
#ifdef CPOL_HAS_FIRST_ACCESSED
		cpol_on_first_accessed(&c, f);
#endif
		return;
	}
#ifdef CPOL_HAS_ACCESSED
	cpol_on_accessed(&c, f);
#endif
}
#endif

#ifdef CPOL_HAS_REMOVED
CPOL_PROGRAM(folio_removed)
{
	struct folio *f = (struct folio *)ctx[0];
	struct cpol_bpf c = { .memcg = (struct mem_cgroup *)ctx[1] };

	cpol_on_removed(&c, f, (u32)ctx[2]);
}
#endif

CPOL_PROGRAM(evict_folios)
{
	struct cpol_bpf c = { .memcg = (struct mem_cgroup *)ctx[1], .evict = (struct cache_ext_evict_ctx *)ctx[0] };

	cpol_on_evict(&c);
}

#define CPOL_PASTE_(a, b) a##b
#define CPOL_PASTE(a, b) CPOL_PASTE_(a, b)
#define CPOL_STRING_(a) #a
#define CPOL_STRING(a) CPOL_STRING_(a)
#define CPOL_NAME_AT(i) ((i) < sizeof(CPOL_STRING(CPOL_POLICY)) ? CPOL_STRING(CPOL_POLICY)[i] : 0)

/* The prefix lets a policy be called anything, `int` too. Its name is cut to 15 characters. The loader sets cgroup_id. */
SEC(".struct_ops.link") struct cache_ext_ops CPOL_PASTE(policy_, CPOL_POLICY) = {
	.init = (void *)cpol_init,
	.folio_added = (void *)cpol_folio_added,
#ifdef CPOL_HAS_TOUCHED
	.folio_accessed = (void *)cpol_folio_accessed,
#endif
#ifdef CPOL_HAS_REMOVED
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
