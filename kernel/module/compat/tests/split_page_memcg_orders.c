// SPDX-License-Identifier: GPL-2.0
/* Before a folio is split, split_page_memcg() is called, with both orders. */
#include <linux/memcontrol.h>

void split(struct folio *folio);

void split(struct folio *folio)
{
	split_page_memcg(&folio->page, 9, 0);
}
