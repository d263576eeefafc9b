// SPDX-License-Identifier: GPL-2.0
/* EXPECT: Unreleased reference */
#include "../cache_ext.bpf.h"

FIFO_INIT
FIFO_ADDED

SEC("struct_ops/evict_folios") void evict(u64 *ctx)
{
	struct bpf_iter_cache_ext_list it;

	bpf_iter_cache_ext_list_new(&it, ARG_MEMCG(ctx), 0);
	bpf_iter_cache_ext_list_next(&it);
}

POLICY("refused")
