// SPDX-License-Identifier: GPL-2.0
/* Admits every other folio. */
#include "../cache_ext.bpf.h"

u64 nr_refused;

FIFO_INIT
FIFO_ADDED
FIFO_EVICT

SEC("struct_ops/admit_folio") bool admit(u64 *ctx)
{
	if (!(ARG_FOLIO(ctx)->index & 1))
		return true;
	__sync_fetch_and_add(&nr_refused, 1);
	return false;
}

POLICY("half", .admit_folio = (void *)admit)
