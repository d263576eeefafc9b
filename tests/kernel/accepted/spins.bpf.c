// SPDX-License-Identifier: GPL-2.0
/* Three nested iterators: n * n * n steps with n folios on each list, unless the kernel stops them. */
#include "../cache_ext.bpf.h"

u64 calls;
u64 steps;

FIFO_INIT

SEC("struct_ops/folio_added") void added(u64 *ctx)
{
	struct folio *f = ARG_FOLIO(ctx);

	bpf_cache_ext_list_add_tail(f, f->index % 3);
}

SEC("struct_ops/evict_folios") void evict(u64 *ctx)
{
	struct mem_cgroup *memcg = ARG_MEMCG(ctx);
	struct bpf_iter_cache_ext_list a, b, c;

	calls++;
	bpf_iter_cache_ext_list_new(&a, memcg, 0);
	while (bpf_iter_cache_ext_list_next(&a)) {
		bpf_iter_cache_ext_list_new(&b, memcg, 1);
		while (bpf_iter_cache_ext_list_next(&b)) {
			bpf_iter_cache_ext_list_new(&c, memcg, 2);
			while (bpf_iter_cache_ext_list_next(&c))
				steps++;
			bpf_iter_cache_ext_list_destroy(&c);
		}
		bpf_iter_cache_ext_list_destroy(&b);
	}
	bpf_iter_cache_ext_list_destroy(&a);
}

POLICY("spins", .nr_lists = 3)
