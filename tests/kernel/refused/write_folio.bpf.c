// SPDX-License-Identifier: GPL-2.0
/* EXPECT: only read is supported */
#include "../cache_ext.bpf.h"

FIFO_INIT
FIFO_ADDED
FIFO_EVICT

SEC("struct_ops/folio_accessed") void accessed(u64 *ctx)
{
	ARG_FOLIO(ctx)->index = 1;
}

POLICY("refused", .folio_accessed = (void *)accessed)
