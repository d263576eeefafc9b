// SPDX-License-Identifier: GPL-2.0
/* 32 pages ahead of what is read; at a marker, behind what was read before. */
#include "../prefetch.bpf.h"

u64 nr_calls, nr_markers, nr_mapped;

SEC("struct_ops/file_readahead") void readahead(u64 *ctx)
{
	struct prefetch_ext_readahead *ra = ARG_RA(ctx);

	COUNT(nr_calls);
	if (ra->flags & PREFETCH_EXT_MARKER)
		COUNT(nr_markers);
	if (ra->flags & PREFETCH_EXT_MAPPED)
		COUNT(nr_mapped);
	bpf_prefetch_ext_file(ra, ra->flags & PREFETCH_EXT_MARKER ? ra->start : ra->index + ra->wanted, 32, 1);
}

PREFETCHER("stream", .file_readahead = (void *)readahead)
