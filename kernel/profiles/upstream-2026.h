/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The types and prototypes that an object for upstream's redesigned cache_ext can use. cpolc compiles this header to BTF and
 * compares objects for the profile upstream-2026 with it, in place of that kernel's own BTF. Policies are compiled against
 * a separate copy, runtime/machine/include/cpol/upstream_kernel.h.
 *
 * Other kernel structs have only the members that policies read. Their offsets do not matter (CO-RE).
 */

typedef _Bool bool;
typedef unsigned int u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;

typedef struct {
	s64 counter;
} atomic_long_t;

typedef struct {
	unsigned long f;
} memdesc_flags_t;

struct super_block {
	u32 s_dev;
};

struct inode {
	struct super_block *i_sb;
	unsigned long i_ino;
	u32 i_generation;
};

struct address_space {
	struct inode *host;
};

struct task_struct {
	u64 start_time;
};

enum pageflags {
	PG_writeback = 1,
	PG_dirty = 4,
	PG_head = 6,
};

struct folio {
	memdesc_flags_t flags;
	struct address_space *mapping;
	unsigned long index;
	unsigned int _nr_pages; /* of a large folio */
};

struct page_counter {
	atomic_long_t usage; /* pages */
	unsigned long high;
	unsigned long max;
	struct page_counter *parent;
};

struct mem_cgroup {
	struct page_counter memory;
};

/* The request to evict_folios: read-only. It holds no folios. */
struct cache_ext_eviction_ctx {
	u64 request_nr_folios;
	int nid;
	u64 nr_evicted;
};

struct cache_ext_ops {
	s32 (*init)(struct mem_cgroup *memcg); /* may sleep */
	void (*evict_folios)(struct cache_ext_eviction_ctx *ctx, struct mem_cgroup *memcg);
	void (*folio_added)(struct folio *folio);
	void (*folio_accessed)(struct folio *folio);
	void (*folio_evicted)(struct folio *folio);
	bool (*admit_folio)(struct folio *folio);
	void (*exit)(struct mem_cgroup *memcg); /* may sleep */
};

struct bpf_iter_cache_ext_list {
	u64 opaque[3];
} __attribute__((aligned(8)));

struct bpf_iter_num {
	u64 opaque[1];
} __attribute__((aligned(8)));

s32 bpf_cache_ext_list_create(struct mem_cgroup *memcg);
int bpf_cache_ext_list_add(struct folio *folio, u64 list);
int bpf_cache_ext_list_add_tail(struct folio *folio, u64 list);
int bpf_cache_ext_list_move(struct folio *folio, u64 list, bool tail);
int bpf_cache_ext_list_del(struct folio *folio);
int bpf_cache_ext_evict(struct cache_ext_eviction_ctx *ctx, struct folio *folio);
int bpf_iter_cache_ext_list_new(struct bpf_iter_cache_ext_list *it, struct mem_cgroup *memcg, u64 list);
struct folio *bpf_iter_cache_ext_list_next(struct bpf_iter_cache_ext_list *it);
void bpf_iter_cache_ext_list_destroy(struct bpf_iter_cache_ext_list *it);

int bpf_iter_num_new(struct bpf_iter_num *it, int start, int end);
int *bpf_iter_num_next(struct bpf_iter_num *it);
void bpf_iter_num_destroy(struct bpf_iter_num *it);
