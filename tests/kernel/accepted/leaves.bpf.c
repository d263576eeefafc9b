// SPDX-License-Identifier: GPL-2.0
/* Leaves every folio to the kernel, so it may propose nothing. */
#include "../cache_ext.bpf.h"

FIFO_INIT

SEC("struct_ops/folio_added") void added(u64 *ctx)
{
}

SEC("struct_ops/evict_folios") void evict(u64 *ctx)
{
}

POLICY("leaves")
