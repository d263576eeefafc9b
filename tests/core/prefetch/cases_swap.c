// SPDX-License-Identifier: GPL-2.0
/* Swap faults: which program is told of one, which is asked, and how often. */
#include <linux/swap.h>
#include "cases.h"

s32 bpf_prefetch_ext_slot(struct prefetch_ext_fault *f, u64 slot);

static struct prefetch_ext_policy *policy;

/* The programs that ran, in their order: `f` fault, `p` prefetch, `n` prefetch that has to tell of the fault, too. */
static char ran[16];

static void note(char what)
{
	expect(strlen(ran) < sizeof(ran) - 1);
	ran[strlen(ran)] = what;
}

static void told(struct prefetch_ext_fault *fault, struct mem_cgroup *memcg)
{
	(void)memcg;
	expect(fault->page == 5 && fault->slots == 1000);
	expect(!(fault->flags & PREFETCH_EXT_NEW));
	note('f');
}

static void asked(struct prefetch_ext_fault *fault, struct mem_cgroup *memcg)
{
	(void)memcg;
	expect(!(fault->flags & ~PREFETCH_EXT_NEW));
	note(fault->flags ? 'n' : 'p');
}

static struct prefetch_ext_ops two_calls = { .swap_fault = told, .swap_prefetch = asked };
static struct prefetch_ext_ops one_call = { .swap_fault = told, .swap_prefetch = asked, .flags = PREFETCH_EXT_ONE_CALL };
static struct prefetch_ext_ops only_told = { .swap_fault = told };
static struct prefetch_ext_ops only_asked = { .swap_prefetch = asked };

/* Programs that run for a fault, and one that is repeated, of a policy with these. */
static void runs(struct prefetch_ext_ops *ops, const char *first, const char *again)
{
	policy = policy_new(ops);
	memset(ran, 0, sizeof(ran));
	expect(swap_fault(7, 0) == !!ops->swap_prefetch);
	expect(!strcmp(ran, first));
	memset(ran, 0, sizeof(ran));
	expect(swap_fault(7, FAULT_FLAG_TRIED) == !!ops->swap_prefetch);
	expect(!strcmp(ran, again));
	/* Nothing is in the swap cache here. */
	expect(counter(policy, PES_FAULTS) == 1 && !counter(policy, PES_CACHED));
	expect(counter(policy, PES_ASKED) == (ops->swap_prefetch ? 2 : 0));
	expect(policy_end(policy));
}

void told_once(void)
{
	runs(&two_calls, "fp", "p");
	runs(&one_call, "n", "p");
	runs(&only_told, "f", "");
	runs(&only_asked, "p", "p");
}

/* The kernel goes past its readahead, so past the question, too. */
void told_at_once(void)
{
	swap_device.flags |= SWP_SYNCHRONOUS_IO;
	policy = policy_new(&one_call);
	memset(ran, 0, sizeof(ran));
	expect(!swap_fault(7, 0) && !strcmp(ran, "f"));
	expect(counter(policy, PES_FAULTS) == 1 && !counter(policy, PES_ASKED));
	/* But not for an entry that several processes have. */
	entry_is_shared = true;
	memset(ran, 0, sizeof(ran));
	expect(swap_fault(7, 0) && !strcmp(ran, "fp"));
	expect(counter(policy, PES_FAULTS) == 2 && counter(policy, PES_ASKED) == 1);
	entry_is_shared = false;
	swap_device.flags &= ~SWP_SYNCHRONOUS_IO;
	expect(policy_end(policy));
}

/* The device is being swapped off: there is nothing to ask about. */
void told_while_swapped_off(void)
{
	swap_device.flags &= ~SWP_WRITEOK;
	policy = policy_new(&one_call);
	memset(ran, 0, sizeof(ran));
	expect(!swap_fault(7, 0) && !strcmp(ran, "f"));
	expect(counter(policy, PES_FAULTS) == 1 && !counter(policy, PES_ASKED));
	swap_device.flags |= SWP_WRITEOK;
	expect(policy_end(policy));
}

/* One fault in eight is timed in the mean, also of those of one task of two, and counts for eight. */
void timed_in_part(void)
{
	const unsigned int faults = 8000;
	unsigned int reads[2] = {};
	u64 counted = 0;

	policy = policy_new(&one_call);
	for (unsigned int i = 0; i < faults; i++) {
		unsigned int before = clock_reads;

		memset(ran, 0, sizeof(ran));
		expect(swap_fault(7, 0));
		reads[i % 2] += clock_reads - before;
	}
	for (int i = 0; i < PREFETCH_EXT_BUCKETS; i++)
		counted += policy->stats->latency[i];
	/* The clock is read before and after. */
	expect(counted == 8 * (reads[0] + reads[1]) / 2);
	for (int task = 0; task < 2; task++)
		expect(reads[task] > faults / 8 * 0.9 && reads[task] < faults / 8 * 1.1);
	expect(policy_end(policy));
}
