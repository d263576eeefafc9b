/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The struct_ops programs of a policy for upstream's interface, in place of bpf_entry.h. An object's global variables serve one cgroup,
 * the first that `init` is called for. That kernel calls `init` for each cgroup below, too, where it fails. So an attach to a cgroup with
 * cgroups below it fails, and those that are made later stay with the kernel's LRU.
 */
#ifndef CPOL_UPSTREAM_ENTRY_H
#define CPOL_UPSTREAM_ENTRY_H

#include "cpol/upstream.h"
#include "cpol/bpf_every.h"
#include "cpol/bpf_missed.h"
#include "cpol/bpf_program.h"

u32 cpol_attached; /* init ran */
u32 cpol_evicting; /* evict_folios is running */

CPOL_PROGRAM_("struct_ops.s/init", s32, cpol_init)
{
	cpol_ctx c = { .memcg = (struct mem_cgroup *)ctx[0] };

	if (__sync_lock_test_and_set(&cpol_attached, 1))
		return -16; /* EBUSY */
	for (int i = 0; i < CPOL_N_LISTS; i++)
		if (bpf_cache_ext_list_create(c.memcg) != i)
			return -22; /* EINVAL */
	cpol_capacity_measure(&c);
	cpol_time_begin();
#if CPOL_HAS_INIT
	cpol_on_init(&c);
#endif
	return 0;
}

#if CPOL_HAS_ADMIT
/* Returns whether the kernel may keep the folio. */
CPOL_PROGRAM_("struct_ops/admit_folio", s32, cpol_admit_folio)
{
	cpol_folio f = (cpol_folio)ctx[0];
	cpol_ctx c = {};

	cpol_announce(&c, f, false);
	cpol_on_admit(&c, f);
	return !c.refuses;
}
#endif

/* If there is no room for the folio's node, no handler runs, and the kernel keeps the folio. */
CPOL_PROGRAM(folio_added)
{
	cpol_folio f = (cpol_folio)ctx[0];
	cpol_ctx c = {};

#if CPOL_HAS_NODE
	c.folio = f;
	c.node = cpol_node_make(&c, f);
	if (!c.node)
		return;
#endif
	cpol_clock_forward();
	cpol_announce(&c, f, true);
	cpol_on_added(&c, f);
#if CPOL_HAS_NODE
	if (!c.node->list)
		cpol_forget(f);
#endif
}

#if CPOL_HAS_TOUCHED
CPOL_PROGRAM(folio_accessed)
{
	cpol_folio f = (cpol_folio)ctx[0];
	cpol_ctx c = { .folio = f, .node = cpol_find(f) };

	if (!c.node)
		return;
	if (!c.node->meta.cpol_touched) {
		c.node->meta.cpol_touched = 1;
#if CPOL_HAS_FIRST_ACCESSED
		cpol_on_first_accessed(&c, f);
#endif
		return;
	}
	cpol_clock_forward();
#if CPOL_HAS_ACCESSED
	cpol_on_accessed(&c, f);
#endif
}
#endif

#if CPOL_HAS_NODE || CPOL_HAS_REMOVED
/* Removed by the kernel: truncation, a split. cpol_evict handles what the policy itself evicts. */
CPOL_PROGRAM(folio_evicted)
{
	cpol_gone((cpol_folio)ctx[0], CPOL_DELETED);
}
#endif

/* One at a time, as in the abstract machine. A second reclaimer takes from the kernel's LRU meanwhile. */
CPOL_PROGRAM(evict_folios)
{
	cpol_ctx c = { .memcg = (struct mem_cgroup *)ctx[1], .evict = (struct cache_ext_eviction_ctx *)ctx[0] };

	if (__sync_lock_test_and_set(&cpol_evicting, 1))
		return;
	cpol_capacity_measure(&c);
	cpol_on_evict(&c);
	__sync_lock_test_and_set(&cpol_evicting, 0);
}

SEC(".struct_ops.link") struct cache_ext_ops CPOL_MAP_NAME = {
	.init = (void *)cpol_init,
	.evict_folios = (void *)cpol_evict_folios,
	.folio_added = (void *)cpol_folio_added,
#if CPOL_HAS_TOUCHED
	.folio_accessed = (void *)cpol_folio_accessed,
#endif
#if CPOL_HAS_NODE || CPOL_HAS_REMOVED
	.folio_evicted = (void *)cpol_folio_evicted,
#endif
#if CPOL_HAS_ADMIT
	.admit_folio = (void *)cpol_admit_folio,
#endif
};

#endif
