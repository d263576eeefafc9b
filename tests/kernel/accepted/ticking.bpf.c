// SPDX-License-Identifier: GPL-2.0
/* FIFO with a tick every 200 ms. */
#include "../cache_ext.bpf.h"

u64 nr_ticks, nr_early, last_ns;

FIFO_INIT
FIFO_ADDED
FIFO_EVICT

SEC("struct_ops/tick") void tick(u64 *ctx)
{
	u64 now = bpf_ktime_get_ns();

	if (last_ns && now - last_ns < 200000000)
		nr_early++;
	last_ns = now;
	nr_ticks++;
}

POLICY("ticking", .tick = (void *)tick, .tick_ms = 200)
