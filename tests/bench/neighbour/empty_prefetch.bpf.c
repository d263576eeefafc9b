// SPDX-License-Identifier: GPL-2.0
/* Has each program of a prefetching policy, and none does anything: what attaching any such policy costs. */
#include "prefetch/prefetch.bpf.h"

SEC("struct_ops/swap_fault") void fault(u64 *ctx)
{
}

SEC("struct_ops/swap_prefetch") void prefetch(u64 *ctx)
{
}

SEC("struct_ops/file_readahead") void readahead(u64 *ctx)
{
}

SEC("struct_ops/file_opened") void opened(u64 *ctx)
{
}

SEC("struct_ops/file_read") void was_read(u64 *ctx)
{
}

SEC("struct_ops/file_written") void written(u64 *ctx)
{
}

SEC("struct_ops/swap_out") void out(u64 *ctx)
{
}

PREFETCHER("empty_prefetch", .swap_fault = (void *)fault, .swap_prefetch = (void *)prefetch, .file_readahead = (void *)readahead,
	   .file_opened = (void *)opened, .file_read = (void *)was_read, .file_written = (void *)written, .swap_out = (void *)out)
