// SPDX-License-Identifier: GPL-2.0
/*
 * What is done with a range of a file that was read or written: first flush, then
 * wait, then drop.
 *
 * Dropping takes folios that nobody locks or uses. After a flush, a worker tries the
 * others again (range_late.c). Who waited for the flush does so first, one tick later,
 * after the CPUs' batches for the LRU lists are drained. Nobody else waits for other
 * CPUs: a read of cached data is too short for that, and may be IOCB_NOWAIT.
 */
#include <linux/pagemap.h>
#include <linux/pagevec.h>
#include <linux/sched.h>
#include <linux/swap.h>
#include <linux/writeback.h>
#include "prefetch_ext.h"
#include "glue.h"
#include "range.h"

/* A tenth of a second each, in which nothing could be dropped. */
#define MAX_TRIES	30

static void flush(struct prefetch_ext_policy *p,
		  const struct prefetch_ext_file_range *r)
{
	loff_t start = (loff_t)r->first << PAGE_SHIFT;
	loff_t end = ((loff_t)r->last << PAGE_SHIFT) + PAGE_SIZE - 1;
	struct writeback_control wbc = {
		.sync_mode = r->wait ? WB_SYNC_ALL : WB_SYNC_NONE,
		.nr_to_write = LONG_MAX,
		.range_start = start,
		.range_end = end,
	};

	/* Errors stay with the mapping, for fsync(). */
	filemap_fdatawrite_wbc(r->mapping, &wbc);
	pes_add(p, PES_FLUSHED, r->nr);
	if (!r->wait)
		return;
	filemap_fdatawait_range_keep_errors(r->mapping, start, end);
	pes_add(p, PES_WAITED, r->nr);
}

struct drop_result {
	unsigned long dropped;	/* pages */
	unsigned long left;	/* pages */
	bool passing;	/* some of those left are in use for a moment only */
};

/*
 * Nobody maps it, or has written to it: who uses it will soon let go of it. So will a
 * flush that is under way.
 */
static bool is_passing(const struct prefetch_ext_file_range *r,
		       struct folio *folio)
{
	return !folio_mapped(folio) && !folio_test_dirty(folio) &&
	       (r->flush || !folio_test_writeback(folio));
}

/*
 * A folio goes if its last page is in the range. So a large folio that was read
 * ahead goes when the reader has come to its end.
 */
static unsigned long drop_folio(const struct prefetch_ext_file_range *r,
				struct folio *folio, struct drop_result *result)
{
	unsigned long went = 0;

	if (folio_next_index(folio) - 1 > r->last)
		return 0;
	if (folio_trylock(folio)) {
		if (folio->mapping == r->mapping)
			went = mapping_evict_folio(r->mapping, folio);
		folio_unlock(folio);
	}
	if (!went && is_passing(r, folio))
		result->passing = true;
	return went;
}

static unsigned long overlap(struct folio *folio,
			     const struct prefetch_ext_file_range *r)
{
	pgoff_t first = max(folio->index, r->first);
	pgoff_t end = min(folio_next_index(folio), r->last + 1);

	return end > first ? end - first : 0;
}

static struct drop_result drop_once(const struct prefetch_ext_file_range *r)
{
	pgoff_t index = r->first - min(r->first, r->behind);
	struct drop_result result = {};
	struct folio_batch folios;
	unsigned long went;
	unsigned int i;

	folio_batch_init(&folios);
	while (filemap_get_folios(r->mapping, &index, r->last, &folios)) {
		for (i = 0; i < folio_batch_count(&folios); i++) {
			struct folio *folio = folios.folios[i];

			went = drop_folio(r, folio, &result);
			result.dropped += went;
			if (!went)
				result.left += overlap(folio, r);
		}
		folio_batch_release(&folios);
		cond_resched();
	}
	return result;
}

static struct drop_result try_to_drop(struct prefetch_ext_policy *p,
				      const struct prefetch_ext_file_range *r)
{
	struct drop_result result = drop_once(r);

	pes_add(p, PES_DROPPED, result.dropped);
	return result;
}

/*
 * Who waited for a flush may have moved to another CPU: then the folios are in a batch
 * of the first one. And the worker that ends writeback wakes who waits for it before it
 * lets go of the folio. Who has waited for the disk can wait for both. But others who
 * write back keep batches of folios, of megabytes each, until they have submitted the
 * last one: for as long as the disk needs.
 */
static void drop(struct prefetch_ext_policy *p, const struct path *path,
		 const struct prefetch_ext_file_range *r)
{
	struct drop_result result = try_to_drop(p, r);

	if (result.passing && r->flush && r->wait) {
		lru_add_drain_all();
		schedule_timeout_uninterruptible(1);
		result = try_to_drop(p, r);
	}
	if (result.passing && r->flush && prefetch_ext_drop_later(p, path, r))
		return;
	pes_add(p, PES_LEFT, result.left);
}

bool prefetch_ext_drop_again(struct prefetch_ext_policy *p,
			     const struct prefetch_ext_file_range *r,
			     unsigned int *tries)
{
	struct drop_result result = try_to_drop(p, r);

	if (result.dropped)
		*tries = 0;
	if (result.passing && ++*tries < MAX_TRIES)
		return true;
	pes_add(p, PES_LEFT, result.left);
	return false;
}

void prefetch_ext_act(struct prefetch_ext_policy *p, const struct path *path,
		      const struct prefetch_ext_file_range *r)
{
	/*
	 * What waits to be put on an LRU list is in use until it is. A flush may
	 * sleep, and end on another CPU.
	 */
	if (r->drop)
		lru_add_drain();
	if (r->flush)
		flush(p, r);
	if (r->drop)
		drop(p, path, r);
}
