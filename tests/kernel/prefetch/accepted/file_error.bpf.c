// SPDX-License-Identifier: GPL-2.0
/* A handler of ranges ends its policy. */
#include "../prefetch.bpf.h"

SEC("struct_ops/file_read") void was_read(u64 *ctx)
{
	bpf_prefetch_ext_drop(ARG_RANGE(ctx));
	bpf_prefetch_ext_error((struct mem_cgroup *)ctx[1], 9, "no more");
}

PREFETCHER("file_error", .file_read = (void *)was_read)
