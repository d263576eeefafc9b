/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sizes for upstream's interface, which has none. upstream_nodes.h counts the pages on lists. init and each evict_folios measure the
 * capacity, since only they get the cgroup. In between, it keeps that value.
 */
#ifndef CPOL_UPSTREAM_SIZES_H
#define CPOL_UPSTREAM_SIZES_H

#if CPOL_USES_SIZES
#define CPOL_ANCESTORS 16 /* whose limits count */

u64 cpol_capacity_seen;

/* Pages on the list with this number. The counter may be negative for a moment, since CPUs count at different times. */
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

/* docs/kernel-interface.md, Capacity. Only the limits of the nearest CPOL_ANCESTORS ancestors count. */
CPOL_RELOCATED void cpol_capacity_measure(cpol_ctx *c)
{
	struct mem_cgroup *memcg = c->memcg;
	u64 owned = cpol_cache_size(c), used = memcg->memory.usage.counter, least;
	struct page_counter *counter = memcg->memory.parent;
	u64 other = used > owned ? used - owned : 0;

	least = cpol_least(memcg->memory.max, memcg->memory.high);
	for (int i = 0; i < CPOL_ANCESTORS && counter; i++) {
		least = cpol_least(least, cpol_least(counter->max, counter->high));
		counter = counter->parent;
	}
	*(volatile u64 *)&cpol_capacity_seen = least > other ? least - other : 0;
}
#else
/* Only formulas name it, which the loader evaluates at attach. Nothing calls it. */
extern u64 cpol_cache_capacity(cpol_ctx *c);

CPOL_PRIMITIVE void cpol_capacity_measure(cpol_ctx *c)
{
}
#endif

#endif
