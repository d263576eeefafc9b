// SPDX-License-Identifier: GPL-2.0
/* Reads 63 pages of a file that nobody wants, for each that is. Half as much waste would be too much. */
#include "../prefetch.bpf.h"

SEC("struct_ops/file_readahead") void readahead(u64 *ctx)
{
	struct prefetch_ext_readahead *ra = ARG_RA(ctx);

	bpf_prefetch_ext_file(ra, ra->index + 1, 63, 1);
}

PREFETCHER("wasteful", .file_readahead = (void *)readahead, .waste_percent = 50)
