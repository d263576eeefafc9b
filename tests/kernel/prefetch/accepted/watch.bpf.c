// SPDX-License-Identifier: GPL-2.0
/* Looks on: counts faults, and has no say in what is read. */
#include "../prefetch.bpf.h"

u64 nr_init, nr_exit, nr_faults, nr_cached, nr_prefetched, nr_outside;

SEC("struct_ops/init") s32 init(u64 *ctx)
{
	COUNT(nr_init);
	return 0;
}

SEC("struct_ops/exit") void finish(u64 *ctx)
{
	COUNT(nr_exit);
}

SEC("struct_ops/swap_fault") void fault(u64 *ctx)
{
	struct prefetch_ext_fault *f = ARG_FAULT(ctx);

	COUNT(nr_faults);
	if (f->flags & PREFETCH_EXT_CACHED)
		COUNT(nr_cached);
	if (f->flags & PREFETCH_EXT_PREFETCHED)
		COUNT(nr_prefetched);
	if (f->page < f->first || f->page > f->last || !f->slot || f->slot >= f->slots || f->window != 8)
		COUNT(nr_outside);
}

PREFETCHER("watch", .init = (void *)init, .exit = (void *)finish, .swap_fault = (void *)fault)
