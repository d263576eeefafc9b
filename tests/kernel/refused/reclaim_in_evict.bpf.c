// SPDX-License-Identifier: GPL-2.0
/* EXPECT: calling kernel function bpf_cache_ext_reclaim is not allowed */
#include "../cache_ext.bpf.h"

FIFO_INIT
FIFO_ADDED

FIFO_EVICT_AFTER(bpf_cache_ext_reclaim(ARG_MEMCG(ctx), 32, 0);)

POLICY("refused")
