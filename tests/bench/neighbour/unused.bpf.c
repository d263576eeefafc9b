// SPDX-License-Identifier: GPL-2.0
/* Prefetches 64 pages behind each request, which a reader of every 65th page never uses, and may waste them all. */
#include "prefetch/prefetch.bpf.h"

SEC("struct_ops/file_readahead") void readahead(u64 *ctx)
{
	struct prefetch_ext_readahead *ra = ARG_RA(ctx);

	bpf_prefetch_ext_file(ra, ra->index + ra->wanted, 64, 1);
}

PREFETCHER("unused", .file_readahead = (void *)readahead, .waste_percent = 100)
