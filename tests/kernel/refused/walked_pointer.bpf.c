// SPDX-License-Identifier: GPL-2.0
/* EXPECT: must be referenced or trusted */
#include "../cache_ext.bpf.h"

FIFO_INIT
FIFO_ADDED
FIFO_EVICT


SEC("struct_ops/folio_accessed") void accessed(u64 *ctx)
{
	/* A pointer that was read from a struct is untrusted, regardless of its type. */
	bpf_cache_ext_list_move((struct folio *)ARG_FOLIO(ctx)->mapping, 0, true);
}

POLICY("refused", .folio_accessed = (void *)accessed)
