// SPDX-License-Identifier: GPL-2.0
/* EXPECT: attach to unsupported member admit_folio of struct cache_ext_ops */
#include "../cache_ext.bpf.h"

FIFO_INIT
FIFO_ADDED
FIFO_EVICT

SEC("struct_ops.s/admit_folio") bool admit(u64 *ctx)
{
	return bpf_cache_ext_size(ARG_MEMCG(ctx)) & 1;
}

POLICY("refused", .admit_folio = (void *)admit)
