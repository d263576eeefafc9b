// SPDX-License-Identifier: GPL-2.0
/* Leaves each file that is opened to the kernel, but those of one page. Drops what it is told of. */
#include "../prefetch.bpf.h"

SEC("struct_ops/file_opened") void opened(u64 *ctx)
{
	struct prefetch_ext_range *range = ARG_RANGE(ctx);

	if (range->size == 1)
		return;
	bpf_prefetch_ext_leave(range);
	bpf_prefetch_ext_leave(range);
}

SEC("struct_ops/file_read") void was_read(u64 *ctx)
{
	bpf_prefetch_ext_drop(ARG_RANGE(ctx));
}

SEC("struct_ops/file_written") void written(u64 *ctx)
{
	bpf_prefetch_ext_flush(ARG_RANGE(ctx), true);
	bpf_prefetch_ext_drop(ARG_RANGE(ctx));
}

PREFETCHER("leaves", .file_opened = (void *)opened, .file_read = (void *)was_read, .file_written = (void *)written)
