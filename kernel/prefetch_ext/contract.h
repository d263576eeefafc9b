/* SPDX-License-Identifier: GPL-2.0 */
/* Made from compiler/contract.toml by scripts/contract.py. */
#ifndef _MM_PREFETCH_EXT_CONTRACT_H
#define _MM_PREFETCH_EXT_CONTRACT_H

#include <linux/types.h>

struct address_space;
struct mem_cgroup;

/* Pages that one call of a prefetching handler can ask for. */
#define PREFETCH_EXT_MAX_TARGETS 64
/* Share of wasted pages beyond which a prefetching policy is stopped, if it states none. */
#define PREFETCH_EXT_WASTE_PERCENT 90
/* Prefetched pages, used or wasted, after which the watchdog looks at their share. */
#define PREFETCH_EXT_WINDOW 512
/* Windows in a row with too much waste, until a policy is stopped. */
#define PREFETCH_EXT_OFFENCES 4
/* Percent of its cgroup's limit that a policy's prefetched pages may lie unused in: the oldest beyond are wasted. */
#define PREFETCH_EXT_UNUSED_PERCENT 25
/* So many may lie unused in a cgroup however small. */
#define PREFETCH_EXT_UNUSED_LEAST 1024
/* Buckets of the histogram of fault latency. */
#define PREFETCH_EXT_BUCKETS 24

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

/* Members of prefetch_ext_ops, as bpf_prog->expected_attach_type counts them. */
enum prefetch_ext_member {
	PREFETCH_EXT_INIT = 0,
	PREFETCH_EXT_EXIT = 1,
	PREFETCH_EXT_SWAP_FAULT = 2,
	PREFETCH_EXT_SWAP_PREFETCH = 3,
	PREFETCH_EXT_FILE_READAHEAD = 4,
	PREFETCH_EXT_FILE_OPENED = 5,
	PREFETCH_EXT_FILE_READ = 6,
	PREFETCH_EXT_FILE_WRITTEN = 7,
	PREFETCH_EXT_SWAP_OUT = 8,
	PREFETCH_EXT_MEMBERS,
};

enum prefetch_ext_stat_item {
	PES_FAULTS,
	PES_CACHED,
	PES_ASKED,
	PES_PREFETCHED,
	PES_USED,
	PES_LATE,
	PES_WASTED,
	PES_OUT_OF_RANGE,
	PES_DUPLICATES,
	PES_OVER_LIMIT,
	PES_FOREIGN,
	PES_ABSENT,
	PES_DEFAULTED,
	PES_NOMEM,
	PES_RA_ASKED,
	PES_RA_WANTED,
	PES_RA_PREFETCHED,
	PES_RA_USED,
	PES_RA_WASTED,
	PES_OVER_SHARE,
	PES_RA_DEFAULTED,
	PES_OPENED,
	PES_FILES_LEFT,
	PES_RANGES,
	PES_DROPPED,
	PES_LEFT,
	PES_FLUSHED,
	PES_WAITED,
	PES_DEFERRED,
	PES_SKIPPED,
	PES_DEFERRED_US,
	PES_OUT_ASKED,
	PES_OUT_KEPT,
	PES_OUT_REFUSED,
	PES_OUT_OVERRULED,
	PES_OFFENCES,
	PES_PROG_NS,
	PES_NR,
};

#endif
