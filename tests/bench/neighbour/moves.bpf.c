// SPDX-License-Identifier: GPL-2.0
/* Moves each folio at each access: to the other list, there to the other end, and back. */
#include "cache_ext.bpf.h"

FIFO_INIT

FIFO_ADDED

SEC("struct_ops/folio_accessed") void accessed(u64 *ctx)
{
	struct folio *f = ARG_FOLIO(ctx);

	bpf_cache_ext_list_move(f, 1, true);
	bpf_cache_ext_list_move(f, 1, false);
	bpf_cache_ext_list_move(f, 0, true);
	bpf_cache_ext_list_move(f, 0, false);
}

FIFO_EVICT
POLICY("moves", .folio_accessed = (void *)accessed, .nr_lists = 2)
