// SPDX-License-Identifier: GPL-2.0
/* Ends itself at the 10th request. */
#include "../prefetch.bpf.h"

static u64 nr;

SEC("struct_ops/file_readahead") void readahead(u64 *ctx)
{
	if (COUNT(nr) == 10)
		bpf_prefetch_ext_error((struct mem_cgroup *)ctx[1], 7, "enough \"is\" enough");
}

PREFETCHER("failing", .file_readahead = (void *)readahead)
