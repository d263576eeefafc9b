// SPDX-License-Identifier: GPL-2.0
/* Segmented LRU: event handlers move the end of another list; ticks by interval and on request; helpers in all programs. */
#include "../cache_ext.bpf.h"

/* @nr_overrun: steps beyond a scan's limit. @nr_backwards: times that ran backwards. */
u64 nr_demoted, nr_overrun, nr_backwards, nr_kicked, nr_ticks, nr_in_tick, nr_nobody, nr_wrong_end, nr_seen, last_ns, min_gap_ns, nr_large;

static __attribute__((always_inline)) void who_and_when(void)
{
	u64 before = bpf_ktime_get_ns();
	char comm[16];

	if (bpf_get_current_comm(comm, sizeof(comm)) || !comm[0])
		__sync_fetch_and_add(&nr_nobody, 1);
	/* Kernel threads have an id, too; only idle tasks have none. */
	if (!bpf_get_current_pid_tgid())
		__sync_fetch_and_add(&nr_nobody, 1);
	if (bpf_ktime_get_ns() < before)
		__sync_fetch_and_add(&nr_backwards, 1);
}

SEC("struct_ops/init") s32 init(u64 *ctx)
{
	who_and_when();
	return 0;
}

/* A scan with a limit of 1 returns one folio at most, which is on the requested list. */
static __attribute__((always_inline)) void look(struct mem_cgroup *memcg, s32 list, u32 end)
{
	struct bpf_iter_cache_ext_scan it;
	struct folio *f;

	bpf_iter_cache_ext_scan_new(&it, memcg, list, end, 1);
	f = bpf_iter_cache_ext_scan_next(&it);
	if (f) {
		__sync_fetch_and_add(&nr_seen, 1);
		if (bpf_cache_ext_list_size(memcg, list) && bpf_cache_ext_folio_list(f) > 1)
			__sync_fetch_and_add(&nr_wrong_end, 1);
		if (bpf_iter_cache_ext_scan_next(&it))
			__sync_fetch_and_add(&nr_overrun, 1);
	}
	bpf_iter_cache_ext_scan_destroy(&it);
	bpf_iter_cache_ext_scan_new(&it, memcg, list, end, 2);
	if (bpf_iter_cache_ext_scan_next(&it))
		__sync_fetch_and_add(&nr_overrun, 1);
	bpf_iter_cache_ext_scan_destroy(&it);
}

SEC("struct_ops/folio_added") void added(u64 *ctx)
{
	who_and_when();
	look(ARG_MEMCG(ctx), 0, 0);
	bpf_cache_ext_list_add_tail(ARG_FOLIO(ctx), 0);
}

SEC("struct_ops/folio_accessed") void accessed(u64 *ctx)
{
	struct mem_cgroup *memcg = ARG_MEMCG(ctx);
	struct bpf_iter_cache_ext_scan it;
	struct folio *f;

	who_and_when();
	bpf_cache_ext_list_move(ARG_FOLIO(ctx), 1, true);
	if (bpf_cache_ext_list_size(memcg, 1) > bpf_cache_ext_size(memcg) / 2) {
		bpf_iter_cache_ext_scan_new(&it, memcg, 1, 0, 1);
		f = bpf_iter_cache_ext_scan_next(&it);
		if (f && !bpf_cache_ext_list_move(f, 0, true))
			__sync_fetch_and_add(&nr_demoted, 1);
		bpf_iter_cache_ext_scan_destroy(&it);
	}
	/* Page table locks may be held here. Many requests cause one tick. */
	bpf_cache_ext_tick(memcg);
	__sync_fetch_and_add(&nr_kicked, 1);
}

SEC("struct_ops/folio_evicted") void evicted(u64 *ctx)
{
	who_and_when();
	look(ARG_MEMCG(ctx), 0, 1);
}

SEC("struct_ops/folio_removed") void removed(u64 *ctx)
{
	who_and_when();
	look(ARG_MEMCG(ctx), 1, 1);
	/* Interrupts are off here. */
	bpf_cache_ext_tick(ARG_MEMCG(ctx));
}

SEC("struct_ops/tick") void tick(u64 *ctx)
{
	struct mem_cgroup *memcg = (struct mem_cgroup *)ctx[0];
	u64 now = bpf_ktime_get_ns();

	who_and_when();
	if (__sync_fetch_and_add(&nr_in_tick, 1))
		__sync_fetch_and_add(&nr_overrun, 1);
	if (bpf_cache_ext_list_size(memcg, 0) + bpf_cache_ext_list_size(memcg, 1) > 1000 && bpf_cache_ext_size(memcg) > 1000 &&
	    bpf_cache_ext_capacity(memcg) > 1000)
		__sync_fetch_and_add(&nr_large, 1);
	look(memcg, 0, 0);
	if (last_ns && (!min_gap_ns || now - last_ns < min_gap_ns))
		min_gap_ns = now - last_ns;
	last_ns = now;
	nr_ticks++;
	__sync_fetch_and_add(&nr_in_tick, -1);
}

SEC("struct_ops/evict_folios") void evict(u64 *ctx)
{
	struct cache_ext_evict_ctx *c = ARG_EVICT(ctx);
	struct mem_cgroup *memcg = ARG_MEMCG(ctx);
	struct bpf_iter_cache_ext_scan it;
	struct folio *f;

	who_and_when();
	bpf_iter_cache_ext_scan_new(&it, memcg, 0, 0, 512);
	while ((f = bpf_iter_cache_ext_scan_next(&it)))
		if (!bpf_cache_ext_evict(c, f) && c->nr_evicted >= c->request_nr_folios)
			break;
	bpf_iter_cache_ext_scan_destroy(&it);
	if (c->nr_evicted)
		return;
	bpf_iter_cache_ext_scan_new(&it, memcg, 1, 0, 512);
	while ((f = bpf_iter_cache_ext_scan_next(&it)))
		if (!bpf_cache_ext_evict(c, f) && c->nr_evicted >= c->request_nr_folios)
			break;
	bpf_iter_cache_ext_scan_destroy(&it);
}

SEC("struct_ops/exit") void exit_policy(u64 *ctx)
{
	who_and_when();
}

POLICY("demote", .exit = (void *)exit_policy, .folio_accessed = (void *)accessed, .folio_evicted = (void *)evicted,
	.folio_removed = (void *)removed, .tick = (void *)tick, .nr_lists = 2)
