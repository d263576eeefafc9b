// SPDX-License-Identifier: GPL-2.0
/* The tier of a folio depends on PG_workingset, too. */
#include <linux/memcontrol.h>
#include <linux/mm_inline.h>

int tier(struct folio *folio);

int tier(struct folio *folio)
{
	return lru_tier_from_refs(folio_lru_refs(folio), folio_test_workingset(folio));
}
