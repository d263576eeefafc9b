// SPDX-License-Identifier: GPL-2.0
/* All is left to the kernel. */
#include "../prefetch.bpf.h"

SEC("struct_ops/swap_prefetch") void prefetch(u64 *ctx)
{
	bpf_prefetch_ext_default(ARG_FAULT(ctx));
}

SEC("struct_ops/file_readahead") void readahead(u64 *ctx)
{
	bpf_prefetch_ext_default_file(ARG_RA(ctx));
}

PREFETCHER("defaults", .swap_prefetch = (void *)prefetch, .file_readahead = (void *)readahead)
