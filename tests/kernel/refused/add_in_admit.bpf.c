// SPDX-License-Identifier: GPL-2.0
/* EXPECT: is not allowed */
#include "../cache_ext.bpf.h"

FIFO_INIT
FIFO_ADDED
FIFO_EVICT

SEC("struct_ops/admit_folio") bool admit(u64 *ctx)
{
	return !bpf_cache_ext_list_add(ARG_FOLIO(ctx), 0);
}

POLICY("refused", .admit_folio = (void *)admit)
