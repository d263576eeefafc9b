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
#if CPOL_USES_CGROUP
	unsigned long memcg_data;
#endif
};

#if CPOL_USES_CGROUP
struct kernfs_node {
	u64 id;
};

struct cgroup {
	struct kernfs_node *kn;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
};

struct mem_cgroup {
	struct cgroup_subsys_state css;
};
#else
/* Opaque, but a struct, since libbpf compares the types of kfuncs with the kernel's. */
struct mem_cgroup {};
#endif

#pragma clang attribute pop

#if CPOL_USES_CGROUP
#define CPOL_BTF_TYPE_OF_KERNEL 1 /* BPF_TYPE_ID_TARGET */
extern void *bpf_rdonly_cast(const void *obj, u32 btf_id) CPOL_KSYM;
#endif

#include "cpol/cache_ext_abi.h"
#if CPOL_PREFETCHES
#include "cpol/prefetch_ext_abi.h"
#endif

#endif
