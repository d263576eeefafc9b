// SPDX-License-Identifier: GPL-2.0
/* EXPECT: */
/* cache_ext kfuncs from another struct_ops type. */
#include "../cache_ext.bpf.h"

struct sock;

struct tcp_congestion_ops {
	u32 (*ssthresh)(struct sock *sk);
	u32 (*undo_cwnd)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, u32 ack, u32 acked);
	char name[16];
};

SEC("struct_ops/ssthresh") u32 ssthresh(u64 *ctx)
{
	bpf_cache_ext_list_move(ARG_FOLIO(ctx), 0, true);
	return 2;
}

SEC("struct_ops/undo_cwnd") u32 undo(u64 *ctx)
{
	return 2;
}

SEC("struct_ops/cong_avoid") void avoid(u64 *ctx)
{
}

SEC(".struct_ops.link")
struct tcp_congestion_ops other = {
	.ssthresh = (void *)ssthresh,
	.undo_cwnd = (void *)undo,
	.cong_avoid = (void *)avoid,
	.name = "bpf_other",
};
