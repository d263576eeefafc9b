// SPDX-License-Identifier: GPL-2.0
/*
 * What swap_vma_readahead() does, for one area at a time: the kernel's counters must be the same. The state of an area begins with 4 hits,
 * and an address of 0.
 */
#include "../prefetch.bpf.h"

#define PMD_PAGES 512

static u64 area, previous, window, hits;

static void know(struct prefetch_ext_fault *f)
{
	if (area == f->area + f->first)
		return;
	area = f->area + f->first;
	previous = window = 0;
	hits = 4;
}

SEC("struct_ops/swap_fault") void fault(u64 *ctx)
{
	struct prefetch_ext_fault *f = ARG_FAULT(ctx);

	know(f);
	if (!(f->flags & PREFETCH_EXT_CACHED))
		return;
	previous = f->page;
	if (f->flags & PREFETCH_EXT_PREFETCHED)
		hits++;
}

static u64 next_window(struct prefetch_ext_fault *f)
{
	u64 pages = hits + 2;

	if (pages == 2)
		pages = f->page == previous + 1 || f->page + 1 == previous ? 2 : 1;
	else
		pages = pages <= 4 ? 4 : 8;
	if (pages > f->window)
		pages = f->window;
	return pages < window / 2 ? window / 2 : pages;
}

SEC("struct_ops/swap_prefetch") void prefetch(u64 *ctx)
{
	struct prefetch_ext_fault *f = ARG_FAULT(ctx);
	u64 page = f->page, left, was = previous, block = page & ~(PMD_PAGES - 1ULL);

	know(f);
	window = next_window(f);
	hits = 0;
	previous = page;
	if (window == 1)
		return;
	if (page == was + 1)
		left = page;
	else if (was == page + 1)
		left = page - window + 1;
	else
		left = page - (window - 1) / 2;
	FOR(i, 8) {
		u64 target = left + i;

		if (i < window && target >= block && target < block + PMD_PAGES && target != page)
			bpf_prefetch_ext_page(f, target);
	}
}

PREFETCHER("swap_vma", .swap_fault = (void *)fault, .swap_prefetch = (void *)prefetch, .waste_percent = 100)
