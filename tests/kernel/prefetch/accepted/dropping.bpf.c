// SPDX-License-Identifier: GPL-2.0
/* Drops what was written, which is dirty: so nothing goes. */
#include "../prefetch.bpf.h"

SEC("struct_ops/file_written") void written(u64 *ctx)
{
	bpf_prefetch_ext_drop(ARG_RANGE(ctx));
}

PREFETCHER("dropping", .file_written = (void *)written)
