// SPDX-License-Identifier: GPL-2.0
/* Rotates its list and proposes nothing. */
#include "../cache_ext.bpf.h"

FIFO_INIT
FIFO_ADDED

SEC("struct_ops/evict_folios") void evict(u64 *ctx)
{
	struct bpf_iter_cache_ext_list it;
	struct folio *f;

	bpf_iter_cache_ext_list_new(&it, ARG_MEMCG(ctx), 0);
	while ((f = bpf_iter_cache_ext_list_next(&it)))
		bpf_cache_ext_list_move(f, 0, true);
	bpf_iter_cache_ext_list_destroy(&it);
}

POLICY("rotates")
