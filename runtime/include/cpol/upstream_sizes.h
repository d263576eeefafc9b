/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sizes for upstream's interface, which tells of none. The pages on lists are counted by upstream_nodes.h. The capacity is measured by
 * init and by each evict_folios, which are told the cgroup; in between it is what it was then.
 */
#ifndef CPOL_UPSTREAM_SIZES_H
#define CPOL_UPSTREAM_SIZES_H

#if CPOL_USES_SIZES
#define CPOL_ANCESTORS 16 /* whose limits are looked at */

const volatile u64 cpol_machine_pages SEC(".rodata") = 1ULL << 40; /* its memory, if whoever loads the object says it */
u64 cpol_capacity_seen;

/* Pages on the list with this number. What is counted late may make it negative for a moment. */
CPOL_PRIMITIVE u64 cpol_list_pages(cpol_ctx *c, u32 list)
{
	s64 pages = *(volatile s64 *)&cpol_tallies[list].pages;

	return pages > 0 ? pages : 0;
}

CPOL_PRIMITIVE u64 cpol_list_size(cpol_ctx *c, u32 list)
{
	return cpol_list_pages(c, list);
}

CPOL_PRIMITIVE u64 cpol_cache_size(cpol_ctx *c)
{
	u64 pages = 0;

	for (u32 list = 1; list <= CPOL_N_LISTS; list++)
		pages += cpol_list_pages(c, list);
	return pages;
}

CPOL_PRIMITIVE u64 cpol_cache_capacity(cpol_ctx *c)
{
	return *(volatile u64 *)&cpol_capacity_seen;
}

CPOL_PRIMITIVE u64 cpol_least(u64 a, u64 b)
{
	return a < b ? a : b;
}

/* docs/kernel-interface.md, Capacity. Ancestors further up than CPOL_ANCESTORS are not looked at. */
CPOL_RELOCATED void cpol_capacity_measure(cpol_ctx *c)
{
	struct mem_cgroup *memcg = c->memcg;
	u64 owned = cpol_cache_size(c), used = memcg->memory.usage.counter, least;
	struct page_counter *counter = memcg->memory.parent;
	u64 other = used > owned ? used - owned : 0;

	least = cpol_least(cpol_machine_pages, cpol_least(memcg->memory.max, memcg->memory.high));
	for (int i = 0; i < CPOL_ANCESTORS && counter; i++) {
		least = cpol_least(least, cpol_least(counter->max, counter->high));
		counter = counter->parent;
	}
	*(volatile u64 *)&cpol_capacity_seen = least > other ? least - other : 0;
}
#else
/* Named only by what the loader evaluates at attach, and called by nothing. */
extern u64 cpol_cache_capacity(cpol_ctx *c);

CPOL_PRIMITIVE void cpol_capacity_measure(cpol_ctx *c)
{
}
#endif

#endif
