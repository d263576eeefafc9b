// SPDX-License-Identifier: GPL-2.0
/* Marks the time while policies change, for cached answers: whose.c. */
#include "whose.h"

u64 cache_ext_changes[CACHE_EXT_WHOSE_TYPES];

void cache_ext_whose_begin(enum cache_ext_whose type)
{
	WRITE_ONCE(cache_ext_changes[type], cache_ext_changes[type] + 1);
	/* Pairs with the acquire in cache_ext_whose_find(), and with the cgroup's users. */
	smp_wmb();
}

void cache_ext_whose_end(enum cache_ext_whose type)
{
	/* Pairs with the acquire in cache_ext_whose_find(): a CPU that sees it sees the change. */
	smp_store_release(&cache_ext_changes[type], cache_ext_changes[type] + 1);
}
