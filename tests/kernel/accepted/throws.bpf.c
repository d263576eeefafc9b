// SPDX-License-Identifier: GPL-2.0
/* Its evict_folios program ends with bpf_throw(), on kernels that have it. */
#include "../cache_ext.bpf.h"

extern void bpf_throw(u64 cookie) KSYM;

FIFO_INIT
FIFO_ADDED

SEC("struct_ops/evict_folios") void evict(u64 *ctx)
{
	bpf_throw(1);
}

POLICY("throws")
