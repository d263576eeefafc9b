// SPDX-License-Identifier: GPL-2.0
/* 16 pages of the file, 8 apart. */
#include "../prefetch.bpf.h"

SEC("struct_ops/file_readahead") void readahead(u64 *ctx)
{
	struct prefetch_ext_readahead *ra = ARG_RA(ctx);

	bpf_prefetch_ext_file(ra, ra->index + 8, 16, 8);
}

PREFETCHER("file_stride", .file_readahead = (void *)readahead)
