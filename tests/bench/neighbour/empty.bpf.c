// SPDX-License-Identifier: GPL-2.0
/* Has each program that the kernel can run (ADMITS: admit_folio, too), and none does anything: what attaching any policy costs. */
#include "cache_ext.bpf.h"

FIFO_INIT

SEC("struct_ops/folio_added") void added(u64 *ctx)
{
}

SEC("struct_ops/folio_accessed") void accessed(u64 *ctx)
{
}

SEC("struct_ops/folio_evicted") void evicted(u64 *ctx)
{
}

SEC("struct_ops/folio_removed") void removed(u64 *ctx)
{
}

SEC("struct_ops/evict_folios") void evict(u64 *ctx)
{
}

SEC("struct_ops/tick") void tick(u64 *ctx)
{
}

#ifdef ADMITS
SEC("struct_ops/admit_folio") bool admit(u64 *ctx)
{
	return true;
}
#define ADMIT .admit_folio = (void *)admit,
#else
#define ADMIT
#endif

POLICY("empty", ADMIT .folio_accessed = (void *)accessed, .folio_evicted = (void *)evicted, .folio_removed = (void *)removed,
	.tick = (void *)tick, .tick_ms = 1000, .pin_pages = 1)
