// SPDX-License-Identifier: GPL-2.0
/* EXPECT: expected pointer to STRUCT folio */
#include "../cache_ext.bpf.h"

FIFO_INIT
FIFO_ADDED
FIFO_EVICT

SEC("struct_ops/folio_accessed") void accessed(u64 *ctx)
{
	bpf_cache_ext_list_move((struct folio *)ARG_MEMCG(ctx), 0, true);
}

POLICY("refused", .folio_accessed = (void *)accessed)
