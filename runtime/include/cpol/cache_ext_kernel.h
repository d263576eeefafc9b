/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's side of cache_ext (docs/kernel-interface.md), declared by hand. bpf_kernel.h says which layouts matter. */
#ifndef CPOL_CACHE_EXT_KERNEL_H
#define CPOL_CACHE_EXT_KERNEL_H

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct cpol_count {
	s32 counter;
};

struct folio {
	unsigned long flags;
	struct address_space *mapping;
	unsigned long index;
	struct cpol_count _mapcount;       /* of a folio of one page */
	struct cpol_count _large_mapcount; /* of a larger one */
	unsigned int _folio_nr_pages;
};

/* Opaque, but a struct, since libbpf compares the types of kfuncs with the kernel's. */
struct mem_cgroup {};

#pragma clang attribute pop

#include "cpol/cache_ext_abi.h"

#endif
