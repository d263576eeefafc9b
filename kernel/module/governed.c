// SPDX-License-Identifier: GPL-2.0
/*
 * The last answer to "does a policy govern this cgroup?", for each CPU and each type.
 *
 * An answer counts until anything changes: a number tells, which is odd during a change
 * (changes.c). A node or a mark is made for a policy after the number has become odd,
 * by a task that has found the policy. A task that comes to the same folio later, by
 * its locks or its reference, sees that number. So no stale "none" hides a folio that
 * has a node. Cgroups that are made later
 * have serial numbers of their own; none moves below another.
 */
#include <linux/irqflags.h>
#include "policies.h"
#include "governed.h"

DEFINE_PER_CPU(struct cache_ext_answer, cache_ext_answers[CACHE_EXT_LOOKUP_NR]);

/* Not noted for this CPU: look, and note it unless something is just changing. */
noinline bool cache_ext_lookup_governed(enum cache_ext_lookup lookup, struct mem_cgroup *memcg)
{
	/* Pairs with cache_ext_change_end(). */
	u64 change = smp_load_acquire(&cache_ext_changes[cache_ext_lookup_type(lookup)]);
	struct cache_ext_answer *answer;
	unsigned long flags;
	bool governed;

	governed = lookup == CACHE_EXT_LOOKUP_EVICTION ? cache_ext_governs(memcg) :
						       cache_ext_prefetches(memcg);
	if (change & 1)
		return governed;
	local_irq_save(flags);
	answer = this_cpu_ptr(&cache_ext_answers[lookup]);
	answer->change = change;
	WRITE_ONCE(answer->key, cache_ext_answer_key(memcg, governed));
	local_irq_restore(flags);
	return governed;
}
