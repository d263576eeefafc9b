// SPDX-License-Identifier: GPL-2.0
/* As wasteful, but it may. */
#include "../prefetch.bpf.h"

SEC("struct_ops/file_readahead") void readahead(u64 *ctx)
{
	struct prefetch_ext_readahead *ra = ARG_RA(ctx);

	bpf_prefetch_ext_file(ra, ra->index + 1, 63, 1);
}

PREFETCHER("may_waste", .file_readahead = (void *)readahead, .waste_percent = 100)
