// SPDX-License-Identifier: GPL-2.0
/* order.h with bpf_cache_ext_select(), and arguments that it refuses. */
#define OFFER select_all
#include "order.h"

u64 nr_refused;

static __attribute__((always_inline)) int select_all(u64 *ctx, struct cache_ext_evict_ctx *c, u32 flags, u64 limit)
{
	/* Unaligned field; size 0; size 3; beyond the record; unknown flag; unknown list. */
	nr_refused += bpf_cache_ext_select(c, 0, flags, limit, 1 | 2 << 16) == -22;
	nr_refused += bpf_cache_ext_select(c, 0, flags, limit, 2) == -22;
	nr_refused += bpf_cache_ext_select(c, 0, flags, limit, 0 | 3 << 16) == -22;
	nr_refused += bpf_cache_ext_select(c, 0, flags, limit, 8 | 2 << 16) == -22;
	nr_refused += bpf_cache_ext_select(c, 0, 2, limit, FIELD) == -22;
	nr_refused += bpf_cache_ext_select(c, 1, flags, limit, FIELD) == -22;
	return bpf_cache_ext_select(c, 0, flags, limit, FIELD);
}
