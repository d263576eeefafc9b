// SPDX-License-Identifier: GPL-2.0
/*
 * Mapped folios. A use through a mapping makes no event, but page tables record
 * whether there was any since the last look. Reclaim looks when a policy has proposed
 * the folio.
 *
 *   proposed ---> isolated ---> used since?  no ---> reclaimed
 *					    yes ---> back to the far end of its
 *						     list, and folio_accessed
 *
 * So a policy learns of these uses late, and of many as one. But it does not evict
 * the code of a running program, or pages that a database has mapped and uses.
 */
#include <linux/mm.h>
#include <linux/rmap.h>
#include <linux/vmstat.h>
#include "cache_ext.h"
#include "glue.h"

/*
 * As in folio_check_references(): if a trylock fails, treat the folio as
 * referenced. Forgets the uses.
 *
 * With MGLRU, a look at a page table also looks at the neighbours, and moves those
 * that were used to the youngest generation. A folio that is isolated from that is
 * active. Used neighbours that were isolated already are referenced.
 */
static bool used(struct folio *folio, struct cache_ext_shrink *s)
{
	unsigned long vm_flags = 0;
	bool young = false;

	if (cache_ext_glue_mglru()) {
		young = folio_test_clear_active(folio);
		young |= folio_test_clear_referenced(folio);
	}
	return folio_referenced(folio, 0, s->target, &vm_flags) ||
	       vm_flags & VM_LOCKED || young;
}

/*
 * Moves those of the isolated @folios that are in use through a mapping to @kept.
 * They are not isolated for what NR_ISOLATED_FILE is about. Returns their pages.
 * May sleep.
 */
unsigned long cache_ext_keep_used(struct cache_ext_shrink *s,
				  struct list_head *folios,
				  struct list_head *kept)
{
	struct folio *folio, *next;
	long nr = 0;

	list_for_each_entry_safe(folio, next, folios, lru) {
		if (!folio_mapped(folio) || !used(folio, s))
			continue;
		list_move(&folio->lru, kept);
		nr += folio_nr_pages(folio);
	}
	mod_node_page_state(lruvec_pgdat(s->lruvec), NR_ISOLATED_FILE, -nr);
	return nr;
}
