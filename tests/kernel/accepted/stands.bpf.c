// SPDX-License-Identifier: GPL-2.0
/* Its 32nd call takes about a second of processor time (8 million steps), as if the program had been stopped in it. */
#include "../cache_ext.bpf.h"

#define STEPS (8 << 20)

u32 calls;

static void stand(void)
{
	struct bpf_iter_num it;

	bpf_iter_num_new(&it, 0, STEPS);
	while (bpf_iter_num_next(&it))
		;
	bpf_iter_num_destroy(&it);
}

FIFO_INIT
FIFO_ADDED
FIFO_EVICT_AFTER(if (__sync_fetch_and_add(&calls, 1) == 31) stand();)
POLICY("stands")
