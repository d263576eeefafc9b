// SPDX-License-Identifier: GPL-2.0
/* Asks for all that there is, over and over, in each handler. */
#include "../prefetch.bpf.h"

#define ROUNDS 64

SEC("struct_ops/file_opened") void opened(u64 *ctx)
{
	FOR(i, ROUNDS) {
		bpf_prefetch_ext_window(ARG_RANGE(ctx), bpf_get_prandom_u32() % 3);
	}
}

SEC("struct_ops/file_read") void was_read(u64 *ctx)
{
	FOR(i, ROUNDS) {
		bpf_prefetch_ext_drop(ARG_RANGE(ctx));
	}
}

SEC("struct_ops/file_written") void written(u64 *ctx)
{
	FOR(i, ROUNDS) {
		bpf_prefetch_ext_drop(ARG_RANGE(ctx));
		bpf_prefetch_ext_flush(ARG_RANGE(ctx), bpf_get_prandom_u32() % 2);
		bpf_prefetch_ext_flush(ARG_RANGE(ctx), true);
	}
}

SEC("struct_ops/file_readahead") void readahead(u64 *ctx)
{
	bpf_prefetch_ext_file(ARG_RA(ctx), bpf_get_prandom_u32() % (ARG_RA(ctx)->size | 1), 64, 1);
	bpf_prefetch_ext_default_file(ARG_RA(ctx));
}

PREFETCHER("everything", .file_opened = (void *)opened, .file_read = (void *)was_read, .file_written = (void *)written,
	   .file_readahead = (void *)readahead, .waste_percent = 100)
