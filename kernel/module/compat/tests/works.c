// SPDX-License-Identifier: GPL-2.0
/* Any kernel: else the compiler or the headers are to blame, and no answer counts. */
#include <linux/memcontrol.h>
#include <linux/mm_inline.h>

int works(struct folio *folio);

int works(struct folio *folio)
{
	return folio_nr_pages(folio);
}
