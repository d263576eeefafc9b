/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The struct_ops programs of a policy, and their map. Generated C includes this at its end, after the handlers. Each program builds
 * the context and calls its handler.
 */
#ifndef CPOL_BPF_ENTRY_H
#define CPOL_BPF_ENTRY_H

#include "cpol/bpf.h"
#include "cpol/bpf_every.h"
#include "cpol/bpf_missed.h"
#include "cpol/bpf_program.h"

#if CPOL_HAS_META
#define CPOL_RECORD_SIZE sizeof(struct cpol_meta)
#define CPOL_ALIGN4 (_Alignof(struct cpol_meta) <= 4 ? CACHE_EXT_DATA_ALIGN4 : 0)
#else
#define CPOL_RECORD_SIZE 0
#define CPOL_ALIGN4 CACHE_EXT_DATA_ALIGN4
#endif

/* Who handles no first access is not called for it, and its records need not tell it from others. */
#define CPOL_ACCESSES (CPOL_HAS_TOUCHED ? 0 : CACHE_EXT_ONLY_REUSES)

#if CPOL_PREFETCHES
__hidden bool cpol_ready; /* init has run: bpf_prefetch_entry.h */
#endif

/* Who has nothing to begin with governs at once: the kernel runs init in a worker. */
#define CPOL_BEGINS (CPOL_HAS_INIT || CPOL_USES_TIME || CPOL_PREFETCHES)

#if CPOL_BEGINS
CPOL_PROGRAM_("struct_ops/init", s32, cpol_init)
{
	cpol_ctx c __attribute__((unused)) = { .memcg = (struct mem_cgroup *)ctx[0] };

	cpol_time_begin();
#if CPOL_HAS_INIT
	cpol_on_init(&c);
#endif
#if CPOL_PREFETCHES
	cpol_ready = true;
#endif
	return 0;
}
#endif

#if CPOL_HAS_ADMIT
/* Returns whether the kernel may keep the folio. */
CPOL_PROGRAM_("struct_ops/admit_folio", s32, cpol_admit_folio)
{
	cpol_folio f = (cpol_folio)ctx[0];
	cpol_ctx c = { .memcg = (struct mem_cgroup *)ctx[1] };

	cpol_announce(&c, f, false);
	cpol_on_admit(&c, f);
	return !c.refuses;
}
#endif

CPOL_PROGRAM(folio_added)
{
	cpol_folio f = (cpol_folio)ctx[0];
	cpol_ctx c = { .memcg = (struct mem_cgroup *)ctx[1] };
	u64 clock;

#if CPOL_HAS_META
	c.record = cpol_look_up(f);
	if (c.record)
		cpol_meta_init(c.record);
	c.folio = f;
#endif
	clock = cpol_clock_forward();
	cpol_announce(&c, f, true);
	cpol_on_added(&c, f);
	cpol_clock_ask(&c, clock);
}

#if CPOL_HAS_ACCESSES
CPOL_PROGRAM(folio_accessed)
{
	/* Unused by a policy that only counts events, for `every`. */
	cpol_folio f __attribute__((unused)) = (cpol_folio)ctx[0];
	cpol_ctx c = { .memcg = (struct mem_cgroup *)ctx[1] };
	u64 clock;

#if CPOL_HAS_META
	c.record = cpol_look_up(f);
	if (!c.record)
		return;
	c.folio = f;
#endif
#if CPOL_HAS_TOUCHED
	if (!c.record->cpol_touched) {
		c.record->cpol_touched = 1;
#if CPOL_HAS_FIRST_ACCESSED
		cpol_on_first_accessed(&c, f);
#endif
		return;
	}
#endif
	clock = cpol_clock_forward();
#if CPOL_HAS_ACCESSED
	cpol_on_accessed(&c, f);
#endif
	cpol_clock_ask(&c, clock);
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

#if CPOL_N_EVERY
CPOL_PROGRAM(tick)
{
	cpol_ctx c = { .memcg = (struct mem_cgroup *)ctx[0] };

	cpol_every_due(&c);
}
#endif

/* The loader sets cgroup_id. */
SEC(".struct_ops.link") struct cache_ext_ops CPOL_MAP_NAME = {
#if CPOL_BEGINS
	.init = (void *)cpol_init,
#endif
	.folio_added = (void *)cpol_folio_added,
#if CPOL_HAS_ACCESSES
	.folio_accessed = (void *)cpol_folio_accessed,
#endif
#if CPOL_HAS_REMOVED
	.folio_removed = (void *)cpol_folio_removed,
#endif
	.evict_folios = (void *)cpol_evict_folios,
#if CPOL_HAS_ADMIT
	.admit_folio = (void *)cpol_admit_folio,
#endif
#if CPOL_N_EVERY
	.tick = (void *)cpol_tick,
#endif
#if CPOL_HAS_EVERY_MS
	.tick_ms = CPOL_TICK_MS, /* from the params' defaults; the loader sets it for the actual values */
#endif
	.nr_lists = CPOL_N_LISTS, /* the loader sets it where the last is an array */
	.folio_data_size = CPOL_RECORD_SIZE,
	.flags = CPOL_ALIGN4 | CPOL_ACCESSES,
	.name = CPOL_NAME,
};

#endif
