// SPDX-License-Identifier: GPL-2.0
/* Reads nothing ahead, of swap or files. */
#include "../prefetch.bpf.h"

SEC("struct_ops/swap_prefetch") void prefetch(u64 *ctx)
{
}

SEC("struct_ops/file_readahead") void readahead(u64 *ctx)
{
}

PREFETCHER("none", .swap_prefetch = (void *)prefetch, .file_readahead = (void *)readahead)
