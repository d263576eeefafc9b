// SPDX-License-Identifier: GPL-2.0
/* Its 32nd call goes on until cxrun says stop (or for 512 million steps): as if the program had been stopped in it. */
#include "../cache_ext.bpf.h"

#define ROUNDS 64
#define STEPS (8 << 20)

u64 calls;
volatile u32 stop SEC(".data.stop");

/* Its frame tells guest-fair where the task is. */
static __attribute__((noinline)) int stand(void)
{
	struct bpf_iter_num it;

	bpf_iter_num_new(&it, 0, STEPS);
	while (!stop && bpf_iter_num_next(&it))
		;
	bpf_iter_num_destroy(&it);
	return stop;
}

static void stand_until_told(void)
{
	struct bpf_iter_num it;

	bpf_iter_num_new(&it, 0, ROUNDS);
	while (bpf_iter_num_next(&it))
		if (stand())
			break;
	bpf_iter_num_destroy(&it);
}

FIFO_INIT
FIFO_ADDED
FIFO_EVICT_AFTER(if (__sync_fetch_and_add(&calls, 1) == 31) stand_until_told();)
POLICY("stands")
