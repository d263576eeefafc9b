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

static void two_slots(struct prefetch_ext_fault *fault, struct mem_cgroup *memcg)
{
	(void)memcg;
	expect(!bpf_prefetch_ext_slot(fault, fault->slot + 1) && !bpf_prefetch_ext_slot(fault, fault->slot + 2));
}

/* Slots of others are not read, nor those of a cgroup below that has a policy of its own. */
void slots_of_others(void)
{
	struct prefetch_ext_ops ops = { .swap_prefetch = two_slots };
	struct prefetch_ext_policy *nearer;

	policy = policy_new(&ops);
	swap_owner = &elsewhere;
	expect(swap_fault(7, 0) && counter(policy, PES_FOREIGN) == 2 && !counter(policy, PES_PREFETCHED));
	swap_owner = &below;
	expect(swap_fault(17, 0) && counter(policy, PES_FOREIGN) == 2 && counter(policy, PES_PREFETCHED) == 2);
	nearer = policy_new(&ops);
	policy_move(nearer, &below);
	policy_govern(policy);
	expect(swap_fault(27, 0) && counter(policy, PES_FOREIGN) == 4 && counter(policy, PES_PREFETCHED) == 2);
	expect(!counter(policy, PES_NOMEM));
	swap_owner = &group;
	expect(policy_end(nearer));
	expect(policy_end(policy));
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
		expect(swap_fault(7, 0) && !strcmp(ran, "n"));
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

static struct prefetch_ext_policy *heir;
static int moment;

static void replace(int hook)
{
	if (hook == moment)
		policy_govern(heir);
}

static u64 timed(struct prefetch_ext_policy *p)
{
	u64 counted = 0;

	for (int i = 0; i < PREFETCH_EXT_BUCKETS; i++)
		counted += p->stats->latency[i];
	return counted;
}

/* Makes faults until the clock was read for one; returns how many. */
static unsigned int until_one_is_timed(void)
{
	unsigned int before = clock_reads, faults = 0;

	while (clock_reads == before) {
		expect(faults++ < 1000);
		policy_govern(policy);
		memset(ran, 0, sizeof(ran));
		expect(swap_fault(7, 0));
		expect(!strcmp(ran, "fp"));
	}
	return faults;
}

/* Who governs when the fault is asked about is told of it, too, and alone. Its time is of who governed at its beginning. */
void replaced_between_hooks(void)
{
	between_swap_hooks = replace;
	for (moment = 1; moment <= 2; moment++) {
		unsigned int faults;

		policy = policy_new(&two_calls);
		heir = policy_new(&two_calls);
		faults = until_one_is_timed();
		expect(counter(policy, PES_FAULTS) == (moment == 1 ? 0 : faults));
		expect(counter(heir, PES_FAULTS) == (moment == 1 ? faults : 0));
		expect(counter(policy, PES_ASKED) == counter(policy, PES_FAULTS));
		expect(counter(heir, PES_ASKED) == counter(heir, PES_FAULTS));
		expect(timed(policy) == 8 && !timed(heir));
		expect(policy_end(policy) && policy_end(heir));
	}
	between_swap_hooks = NULL;
}

static void end_and_replace(int hook)
{
	if (hook != moment || !heir || !policy)
		return;
	expect(policy_end(policy));
	policy = NULL;
	policy_govern(heir);
}

/* The fault outlives its policy: what it took is nobody's, and the next one's only what it was asked. */
void ended_between_hooks(void)
{
	between_swap_hooks = end_and_replace;
	for (moment = 1; moment <= 2; moment++) {
		unsigned int freed = policies_freed, timed_faults = 0;

		heir = policy_new(&two_calls);
		while (timed_faults < 20) {
			unsigned int before = clock_reads;

			policy = policy_new(&two_calls);
			expect(swap_fault(7, 0));
			timed_faults += clock_reads != before;
			expect(!policy && policies_freed == ++freed);
			memset(ran, 0, sizeof(ran));
		}
		expect(!timed(heir));
		expect(policy_end(heir));
		heir = NULL;
	}
	between_swap_hooks = NULL;
}
