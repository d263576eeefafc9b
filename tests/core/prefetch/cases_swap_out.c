// SPDX-License-Identifier: GPL-2.0
/* Anonymous folios that are about to go out to swap, and what a policy may keep of them. */
#include "cases.h"

s32 bpf_prefetch_ext_keep(struct prefetch_ext_swap_out *out);

static struct prefetch_ext_policy *policy;

static struct prefetch_ext_swap_out told;

static void keep(struct prefetch_ext_swap_out *out, struct mem_cgroup *memcg)
{
	(void)memcg;
	told = *out;
	expect(!bpf_prefetch_ext_keep(out) && !bpf_prefetch_ext_keep(out));
}

static struct prefetch_ext_ops keeps = { .swap_out = keep, .keep_pages = 10 };

static void begin_keeping(u64 quota, unsigned long of_administrator)
{
	keeps.keep_pages = quota;
	share = of_administrator;
	seconds = 1000;
	policy = policy_new(&keeps);
}

/* What a program is told; of a process that would take waiting for a lock it is told nothing. */
void whose(void)
{
	begin_keeping(100, 100);
	expect(swap_out(4, 12));
	expect(told.page == 70 && told.first == 64 && told.last == 127 && told.pages == 4 && told.process == 42);
	expect(!memcmp(&told.comm, "a long command\0", 16) && told.area && told.flags == PREFETCH_EXT_WORKINGSET);
	is_contended = true;
	expect(swap_out(1, 12));
	is_contended = false;
	expect(!told.page && !told.area && !told.comm && !told.comm_rest && !told.process && told.pages == 1);
	expect(policy_end(policy));
}

/* Of each second the lower one of both limits; a folio that does not fit goes, a smaller one stays. */
void quota_of_a_second(void)
{
	for (int i = 0; i < 2; i++) {
		begin_keeping(i ? 1000 : 10, i ? 10 : 1000);
		expect(swap_out(8, 12) && !swap_out(4, 12) && swap_out(2, 12) && !swap_out(1, 12));
		seconds++;
		expect(swap_out(8, 12) && !swap_out(4, 12));
		expect(counter(policy, PES_OUT_ASKED) == 27 && counter(policy, PES_OUT_KEPT) == 18);
		expect(counter(policy, PES_OUT_REFUSED) == 9 && !counter(policy, PES_OUT_OVERRULED));
		expect(policy_end(policy));
	}
}

/* The limit of a cgroup below holds for its folios, also if others have used the second. And in trouble. */
void kept_below(void)
{
	begin_keeping(1000, 1000);
	share_below = 10;
	expect(swap_out_below(8, 12) && !swap_out_below(4, 12) && swap_out_below(2, 12) && !swap_out_below(1, 12));
	expect(swap_out(100, 12));
	seconds++;
	expect(swap_out(100, 12) && !swap_out_below(1, 12));
	expect(counter(policy, PES_OUT_REFUSED) == 6 && !counter(policy, PES_OUT_OVERRULED));
	for (int i = 0; i < 10; i++) {
		seconds++;
		expect(swap_out_below(1, 9));
	}
	expect(!swap_out_below(1, 9) && counter(policy, PES_OUT_OVERRULED) == 1);
	expect(policy_end(policy));
}

/* Who reads the clock, and comes late, begins no new second. */
void late_in_a_second(void)
{
	begin_keeping(10, 1000);
	expect(swap_out(8, 12));
	seconds++;
	expect(swap_out(8, 12));
	seconds--;
	expect(!swap_out(8, 12));
	seconds++;
	expect(!swap_out(8, 12) && swap_out(2, 12));
	expect(policy_end(policy));
}

/* Nobody is asked near OOM, or without a reclaim. */
void near_oom(void)
{
	begin_keeping(1000, 1000);
	told.pages = 0;
	for (int priority = 0; priority <= 2; priority++)
		expect(!swap_out(1, priority));
	expect(!told.pages && !counter(policy, PES_OUT_ASKED) && counter(policy, PES_OUT_OVERRULED) == 3);
	expect(swap_out(1, 3) && told.pages);
	expect(policy_end(policy));
}

/* A reclaim in trouble gets as much as stays, however many seconds it takes. */
void trouble(void)
{
	u64 stay = 0;

	begin_keeping(10, 1000);
	for (int i = 0; i < 1000; i++, seconds++)
		stay += swap_out(1, 9);
	expect(stay <= 505 && stay >= 495);
	expect(counter(policy, PES_OUT_KEPT) == stay && counter(policy, PES_OUT_OVERRULED) == 1000 - stay);
	expect(policy_end(policy));

	/* One without trouble does not. */
	begin_keeping(10, 1000);
	for (int i = 0; i < 1000; i++, seconds++)
		expect(swap_out(1, 10));
	expect(policy_end(policy));

	/* Without a limit there is nothing to overrule. */
	begin_keeping(10, 0);
	expect(!swap_out(1, 9) && counter(policy, PES_OUT_REFUSED) == 1 && !counter(policy, PES_OUT_OVERRULED));
	expect(policy_end(policy));
}

static struct prefetch_ext_ops other;

/* Without the program nobody is asked. */
void not_asked(void)
{
	policy = policy_new(&other);
	share = 100;
	expect(!swap_out(1, 12) && !swap_out(1, 0));
	expect(!counter(policy, PES_OUT_ASKED) && !counter(policy, PES_OUT_OVERRULED));
	expect(policy_end(policy));
	expect(!swap_out(1, 12));
}
