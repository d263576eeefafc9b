/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel types and functions that these tests use, declared by hand, so that tests need neither bpftool nor vmlinux.h.
 * docs/kernel-interface.md describes them. CO-RE relocates layouts, so only names matter.
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
struct hlist_node {
	struct hlist_node *next;
};
struct hlist_head {
	struct hlist_node *first;
};
struct inode {
	unsigned short i_mode;
	unsigned long i_ino;
	struct hlist_head i_dentry;
};
struct address_space {
	struct inode *host;
};
struct folio {
	unsigned long flags;
	struct address_space *mapping;
	unsigned long index;
};
#pragma clang attribute pop

/* libbpf considers a forward declaration incompatible with the kernel's struct, so define it. */
struct mem_cgroup {
	int unused;
};

/* The kernel's counting loop; the verifier visits its body once. */
struct bpf_iter_num {
	u64 opaque[1];
} __attribute__((aligned(8)));
extern int bpf_iter_num_new(struct bpf_iter_num *it, int start, int end) KSYM;
extern int *bpf_iter_num_next(struct bpf_iter_num *it) KSYM;
extern void bpf_iter_num_destroy(struct bpf_iter_num *it) KSYM;

#define CPOL_KSYM KSYM
#include "cpol/cache_ext_abi.h"

static u64 (*const bpf_ktime_get_ns)(void) = (void *)5;
static u64 (*const bpf_get_current_pid_tgid)(void) = (void *)14;
static long (*const bpf_get_current_comm)(void *buf, u32 size) = (void *)16;

/* A program's arguments are an array of u64. */
#define ARG_FOLIO(ctx) ((struct folio *)(ctx)[0])
#define ARG_MEMCG(ctx) ((struct mem_cgroup *)(ctx)[1])
#define ARG_EVICT(ctx) ((struct cache_ext_evict_ctx *)(ctx)[0])

#define FIFO_INIT                                                                                                                \
	SEC("struct_ops/init") s32 init(u64 *ctx)                                                                                \
	{                                                                                                                        \
		return 0;                                                                                                        \
	}
#define FIFO_ADDED                                                                                                               \
	SEC("struct_ops/folio_added") void added(u64 *ctx)                                                                       \
	{                                                                                                                        \
		bpf_cache_ext_list_add_tail(ARG_FOLIO(ctx), 0);                                                                  \
	}
/* The arguments are statements that run before. */
#define FIFO_EVICT_AFTER(...)                                                                                                    \
	SEC("struct_ops/evict_folios") void evict(u64 *ctx)                                                                      \
	{                                                                                                                        \
		struct cache_ext_evict_ctx *c = ARG_EVICT(ctx);                                                                  \
		struct bpf_iter_cache_ext_list it;                                                                               \
		struct folio *f;                                                                                                 \
                                                                                                                                 \
		__VA_ARGS__                                                                                                      \
		bpf_iter_cache_ext_list_new(&it, ARG_MEMCG(ctx), 0);                                                             \
		while ((f = bpf_iter_cache_ext_list_next(&it)))                                                                  \
			if (!bpf_cache_ext_evict(c, f) && c->nr_evicted >= c->request_nr_folios)                                 \
				break;                                                                                           \
		bpf_iter_cache_ext_list_destroy(&it);                                                                            \
	}
#define FIFO_EVICT FIFO_EVICT_AFTER()
/* One list, unless a policy says otherwise. */
#pragma clang diagnostic ignored "-Winitializer-overrides"
#define POLICY(text, ...)                                                                                                        \
	SEC(".struct_ops.link")                                                                                                  \
	struct cache_ext_ops policy = {                                                                                          \
		.init = (void *)init,                                                                                            \
		.folio_added = (void *)added,                                                                                    \
		.evict_folios = (void *)evict,                                                                                   \
		.name = text,                                                                                                    \
		.nr_lists = 1,                                                                                                   \
		__VA_ARGS__                                                                                                      \
	};

char LICENSE[] SEC("license") = "GPL";

#endif
