// SPDX-License-Identifier: GPL-2.0
/* EXPECT: is not a const */
#include "../cache_ext.bpf.h"

FIFO_INIT
FIFO_ADDED
FIFO_EVICT

volatile u32 size = 8;

SEC("struct_ops/folio_accessed") void accessed(u64 *ctx)
{
	u8 *r = bpf_cache_ext_folio_data(ARG_FOLIO(ctx), size);

	if (r)
		r[0]++;
}

POLICY("refused", .folio_data_size = 8, .folio_accessed = (void *)accessed)
