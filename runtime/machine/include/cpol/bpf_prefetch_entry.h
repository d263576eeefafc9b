/* SPDX-License-Identifier: GPL-2.0-only */
/* The struct_ops programs of a policy that prefetches, and their map. Each builds the context and calls its handler. */
#ifndef CPOL_BPF_PREFETCH_ENTRY_H
#define CPOL_BPF_PREFETCH_ENTRY_H

#include "cpol/bpf.h"
#include "cpol/bpf_program.h"

#if CPOL_EVICTS
/* The loader attaches these programs first: until cpol_init has run, the kernel's own prefetching stands in. */
#define CPOL_IS_READY() (*(volatile bool *)&cpol_ready)
#else
#define CPOL_IS_READY() true

#if CPOL_HAS_INIT || CPOL_USES_TIME
CPOL_PROGRAM_("struct_ops/init", s32, cpol_init)
{
	cpol_ctx c __attribute__((unused)) = { .memcg = (struct mem_cgroup *)ctx[0] };

	cpol_time_begin();
#if CPOL_HAS_INIT
	cpol_on_init(&c);
#endif
	return 0;
}
#endif
#endif

/* The kernel passes no NULL. The compiler learns it here, so no code chooses between a request and a range. */
#define CPOL_NEVER_NULL(pointer)                 \
	do {                                     \
		if (!(pointer))                  \
			__builtin_unreachable(); \
	} while (0)

#if CPOL_HAS_FAULT
CPOL_PROGRAM(swap_fault)
{
	cpol_ctx c = { .fault = (struct prefetch_ext_fault *)ctx[0], .memcg = (struct mem_cgroup *)ctx[1] };

	if (CPOL_IS_READY())
		cpol_on_fault(&c);
}
#endif

#if CPOL_HAS_PREFETCH
CPOL_PROGRAM(swap_prefetch)
{
	cpol_ctx c = { .fault = (struct prefetch_ext_fault *)ctx[0], .memcg = (struct mem_cgroup *)ctx[1] };

	if (!CPOL_IS_READY()) {
		bpf_prefetch_ext_default(c.fault);
		return;
	}
#if CPOL_HAS_FAULT
	if (cpol_fault_is_new(&c))
		cpol_on_fault(&c);
#endif
	cpol_on_prefetch(&c);
}
#endif

#if CPOL_HAS_READAHEAD
CPOL_PROGRAM(file_readahead)
{
	cpol_ctx c = { .request = (struct prefetch_ext_readahead *)ctx[0], .memcg = (struct mem_cgroup *)ctx[1] };

	if (CPOL_IS_READY())
		cpol_on_readahead(&c);
	else
		bpf_prefetch_ext_default_file(c.request);
}
#endif

#if CPOL_RANGES
#define CPOL_RANGE_PROGRAM(NAME, name)                                                                                   \
	CPOL_PROGRAM(file_##name)                                                                                        \
	{                                                                                                                \
		cpol_ctx c = { .range = (struct prefetch_ext_range *)ctx[0], .memcg = (struct mem_cgroup *)ctx[1] };     \
                                                                                                                         \
		CPOL_NEVER_NULL(c.range);                                                                                \
		if (CPOL_IS_READY())                                                                                     \
			cpol_on_##name(&c);                                                                              \
	}
CPOL_ON_RANGES(CPOL_RANGE_PROGRAM)
#endif

#if CPOL_HAS_SWAP
CPOL_PROGRAM(swap_out)
{
	cpol_ctx c = { .out = (struct prefetch_ext_swap_out *)ctx[0], .memcg = (struct mem_cgroup *)ctx[1] };

	CPOL_NEVER_NULL(c.out);
	if (CPOL_IS_READY())
		cpol_on_swap(&c);
}
#endif

#if !CPOL_EVICTS
#define CPOL_PREFETCH_MAP_NAME CPOL_MAP_NAME
#endif

/* The loader sets cgroup_id and keep_pages. */
SEC(".struct_ops.link") struct prefetch_ext_ops CPOL_PREFETCH_MAP_NAME = {
#if !CPOL_EVICTS && (CPOL_HAS_INIT || CPOL_USES_TIME)
	.init = (void *)cpol_init,
#endif
#if CPOL_HAS_FAULT
	.swap_fault = (void *)cpol_swap_fault,
#endif
#if CPOL_HAS_PREFETCH
	.swap_prefetch = (void *)cpol_swap_prefetch,
#endif
#if CPOL_HAS_FAULT && CPOL_HAS_PREFETCH
	.flags = PREFETCH_EXT_ONE_CALL,
#endif
#if CPOL_HAS_READAHEAD
	.file_readahead = (void *)cpol_file_readahead,
#endif
#if CPOL_RANGES
#define CPOL_RANGE_MEMBER(NAME, name) .file_##name = (void *)cpol_file_##name,
	CPOL_ON_RANGES(CPOL_RANGE_MEMBER)
#endif
#if CPOL_HAS_SWAP
	.swap_out = (void *)cpol_swap_out,
#endif
	.name = CPOL_NAME,
};

#endif
