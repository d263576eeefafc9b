// SPDX-License-Identifier: GPL-2.0
/* EXPECT: calling kernel function bpf_cache_ext_list_move is not allowed */
/* cache_ext kfuncs from another struct_ops type. */
#include "../cache_ext.bpf.h"

struct bpf_dummy_ops_state;

struct bpf_dummy_ops {
	int (*test_1)(struct bpf_dummy_ops_state *state);
};

SEC("struct_ops/test_1") int test_1(u64 *ctx)
{
	bpf_cache_ext_list_move(ARG_FOLIO(ctx), 0, true);
	return 0;
}

SEC(".struct_ops.link")
struct bpf_dummy_ops other = {
	.test_1 = (void *)test_1,
};
