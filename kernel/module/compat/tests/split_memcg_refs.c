// SPDX-License-Identifier: GPL-2.0
/* Before a folio is split, folio_split_memcg_refs() is called, with both orders. */
#include <linux/memcontrol.h>

void split(struct folio *folio);

void split(struct folio *folio)
{
	folio_split_memcg_refs(folio, 9U, 0U);
}
