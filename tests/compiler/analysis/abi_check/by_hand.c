/* SPDX-License-Identifier: GPL-2.0-only */
/* A handwritten policy for upstream's interface. The macros CASE_… replace parts of it by wrong ones. */
#define SEC(name) __attribute__((section(name), used))
#define KSYM __attribute__((section(".ksyms")))
#define NULL ((void *)0)

typedef _Bool bool;
typedef unsigned int u32;
typedef int s32;
typedef unsigned long long u64;

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct folio {
	unsigned long index;
#ifdef CASE_FIELD
	u32 _folio_nr_pages;
#endif
};

struct cache_ext_eviction_ctx {
	u64 request_nr_folios;
	u64 nr_evicted;
};

struct mem_cgroup {};
#pragma clang attribute pop

struct bpf_iter_cache_ext_list {
#ifdef CASE_ITERATOR_SIZE
	u64 opaque[4];
#else
	u64 opaque[3];
#endif
} __attribute__((aligned(8)));

struct cache_ext_ops {
	s32 (*init)(struct mem_cgroup *memcg);
#ifdef CASE_MEMBER_TYPE
	void (*folio_added)(struct folio *folio, struct mem_cgroup *memcg);
#else
	void (*folio_added)(struct folio *folio);
#endif
	void (*folio_accessed)(struct folio *folio);
	void (*evict_folios)(struct cache_ext_eviction_ctx *ctx, struct mem_cgroup *memcg);
	void (*tick)(struct mem_cgroup *memcg);
	u32 flags;
};

extern s32 bpf_cache_ext_list_create(struct mem_cgroup *memcg) KSYM;
extern int bpf_cache_ext_list_add(struct folio *folio, u64 list) KSYM;
#ifdef CASE_PROTOTYPE
extern int bpf_cache_ext_list_move(struct folio *folio, s32 list, bool tail) KSYM;
#else
extern int bpf_cache_ext_list_move(struct folio *folio, u64 list, bool tail) KSYM;
#endif
extern int bpf_cache_ext_evict(struct cache_ext_eviction_ctx *ctx, struct folio *folio) KSYM;
extern int bpf_cache_ext_offer(struct cache_ext_eviction_ctx *ctx, struct folio *folio, u64 score) KSYM;
extern int bpf_iter_cache_ext_list_new(struct bpf_iter_cache_ext_list *it, struct mem_cgroup *memcg, u64 list) KSYM;
extern struct folio *bpf_iter_cache_ext_list_next(struct bpf_iter_cache_ext_list *it) KSYM;
extern void bpf_iter_cache_ext_list_destroy(struct bpf_iter_cache_ext_list *it) KSYM;

static long (*const bpf_get_current_comm)(void *to, u32 size) = (void *)16;
static u64 (*const bpf_ktime_get_ns)(void) = (void *)5;

u64 seen;

SEC("struct_ops.s/init") s32 by_hand_init(const u64 *ctx)
{
	return bpf_cache_ext_list_create((struct mem_cgroup *)ctx[0]) < 0;
}

SEC("struct_ops/folio_added") void by_hand_added(const u64 *ctx)
{
	struct folio *folio = (struct folio *)ctx[0];

#ifdef CASE_ARGUMENT
	seen = ctx[1];
#endif
#ifdef CASE_ARGUMENT_KEPT
	const u64 *volatile kept = ctx;

	bpf_ktime_get_ns();
	seen = kept[2];
#endif
#ifdef CASE_HELPER
	char name[16];

	bpf_get_current_comm(name, sizeof(name));
	seen = name[0];
#endif
#ifdef CASE_FIELD
	seen = folio->_folio_nr_pages;
#endif
	bpf_cache_ext_list_add(folio, 0);
}

__attribute__((noinline)) int adopt(u64 list)
{
	return bpf_cache_ext_list_create(NULL) + list;
}

SEC("struct_ops/folio_accessed") void by_hand_accessed(const u64 *ctx)
{
	struct folio *folio = (struct folio *)ctx[0];

#ifdef CASE_ADD_IN_ACCESSED
	bpf_cache_ext_list_add(folio, 0);
#endif
#ifdef CASE_EVICT_IN_ACCESSED
	bpf_cache_ext_evict(NULL, folio);
#endif
#ifdef CASE_CREATE_IN_A_FUNCTION
	adopt(seen);
#endif
	bpf_cache_ext_list_move(folio, 0, 1);
}

#ifdef CASE_SLEEPS
SEC("struct_ops.s/evict_folios")
#else
SEC("struct_ops/evict_folios")
#endif
void by_hand_evict(const u64 *ctx)
{
	struct cache_ext_eviction_ctx *evict = (struct cache_ext_eviction_ctx *)ctx[0];
	struct bpf_iter_cache_ext_list it;
	struct folio *folio;

	bpf_iter_cache_ext_list_new(&it, (struct mem_cgroup *)ctx[1], 0);
	while ((folio = bpf_iter_cache_ext_list_next(&it))) {
#ifdef CASE_UNKNOWN_KFUNC
		bpf_cache_ext_offer(evict, folio, folio->index);
#endif
		if (evict->nr_evicted >= evict->request_nr_folios || bpf_cache_ext_evict(evict, folio))
			break;
	}
	bpf_iter_cache_ext_list_destroy(&it);
}

#ifdef CASE_MEMBER
SEC("struct_ops/tick") void by_hand_tick(const u64 *ctx)
{
	seen = 0;
}
#endif

#ifndef CASE_NO_POLICY
SEC(".struct_ops.link") struct cache_ext_ops by_hand = {
	.init = (void *)by_hand_init,
	.folio_added = (void *)by_hand_added,
	.folio_accessed = (void *)by_hand_accessed,
	.evict_folios = (void *)by_hand_evict,
#ifdef CASE_MEMBER
	.tick = (void *)by_hand_tick,
#endif
#ifdef CASE_DATA_MEMBER
	.flags = 1,
#endif
};
#endif

const char by_hand_license[] SEC("license") = "GPL";
