// SPDX-License-Identifier: GPL-2.0
/* EXPECT: R0 invalid mem access */
#include "../cache_ext.bpf.h"

FIFO_INIT
FIFO_ADDED
FIFO_EVICT

SEC("struct_ops/folio_accessed") void accessed(u64 *ctx)
{
	u8 *r = bpf_cache_ext_folio_data(ARG_FOLIO(ctx), 8);

	r[0]++;
}

POLICY("refused", .folio_data_size = 8, .folio_accessed = (void *)accessed)
