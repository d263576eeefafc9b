// SPDX-License-Identifier: GPL-2.0
/* Asks for what cannot be had, in one call: the first in a large area. Counts the answers that are not as they should be. */
#include "../prefetch.bpf.h"

u64 nr_calls, nr_wrong;

static void expect(s32 got, s32 wanted)
{
	if (got != wanted)
		COUNT(nr_wrong);
}

SEC("struct_ops/swap_prefetch") void prefetch(u64 *ctx)
{
	struct prefetch_ext_fault *f = ARG_FAULT(ctx);
	u64 base = f->page - f->first < 100 ? f->page + 1 : f->first;

	if (f->last - f->first < 1000 || COUNT(nr_calls))
		return;
	/* 7 out of range */
	expect(bpf_prefetch_ext_slot(f, 0), -34);
	expect(bpf_prefetch_ext_slot(f, f->slots), -34);
	expect(bpf_prefetch_ext_slot(f, f->slot), -34);
	expect(bpf_prefetch_ext_slot(f, -1), -34);
	expect(bpf_prefetch_ext_page(f, f->first - 1), -34);
	expect(bpf_prefetch_ext_page(f, f->last + 1), -34);
	expect(bpf_prefetch_ext_page(f, f->page), -34);
	/* 64, 2 duplicates, 3 too many */
	FOR(i, 64)
		expect(bpf_prefetch_ext_page(f, base + i), 0);
	expect(bpf_prefetch_ext_page(f, base), -17);
	expect(bpf_prefetch_ext_page(f, base + 63), -17);
	expect(bpf_prefetch_ext_page(f, base + 64), -7);
	expect(bpf_prefetch_ext_slot(f, f->slot > 1 ? f->slot - 1 : 2), -7);
	expect(bpf_prefetch_ext_slot(f, f->slot + 1), -7);
}

PREFETCHER("drops", .swap_prefetch = (void *)prefetch)
