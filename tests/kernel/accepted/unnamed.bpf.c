// SPDX-License-Identifier: GPL-2.0
/* Admits all folios. Counts those whose inode has no name, about which the kernel must not ask: a file system's own. */
#include "../cache_ext.bpf.h"

u64 nr_asked, nr_unnamed;

FIFO_INIT
FIFO_ADDED
FIFO_EVICT

SEC("struct_ops/admit_folio") bool admit(u64 *ctx)
{
	__sync_fetch_and_add(&nr_asked, 1);
	if (!ARG_FOLIO(ctx)->mapping->host->i_dentry.first)
		__sync_fetch_and_add(&nr_unnamed, 1);
	return true;
}

POLICY("unnamed", .admit_folio = (void *)admit)
