// SPDX-License-Identifier: GPL-2.0
/* EXPECT: calling kernel function bpf_prefetch_ext_error is not allowed */
#include "../prefetch.bpf.h"

FIFO_INIT
FIFO_EVICT

SEC("struct_ops/folio_added") void added(u64 *ctx)
{
	bpf_prefetch_ext_error(ARG_MEMCG(ctx), 1, "no");
}

POLICY("from_cache_ext")
