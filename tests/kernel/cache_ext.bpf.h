/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The few kernel types and functions that these tests touch, by hand, so that neither bpftool nor a vmlinux.h is needed.
 * docs/kernel-interface.md describes them. Layouts are relocated (CO-RE): only names matter.
 */
#ifndef TESTS_KERNEL_CACHE_EXT_BPF_H
#define TESTS_KERNEL_CACHE_EXT_BPF_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int s32;
typedef _Bool bool;
#define true 1
#define false 0
#define NULL ((void *)0)

#define SEC(name) __attribute__((section(name), used))
#define KSYM __attribute__((section(".ksyms")))
#define __uint(name, val) int(*name)[val]
#define __type(name, val) typeof(val) *name

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct inode {
	unsigned long i_ino;
};
struct address_space {
	struct inode *host;
};
struct folio {
	unsigned long flags;
	struct address_space *mapping;
	unsigned long index;
};
struct cache_ext_evict_ctx {
	u32 request_nr_folios;
	s32 nid;
	u32 nr_evicted;
};
#pragma clang attribute pop

/* Defined, since libbpf finds a forward declaration incompatible with the kernel's struct. */
struct mem_cgroup {
	int unused;
};

struct cache_ext_ops {
	s32 (*init)(struct mem_cgroup *memcg);
	void (*exit)(struct mem_cgroup *memcg);
	void (*folio_added)(struct folio *folio, struct mem_cgroup *memcg);
	void (*folio_accessed)(struct folio *folio, struct mem_cgroup *memcg);
	void (*folio_evicted)(struct folio *folio, struct mem_cgroup *memcg);
	void (*folio_removed)(struct folio *folio, struct mem_cgroup *memcg, u32 reason);
	void (*evict_folios)(struct cache_ext_evict_ctx *ctx, struct mem_cgroup *memcg);
	void (*tick)(struct mem_cgroup *memcg);
	bool (*admit_folio)(struct folio *folio, struct mem_cgroup *memcg);
	u64 cgroup_id;
	u32 folio_data_size;
	u32 flags;
	char name[16];
	u32 tick_ms;
};

struct bpf_iter_cache_ext_list {
	u64 opaque[4];
} __attribute__((aligned(8)));
struct bpf_iter_cache_ext_scan {
	u64 opaque[4];
} __attribute__((aligned(8)));

/* The kernel's counting loop, which the verifier goes through once. */
struct bpf_iter_num {
	u64 opaque[1];
} __attribute__((aligned(8)));
extern int bpf_iter_num_new(struct bpf_iter_num *it, int start, int end) KSYM;
extern int *bpf_iter_num_next(struct bpf_iter_num *it) KSYM;
extern void bpf_iter_num_destroy(struct bpf_iter_num *it) KSYM;

