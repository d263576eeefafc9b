// SPDX-License-Identifier: GPL-2.0
/* Marks the time while policies change, for cached answers: governed.c. */
#include "governed.h"

u64 cache_ext_changes[CACHE_EXT_LOOKUP_TYPES];

void cache_ext_change_begin(enum cache_ext_lookup type)
{
	WRITE_ONCE(cache_ext_changes[type], cache_ext_changes[type] + 1);
	/* Pairs with the acquire in cache_ext_lookup_governed(), and with the cgroup's users. */
	smp_wmb();
}

void cache_ext_change_end(enum cache_ext_lookup type)
{
	/*
	 * Pairs with the acquire in cache_ext_lookup_governed(): a CPU that sees it sees
	 * the change.
	 */
	smp_store_release(&cache_ext_changes[type], cache_ext_changes[type] + 1);
}
