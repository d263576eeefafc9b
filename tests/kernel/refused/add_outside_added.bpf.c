// SPDX-License-Identifier: GPL-2.0
/* EXPECT: calling kernel function bpf_cache_ext_list_add is not allowed */
#include "../cache_ext.bpf.h"

FIFO_INIT
FIFO_ADDED
FIFO_EVICT

SEC("struct_ops/folio_accessed") void accessed(u64 *ctx)
{
	bpf_cache_ext_list_add(ARG_FOLIO(ctx), 0);
}

POLICY("refused", .folio_accessed = (void *)accessed)
