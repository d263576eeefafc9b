/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of prefetching use, beside cache_ext.bpf.h. A policy is one macro: PREFETCHER(name, members). */
#ifndef TESTS_KERNEL_PREFETCH_BPF_H
#define TESTS_KERNEL_PREFETCH_BPF_H

typedef long long s64;
#include "../cache_ext.bpf.h"
#include "cpol/prefetch_ext_abi.h"

static u32 (*const bpf_get_prandom_u32)(void) = (void *)7;

#define ARG_FAULT(ctx) ((struct prefetch_ext_fault *)(ctx)[0])
#define ARG_RA(ctx) ((struct prefetch_ext_readahead *)(ctx)[0])

#define ARG_RANGE(ctx) ((struct prefetch_ext_range *)(ctx)[0])
#define ARG_OUT(ctx) ((struct prefetch_ext_swap_out *)(ctx)[0])

#define COUNT(counter) __sync_fetch_and_add(&(counter), 1)

/* i is 0, 1, … below the bound. */
#define FOR(i, bound) for (u32 i = 0; i < (bound); i++)

#define PREFETCHER(text, ...)                                                                                                    \
	SEC(".struct_ops.link")                                                                                                  \
	struct prefetch_ext_ops policy = { .name = text, __VA_ARGS__ };

#endif
