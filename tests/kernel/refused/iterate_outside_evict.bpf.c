// SPDX-License-Identifier: GPL-2.0
/* EXPECT: calling kernel function bpf_iter_cache_ext_list_new is not allowed */
#include "../cache_ext.bpf.h"

FIFO_INIT
FIFO_ADDED
FIFO_EVICT

SEC("struct_ops/folio_accessed") void accessed(u64 *ctx)
{
	struct bpf_iter_cache_ext_list it;

	bpf_iter_cache_ext_list_new(&it, ARG_MEMCG(ctx), 0);
	bpf_iter_cache_ext_list_next(&it);
	bpf_iter_cache_ext_list_destroy(&it);
}

POLICY("refused", .folio_accessed = (void *)accessed)
