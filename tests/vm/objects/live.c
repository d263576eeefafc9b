/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A FIFO with live params and inputs, handwritten as the compiler would generate it (runtime/machine/include/cpol/README.md), to test the
 * loader's side of that contract. cpol_seen counts what it saw of params and inputs. A step of 99 is an error.
 */
#include "cpol/bpf_kernel.h"

#pragma clang attribute pop /* of bpf_types.h: functions here have debug information */

#define WITH_TYPE(name, ...) __typeof__(__VA_ARGS__) *name
#define WITH_NUMBER(name, value) int(*name)[value]
#define NO_PREALLOC 1

static void *(*const look_up)(void *map, const void *key) = (void *)1;

struct page_key {
	u32 prefixlen;
	u8 file_be[8];
	u8 index_be[8];
};

#define INPUT(name)                                                                                                            \
	struct {                                                                                                               \
		WITH_NUMBER(type, 1);                                                                                          \
		WITH_TYPE(key, u64);                                                                                           \
		WITH_TYPE(value, s64);                                                                                         \
		WITH_NUMBER(max_entries, 65536);                                                                               \
		WITH_NUMBER(map_flags, NO_PREALLOC);                                                                           \
	} cpol_input_##name SEC(".maps")

INPUT(scanners);
INPUT(tenants);
INPUT(hot_files_of_the_application);
INPUT(weights);

struct {
	WITH_NUMBER(type, 11);
	WITH_TYPE(key, struct page_key);
	WITH_TYPE(value, s64);
	WITH_NUMBER(max_entries, 65536);
	WITH_NUMBER(map_flags, NO_PREALLOC);
} cpol_input_headers SEC(".maps");

/* The params: u32 step, fix share, s8 bias (fixed), all in .data.params since one is live. */
struct cpol_param_values {
	u32 step;
	s64 share;
	s8 bias;
};

volatile struct cpol_param_values cpol_params SEC(".data.params") = { 3, 6554, -2 };

struct seen {
	u64 added, hot, headers, weight, step, scanner, bias, refuse;
} cpol_seen;

SEC("struct_ops/init") s32 live_init(const u64 *ctx)
{
	(void)ctx;
	if (cpol_params.bias == -128) /* simulate an init that fails */
		return -12;
	return 0;
}

static __always_inline u64 mix64(u64 x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/* docs/semantics.md, Identity. */
static __always_inline u64 file_of(struct folio *f)
{
	struct inode *inode = f->mapping->host;

	return mix64(inode->i_ino + mix64((u64)inode->i_sb->s_dev << 32 | inode->i_generation));
}

static __always_inline void count(struct folio *f)
{
	u64 file = file_of(f), index = f->index, thread = 2;
	struct page_key page = { .prefixlen = 128 };
	u64 be_file = __builtin_bswap64(file), be_index = __builtin_bswap64(index);
	s64 *value;

	__builtin_memcpy(page.file_be, &be_file, 8);
	__builtin_memcpy(page.index_be, &be_index, 8);
	__sync_fetch_and_add(&cpol_seen.added, 1);
	__sync_fetch_and_add(&cpol_seen.step, cpol_params.step);
	cpol_seen.bias = cpol_params.bias;
	if (look_up(&cpol_input_hot_files_of_the_application, &file))
		__sync_fetch_and_add(&cpol_seen.hot, 1);
	if (look_up(&cpol_input_headers, &page))
		__sync_fetch_and_add(&cpol_seen.headers, 1);
	value = look_up(&cpol_input_weights, &file);
	__sync_fetch_and_add(&cpol_seen.weight, value ? *value : 0);
	if (look_up(&cpol_input_scanners, &thread))
		__sync_fetch_and_add(&cpol_seen.scanner, 1);
	if (look_up(&cpol_input_tenants, &thread))
		__sync_fetch_and_add(&cpol_seen.refuse, 1);
}

SEC("struct_ops/folio_added") void live_added(const u64 *ctx)
{
	struct folio *f = (struct folio *)ctx[0];

	count(f);
	if (cpol_params.step == 99)
		bpf_cache_ext_error((struct mem_cgroup *)ctx[1], 7, "the step is \"99\"");
	bpf_cache_ext_list_add_tail(f, 0);
}

SEC("struct_ops/evict_folios") void live_evict(const u64 *ctx)
{
	struct cache_ext_evict_ctx *evict = (struct cache_ext_evict_ctx *)ctx[0];
	struct bpf_iter_cache_ext_list it;
	struct folio *f;

	bpf_iter_cache_ext_list_new(&it, (struct mem_cgroup *)ctx[1], 0);
	while ((f = bpf_iter_cache_ext_list_next(&it))) {
		bpf_cache_ext_evict(evict, f);
		if (evict->nr_evicted >= evict->request_nr_folios)
			break;
	}
	bpf_iter_cache_ext_list_destroy(&it);
}

SEC(".struct_ops.link") struct cache_ext_ops policy_live_by_hand = {
	.init = (void *)live_init,
	.folio_added = (void *)live_added,
	.evict_folios = (void *)live_evict,
	.name = "live_by_hand",
};

static const char manifest[] __attribute__((section(".cpol"), used)) =
	"cpol 1 live_by_hand\n"
	"param step u32 3 1 100 0 4 live\n"
	"param share fix 6554 655 32768 8 8 live\n"
	"param bias s8 -2 -128 10 16 1\n"
	"params data\n"
	"input scanners set thread bool 0\n"
	"input tenants map process u16 7\n"
	"input hot_files_of_the_application set file bool 0\n"
	"input weights map file s32 0\n"
	"input headers set page bool 0\n"
	"lists queue\n"
	"meta 0\n";

const char live_license[] SEC("license") = "GPL";
