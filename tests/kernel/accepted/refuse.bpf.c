// SPDX-License-Identifier: GPL-2.0
/* Admits no folio. The kernel must report no further events of a refused folio. */
#include "../cache_ext.bpf.h"

/* @nr_known: folios that had a node before admission, and events of folios without one. */
u64 nr_asked, nr_added, nr_known, nr_accessed, nr_removed;

FIFO_INIT
FIFO_EVICT

SEC("struct_ops/admit_folio") bool admit(u64 *ctx)
{
	__sync_fetch_and_add(&nr_asked, 1);
	if (bpf_cache_ext_folio_list(ARG_FOLIO(ctx)) != -2 || bpf_cache_ext_list_move(ARG_FOLIO(ctx), 0, true) != -2)
		__sync_fetch_and_add(&nr_known, 1);
	return false;
}

SEC("struct_ops/folio_added") void added(u64 *ctx)
{
	__sync_fetch_and_add(&nr_added, 1);
	bpf_cache_ext_list_add_tail(ARG_FOLIO(ctx), 0);
}

SEC("struct_ops/folio_accessed") void accessed(u64 *ctx)
{
	__sync_fetch_and_add(&nr_accessed, 1);
	if (bpf_cache_ext_folio_list(ARG_FOLIO(ctx)) != 0)
		__sync_fetch_and_add(&nr_known, 1);
}

SEC("struct_ops/folio_removed") void removed(u64 *ctx)
{
	__sync_fetch_and_add(&nr_removed, 1);
	if (bpf_cache_ext_folio_list(ARG_FOLIO(ctx)) != 0)
		__sync_fetch_and_add(&nr_known, 1);
}

POLICY("refuse", .admit_folio = (void *)admit, .folio_accessed = (void *)accessed, .folio_removed = (void *)removed)
