/* SPDX-License-Identifier: GPL-2.0 */
/* What programs call, as runtime/machine/include/cpol/cache_ext_kernel.h declares it for them. */
#ifndef WORLD_KFUNCS_H
#define WORLD_KFUNCS_H

#include <linux/types.h>

struct cache_ext_evict_ctx;
struct folio;
struct mem_cgroup;

struct bpf_iter_cache_ext_list {
	__u64 __opaque[4];
} __aligned(8);

struct bpf_iter_cache_ext_scan {
	__u64 __opaque[4];
} __aligned(8);

s32 bpf_cache_ext_list_add(struct folio *folio, s32 list);
s32 bpf_cache_ext_list_add_tail(struct folio *folio, s32 list);
s32 bpf_cache_ext_list_move(struct folio *folio, s32 list, bool tail);
s32 bpf_cache_ext_list_del(struct folio *folio);
s32 bpf_cache_ext_evict(struct cache_ext_evict_ctx *ctx, struct folio *folio);
s32 bpf_cache_ext_offer(struct cache_ext_evict_ctx *ctx, struct folio *folio,
			u64 score);
s32 bpf_cache_ext_select(struct cache_ext_evict_ctx *ctx, s32 list, u32 flags,
			 u64 limit, u32 field);
s32 bpf_cache_ext_take_offers(struct cache_ext_evict_ctx *ctx);
u8 *bpf_cache_ext_folio_data(struct folio *folio, const u32 rdwr_buf_size);
s32 bpf_cache_ext_folio_list(struct folio *folio);
bool bpf_cache_ext_folio_executable(struct folio *folio);
s32 bpf_cache_ext_pin(struct folio *folio);
s32 bpf_cache_ext_unpin(struct folio *folio);
s32 bpf_cache_ext_folio_pinned(struct folio *folio);
u64 bpf_cache_ext_list_size(struct mem_cgroup *memcg, s32 list);
u64 bpf_cache_ext_size(struct mem_cgroup *memcg);
u64 bpf_cache_ext_capacity(struct mem_cgroup *memcg);
void bpf_cache_ext_tick(struct mem_cgroup *memcg);
u64 bpf_cache_ext_gone(struct mem_cgroup *memcg);
void bpf_cache_ext_reclaim(struct mem_cgroup *memcg, u64 pages, u64 gone);
void bpf_cache_ext_error(struct mem_cgroup *memcg, s32 code,
			 const char *message__str);
int bpf_iter_cache_ext_list_new(struct bpf_iter_cache_ext_list *it,
				struct mem_cgroup *memcg, s32 list);
struct folio *bpf_iter_cache_ext_list_next(struct bpf_iter_cache_ext_list *it);
void bpf_iter_cache_ext_list_destroy(struct bpf_iter_cache_ext_list *it);
int bpf_iter_cache_ext_scan_new(struct bpf_iter_cache_ext_scan *it,
				struct mem_cgroup *memcg, s32 list, u32 flags,
				u64 limit);
struct folio *bpf_iter_cache_ext_scan_next(struct bpf_iter_cache_ext_scan *it);
void bpf_iter_cache_ext_scan_destroy(struct bpf_iter_cache_ext_scan *it);

#endif
