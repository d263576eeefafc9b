// SPDX-License-Identifier: GPL-2.0
/* Hostile: all targets are out of range. */
#include "../prefetch.bpf.h"

SEC("struct_ops/swap_prefetch") void prefetch(u64 *ctx)
{
	struct prefetch_ext_fault *f = ARG_FAULT(ctx);
	u64 slots = f->slots, last = f->last;

	FOR(i, 100) {
		bpf_prefetch_ext_slot(f, slots + i);
		bpf_prefetch_ext_page(f, last + 1 + i);
	}
}

SEC("struct_ops/file_readahead") void readahead(u64 *ctx)
{
	struct prefetch_ext_readahead *ra = ARG_RA(ctx);

	bpf_prefetch_ext_file(ra, ra->size, 1 << 20, 1);
	bpf_prefetch_ext_file(ra, -1, 1 << 20, -1);
	bpf_prefetch_ext_file(ra, -(1 << 20), 1 << 20, 1);
}

PREFETCHER("outside", .swap_prefetch = (void *)prefetch, .file_readahead = (void *)readahead)
