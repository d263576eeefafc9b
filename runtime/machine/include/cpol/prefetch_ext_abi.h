/* SPDX-License-Identifier: GPL-2.0-only */
/* Made from compiler/contract.toml by scripts/contract.py. What a program shares with the kernel. */
#ifndef CPOL_PREFETCH_EXT_ABI_H
#define CPOL_PREFETCH_EXT_ABI_H

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct prefetch_ext_fault {
	u64 page;	/* virtual page of the fault */
	u64 slot;	/* its slot on the swap device */
	u64 slots;	/* slots of that device; slot 0 is its header */
	u64 first;	/* first page of the area (VMA) */
	u64 last;	/* last page of the area */
	u64 area;	/* the process' memory map; with @first it names the area */
	u32 device;	/* number of the swap device */
	u32 flags;	/* PREFETCH_EXT_CACHED, PREFETCH_EXT_PREFETCHED; of swap_prefetch: PREFETCH_EXT_NEW */
	u32 window;	/* most pages that the kernel's own would read */
};

struct prefetch_ext_readahead {
	struct address_space *mapping;	/* the file's pages */
	u64 index;	/* page where the request begins */
	u64 wanted;	/* pages of the request itself, from @index on */
	u64 start;	/* what the kernel's own would read: from here */
	u64 window;	/* so many pages; 0: nothing */
	u64 size;	/* pages of the file */
	u32 flags;	/* PREFETCH_EXT_SEQUENTIAL, _MARKER, _MAPPED */
};

struct prefetch_ext_range {
	struct address_space *mapping;	/* the file's pages */
	u64 index;	/* first page; of an opened file: 0 */
	u64 pages;	/* so many; of an opened file: 0 */
	u64 size;	/* pages of the file */
};

struct prefetch_ext_swap_out {
	u64 page;	/* virtual page of the folio's first page in one of its processes; 0: not known */
	u64 first;	/* first page of its area (VMA) there */
	u64 last;	/* last page of the area */
	u64 area;	/* the process' memory map; with @first it names the area */
	u64 comm;	/* name of that process' command: its first 8 bytes, little endian */
	u64 comm_rest;	/* the other 8 */
	u32 process;	/* its number; 0: not known */
	u32 pages;	/* pages of the folio */
	u32 flags;	/* PREFETCH_EXT_SHARED, PREFETCH_EXT_WORKINGSET */
};
#pragma clang attribute pop

/* Not relocated: libbpf matches members by name, and drops those that the kernel lacks if they are 0. */
struct prefetch_ext_ops {
	s32 (*init)(struct mem_cgroup *memcg);
	void (*exit)(struct mem_cgroup *memcg);
	void (*swap_fault)(struct prefetch_ext_fault *fault,
			   struct mem_cgroup *memcg);
	void (*swap_prefetch)(struct prefetch_ext_fault *fault,
			      struct mem_cgroup *memcg);
	void (*file_readahead)(struct prefetch_ext_readahead *ra,
			       struct mem_cgroup *memcg);
	void (*file_opened)(struct prefetch_ext_range *range,
			    struct mem_cgroup *memcg);
	void (*file_read)(struct prefetch_ext_range *range,
			  struct mem_cgroup *memcg);
	void (*file_written)(struct prefetch_ext_range *range,
			     struct mem_cgroup *memcg);
	void (*swap_out)(struct prefetch_ext_swap_out *out,
			 struct mem_cgroup *memcg);
	u64 cgroup_id;
	u32 flags;
	u32 waste_percent;
	u64 keep_pages;
	char name[16];
	s32 procs_fd;
};

/* Flag of a fault: the page is in the swap cache. */
#define PREFETCH_EXT_CACHED 1
/* Flag of a fault: it was prefetched, and this is its first use. */
#define PREFETCH_EXT_PREFETCHED 2
/* Flag of a fault, for swap_prefetch: swap_fault has not been told of it. */
#define PREFETCH_EXT_NEW 4
/* Flag of the policy: swap_prefetch tells of a fault, too, where it has PREFETCH_EXT_NEW. */
#define PREFETCH_EXT_ONE_CALL 1
/* Flag of readahead: the kernel takes the request for sequential. */
#define PREFETCH_EXT_SEQUENTIAL 1
/* Flag of readahead: the reader came to a page that was marked. */
#define PREFETCH_EXT_MARKER 2
/* Flag of readahead: a fault of a mapping. */
#define PREFETCH_EXT_MAPPED 4
/* Flag of a folio that goes out: more than one process maps it. */
#define PREFETCH_EXT_SHARED 1
/* Flag of a folio that goes out: it was active before. */
#define PREFETCH_EXT_WORKINGSET 2

extern s32 bpf_prefetch_ext_slot(struct prefetch_ext_fault *f, u64 slot) CPOL_KSYM;
extern s32 bpf_prefetch_ext_page(struct prefetch_ext_fault *f, u64 page) CPOL_KSYM;
extern s32 bpf_prefetch_ext_default(struct prefetch_ext_fault *f) CPOL_KSYM;
extern s32 bpf_prefetch_ext_file(struct prefetch_ext_readahead *ra, u64 index, u64 nr, s64 stride) CPOL_KSYM;
extern s32 bpf_prefetch_ext_default_file(struct prefetch_ext_readahead *ra) CPOL_KSYM;
extern s32 bpf_prefetch_ext_window(struct prefetch_ext_range *range, u64 pages) CPOL_KSYM;
extern s32 bpf_prefetch_ext_leave(struct prefetch_ext_range *range) CPOL_KSYM;
extern s32 bpf_prefetch_ext_drop(struct prefetch_ext_range *range) CPOL_KSYM;
extern s32 bpf_prefetch_ext_flush(struct prefetch_ext_range *range, bool wait) CPOL_KSYM;
extern s32 bpf_prefetch_ext_keep(struct prefetch_ext_swap_out *out) CPOL_KSYM;
extern void bpf_prefetch_ext_error(struct mem_cgroup *memcg, s32 code, const char *message__str) CPOL_KSYM;

#endif
