// SPDX-License-Identifier: GPL-2.0
/*
 * One try to drop the pages of a range: takes folios that are clean, and not
 * locked, mapped or in use. Returns where folios are that are worth another try.
 *
 * A page may be charged to another cgroup than its reader's. A folio of a cgroup that the policy
 * does not govern stays: to drop it would take another cgroup's cache. That may be one below
 * its own, which has a policy of its own.
 */
#include <linux/pagemap.h>
#include <linux/pagevec.h>
#include <linux/sched.h>
#include "prefetch_ext.h"
#include "glue.h"
#include "range.h"

enum fate {
	WENT,
	STAYS,		/* among them all that is charged elsewhere */
	IN_USE,		/* it is clean, and nobody maps it: not for long */
	WRITTEN,	/* back, as the policy wanted */
};

/*
 * A folio goes if its last page is in the range. So a large folio that was read
 * ahead goes when the reader has come to its end.
 */
static enum fate drop_folio(struct prefetch_ext_policy *p,
			    const struct prefetch_ext_file_range *r,
			    struct folio *folio, unsigned long *dropped)
{
	unsigned long went = 0;

	if (folio_next_index(folio) - 1 > r->last ||
	    !prefetch_ext_governs_folio(p, folio))
		return STAYS;
	if (folio_trylock(folio)) {
		if (folio->mapping == r->mapping)
			went = mapping_evict_folio(r->mapping, folio);
		folio_unlock(folio);
	}
	*dropped += went;
	if (went)
		return WENT;
	if (folio_mapped(folio) || folio_test_dirty(folio))
		return STAYS;
	if (folio_test_writeback(folio))
		return r->flush ? WRITTEN : STAYS;
	return IN_USE;
}

static unsigned long overlap(struct folio *folio,
			     const struct prefetch_ext_file_range *r)
{
	pgoff_t first = max(folio->index, r->first);
	pgoff_t end = min(folio_next_index(folio), r->last + 1);

	return end > first ? end - first : 0;
}

/* Pages that stay count as left once they are not between some of the rest. */
static void sort_out(struct prefetch_ext_rest *rest, struct folio *folio,
		     enum fate fate, unsigned long pages, unsigned long *gap,
		     unsigned long *left)
{
	if (fate == STAYS) {
		*gap += pages;
		return;
	}
	if (rest->pages) {
		rest->left += *gap;
	} else {
		rest->first = folio->index;
		*left += *gap;
	}
	*gap = 0;
	rest->last = folio_next_index(folio) - 1;
	rest->pages += pages;
	rest->left += pages;
	rest->in_use |= fate == IN_USE;
}

struct prefetch_ext_rest
prefetch_ext_drop_once(struct prefetch_ext_policy *p,
		       const struct prefetch_ext_file_range *r)
{
	pgoff_t index = r->first - min(r->first, r->behind);
	unsigned long dropped = 0, left = 0, gap = 0;
	struct prefetch_ext_rest rest = {};
	struct folio_batch folios;
	unsigned int i;

	folio_batch_init(&folios);
	while (filemap_get_folios(r->mapping, &index, r->last, &folios)) {
		for (i = 0; i < folio_batch_count(&folios); i++) {
			struct folio *folio = folios.folios[i];
			enum fate fate = drop_folio(p, r, folio, &dropped);

			if (fate != WENT)
				sort_out(&rest, folio, fate, overlap(folio, r),
					 &gap, &left);
		}
		folio_batch_release(&folios);
		cond_resched();
	}
	pes_add(p, PES_DROPPED, dropped);
	pes_add(p, PES_LEFT, left + gap);
	return rest;
}
