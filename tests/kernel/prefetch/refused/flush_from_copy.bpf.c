// SPDX-License-Identifier: GPL-2.0
/* EXPECT: arg#0 pointer type STRUCT prefetch_ext_range must point to scalar */
/* The verifier refuses it: a range of its own. */
#include "../prefetch.bpf.h"

SEC("struct_ops/file_written") void handler(u64 *ctx)
{
	struct prefetch_ext_range range = {};

	bpf_prefetch_ext_flush(&range, true);
}

PREFETCHER("copy", .file_written = (void *)handler)
