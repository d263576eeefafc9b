// SPDX-License-Identifier: GPL-2.0
/* EXPECT: attach to unsupported member folio_accessed of struct cache_ext_ops */
#include "../cache_ext.bpf.h"

FIFO_INIT
FIFO_ADDED
FIFO_EVICT

SEC("struct_ops.s/folio_accessed") void accessed(u64 *ctx)
{
	bpf_cache_ext_list_move(ARG_FOLIO(ctx), 0, true);
}

POLICY("refused", .folio_accessed = (void *)accessed)
