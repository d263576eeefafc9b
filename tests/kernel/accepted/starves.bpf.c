// SPDX-License-Identifier: GPL-2.0
/* Owns every folio and proposes nothing. */
#include "../cache_ext.bpf.h"

FIFO_INIT
FIFO_ADDED

SEC("struct_ops/evict_folios") void evict(u64 *ctx)
{
}

POLICY("starves")
