// SPDX-License-Identifier: GPL-2.0
/* Hostile: 64 random slots at each fault, 64 random pages for each read. */
#include "../prefetch.bpf.h"

SEC("struct_ops/swap_prefetch") void prefetch(u64 *ctx)
{
	struct prefetch_ext_fault *f = ARG_FAULT(ctx);
	u64 slots = f->slots;

	FOR(i, 64)
		if (slots)
			bpf_prefetch_ext_slot(f, bpf_get_prandom_u32() % slots);
}

SEC("struct_ops/file_readahead") void readahead(u64 *ctx)
{
	struct prefetch_ext_readahead *ra = ARG_RA(ctx);
	u64 size = ra->size;

	FOR(i, 64)
		if (size)
			bpf_prefetch_ext_file(ra, bpf_get_prandom_u32() % size, 1, 1);
}

PREFETCHER("random64", .swap_prefetch = (void *)prefetch, .file_readahead = (void *)readahead, .waste_percent = 100)
