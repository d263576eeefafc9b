// SPDX-License-Identifier: GPL-2.0
/* Leaves every folio to the kernel, and proposes nothing: no fault of its own. */
#include "../cache_ext.bpf.h"

FIFO_INIT

SEC("struct_ops/folio_added") void added(u64 *ctx)
{
}

SEC("struct_ops/evict_folios") void evict(u64 *ctx)
{
}

POLICY("leaves")