extern s32 bpf_cache_ext_list_create(struct mem_cgroup *memcg) KSYM;
extern s32 bpf_cache_ext_lists_create(struct mem_cgroup *memcg, u32 nr) KSYM;
extern void bpf_cache_ext_tick(struct mem_cgroup *memcg) KSYM;
extern s32 bpf_cache_ext_list_add(struct folio *f, s32 list) KSYM;
extern s32 bpf_cache_ext_list_add_tail(struct folio *f, s32 list) KSYM;
extern s32 bpf_cache_ext_list_move(struct folio *f, s32 list, bool tail) KSYM;
extern s32 bpf_cache_ext_list_del(struct folio *f) KSYM;
extern s32 bpf_cache_ext_evict(struct cache_ext_evict_ctx *ctx, struct folio *f) KSYM;
extern s32 bpf_cache_ext_offer(struct cache_ext_evict_ctx *ctx, struct folio *f, u64 score) KSYM;
extern s32 bpf_cache_ext_select(struct cache_ext_evict_ctx *ctx, s32 list, u32 flags, u64 limit, u32 field) KSYM;
extern s32 bpf_cache_ext_take_offers(struct cache_ext_evict_ctx *ctx) KSYM;
extern u8 *bpf_cache_ext_folio_data(struct folio *f, const u32 rdwr_buf_size) KSYM;
extern s32 bpf_cache_ext_folio_list(struct folio *f) KSYM;
extern u64 bpf_cache_ext_list_size(struct mem_cgroup *memcg, s32 list) KSYM;
extern u64 bpf_cache_ext_size(struct mem_cgroup *memcg) KSYM;
extern u64 bpf_cache_ext_capacity(struct mem_cgroup *memcg) KSYM;
extern int bpf_iter_cache_ext_list_new(struct bpf_iter_cache_ext_list *it, struct mem_cgroup *memcg, s32 list) KSYM;
extern struct folio *bpf_iter_cache_ext_list_next(struct bpf_iter_cache_ext_list *it) KSYM;
extern void bpf_iter_cache_ext_list_destroy(struct bpf_iter_cache_ext_list *it) KSYM;
extern int bpf_iter_cache_ext_scan_new(struct bpf_iter_cache_ext_scan *it, struct mem_cgroup *memcg, s32 list, u32 flags,
				       u64 limit) KSYM;
extern struct folio *bpf_iter_cache_ext_scan_next(struct bpf_iter_cache_ext_scan *it) KSYM;
extern void bpf_iter_cache_ext_scan_destroy(struct bpf_iter_cache_ext_scan *it) KSYM;

static u64 (*const bpf_ktime_get_ns)(void) = (void *)5;
static u64 (*const bpf_get_current_pid_tgid)(void) = (void *)14;
static long (*const bpf_get_current_comm)(void *buf, u32 size) = (void *)16;

/* Programs get their arguments as an array of u64. */
#define ARG_FOLIO(ctx) ((struct folio *)(ctx)[0])
#define ARG_MEMCG(ctx) ((struct mem_cgroup *)(ctx)[1])
#define ARG_EVICT(ctx) ((struct cache_ext_evict_ctx *)(ctx)[0])

#define FIFO_INIT                                                                                                                \
	SEC("struct_ops.s/init") s32 init(u64 *ctx)                                                                              \
	{                                                                                                                        \
		return bpf_cache_ext_list_create((struct mem_cgroup *)ctx[0]);                                                   \
	}
#define FIFO_ADDED                                                                                                               \
	SEC("struct_ops/folio_added") void added(u64 *ctx)                                                                       \
	{                                                                                                                        \
		bpf_cache_ext_list_add_tail(ARG_FOLIO(ctx), 0);                                                                  \
	}
#define FIFO_EVICT                                                                                                               \
	SEC("struct_ops/evict_folios") void evict(u64 *ctx)                                                                      \
	{                                                                                                                        \
		struct cache_ext_evict_ctx *c = ARG_EVICT(ctx);                                                                  \
		struct bpf_iter_cache_ext_list it;                                                                               \
		struct folio *f;                                                                                                 \
                                                                                                                                 \
		bpf_iter_cache_ext_list_new(&it, ARG_MEMCG(ctx), 0);                                                             \
		while ((f = bpf_iter_cache_ext_list_next(&it)))                                                                  \
			if (!bpf_cache_ext_evict(c, f) && c->nr_evicted >= c->request_nr_folios)                                 \
				break;                                                                                           \
		bpf_iter_cache_ext_list_destroy(&it);                                                                            \
	}
#define POLICY(text, ...)                                                                                                        \
	SEC(".struct_ops.link")                                                                                                  \
	struct cache_ext_ops policy = {                                                                                          \
		.init = (void *)init,                                                                                            \
		.folio_added = (void *)added,                                                                                    \
		.evict_folios = (void *)evict,                                                                                   \
		.name = text,                                                                                                    \
		__VA_ARGS__                                                                                                      \
	};

char LICENSE[] SEC("license") = "GPL";

#endif
