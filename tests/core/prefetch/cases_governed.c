// SPDX-License-Identifier: GPL-2.0
/* The last answer to whose a folio is, on a stock kernel: it counts until anything changes. */
#include "cases.h"
#include "module.h"
#include "redirect.h"
#include "use.h"
#include "governed.h"

static struct folio folio = { .memcg = &below };
static struct prefetch_ext_ops drops_only;
static bool evicts;
static unsigned int asked;

/* As glue_module.c has it. */
bool cache_ext_governs(struct mem_cgroup *memcg)
{
	asked++;
	return evicts && memcg == &below;
}

static bool prefetched(void)
{
	return !cache_ext_folio_ungoverned(CACHE_EXT_LOOKUP_PREFETCHING, &folio);
}

static void number_cgroups(void)
{
	group.css.serial_nr = 7;
	below.css.serial_nr = 8;
}

/* Who comes to a folio after a policy governs it finds that, and after the policy went, that nobody does. */
void answer_until_a_change(void)
{
	struct prefetch_ext_policy *p;

	number_cgroups();
	expect(!prefetched() && !prefetched());
	p = policy_new(&drops_only);
	expect(prefetched() && prefetched());
	expect(policy_end(p));
	expect(!prefetched() && !prefetched());
	/* What is not charged to a cgroup, or to kernel memory, the core judges. */
	folio.memcg = NULL;
	expect(prefetched());
	folio.memcg = (struct mem_cgroup *)((char *)&below + 1);
	expect(prefetched());
	folio.memcg = &below;
}

/* A cgroup that has gone leaves its memory to a new one, which is governed. */
void answer_of_another_cgroup(void)
{
	struct prefetch_ext_policy *p;

	number_cgroups();
	p = policy_new(&drops_only);
	below.parent = &root;
	expect(!prefetched());
	below.parent = &group;
	below.css.serial_nr = 9;
	expect(prefetched());
	expect(policy_end(p));
}

/* An answer that was found during a change may be that of before: it is not kept. It is of its type only. */
void answer_during_a_change(void)
{
	number_cgroups();
	expect(cache_ext_folio_ungoverned(CACHE_EXT_LOOKUP_EVICTION, &folio) && asked == 1);
	expect(cache_ext_folio_ungoverned(CACHE_EXT_LOOKUP_EVICTION, &folio) && asked == 1);
	cache_ext_change_begin(CACHE_EXT_LOOKUP_EVICTION);
	expect(cache_ext_folio_ungoverned(CACHE_EXT_LOOKUP_EVICTION, &folio) && asked == 2);
	evicts = true;
	expect(!cache_ext_folio_ungoverned(CACHE_EXT_LOOKUP_EVICTION, &folio) && asked == 3);
	cache_ext_change_end(CACHE_EXT_LOOKUP_EVICTION);
	expect(!cache_ext_folio_ungoverned(CACHE_EXT_LOOKUP_EVICTION, &folio) && asked == 4);
	expect(!cache_ext_folio_ungoverned(CACHE_EXT_LOOKUP_EVICTION, &folio) && asked == 4);
	expect(!prefetched() && asked == 4);
}

/* A task that reads another cgroup's folios: neither answer takes the place of the other. */
void answers_of_task_and_folio(void)
{
	struct prefetch_ext_policy *p;
	u64 folios, tasks;
	int i;

	number_cgroups();
	group.parent = &root;
	p = policy_new(&drops_only);
	for (i = 0; i < 2; i++) {
		expect(prefetched());
		expect(cache_ext_ungoverned(CACHE_EXT_LOOKUP_PREFETCHED_TASK, &root));
		folios = this_cpu_ptr(&cache_ext_answers[CACHE_EXT_LOOKUP_PREFETCHING])->key;
		tasks = this_cpu_ptr(&cache_ext_answers[CACHE_EXT_LOOKUP_PREFETCHED_TASK])->key;
		expect(folios == cache_ext_answer_key(&below, true));
		expect(tasks == cache_ext_answer_key(&root, false));
	}
	/* Both end with the policy. */
	expect(!cache_ext_ungoverned(CACHE_EXT_LOOKUP_PREFETCHED_TASK, &below));
	expect(policy_end(p));
	expect(cache_ext_ungoverned(CACHE_EXT_LOOKUP_PREFETCHED_TASK, &below));
	expect(!prefetched());
}
