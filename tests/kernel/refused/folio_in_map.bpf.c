// SPDX-License-Identifier: GPL-2.0
/* EXPECT: Error loading .BTF into kernel: -2 */
/* A folio has no destructor, so no map can hold one. */
#include "../cache_ext.bpf.h"

struct value {
	struct folio __attribute__((btf_type_tag("kptr"))) *f;
};
struct {
	__uint(type, 2); /* array */
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct value);
} stash SEC(".maps");

static void *(*const bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static void *(*const bpf_kptr_xchg)(void *dst, void *ptr) = (void *)194;

FIFO_INIT
FIFO_ADDED
FIFO_EVICT

SEC("struct_ops/folio_accessed") void accessed(u64 *ctx)
{
	u32 zero = 0;
	struct value *v = bpf_map_lookup_elem(&stash, &zero);

	if (v)
		bpf_kptr_xchg(&v->f, ARG_FOLIO(ctx));
}

POLICY("refused", .folio_accessed = (void *)accessed)
