// SPDX-License-Identifier: GPL-2.0
/* FIFO, until 1,000 folios have come: then it ends itself, several times over. */
#include "../cache_ext.bpf.h"

u64 nr_added;

FIFO_INIT
FIFO_EVICT

const char message[] SEC(".rodata") = "enough \"is\" enough";

SEC("struct_ops/folio_added") void added(u64 *ctx)
{
	bpf_cache_ext_list_add_tail(ARG_FOLIO(ctx), 0);
	if (++nr_added >= 1000)
		bpf_cache_ext_error(ARG_MEMCG(ctx), 7, message);
}

POLICY("failing")
