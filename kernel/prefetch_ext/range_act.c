// SPDX-License-Identifier: GPL-2.0
/*
 * What is done with a range of a file that was read or written: first flush, then
 * wait, then drop.
 *
 * After a flush, a worker tries again to drop what is in use or not yet written
 * (range_late.c). A task that waited for the flush does so first, one tick later. A
 * reader or writer drains the LRU batches of its own CPU only: other CPUs must not pay
 * for a cgroup that does not run there.
 *
 * A page that is written in part is flushed with the others, and is dropped when its
 * writer is done with it (range_part.c): he would have to read it in again.
 *
 * A flush writes what the policy's own tasks have just written, to the last page, also
 * where a page is charged to another cgroup. They might have called fsync(). It takes
 * nothing: the page stays where it is.
 */
#include <linux/ktime.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/swap.h>
#include <linux/writeback.h>
#include "prefetch_ext.h"
#include "glue.h"
#include "range.h"

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

static struct prefetch_ext_file_range
rest_of(const struct prefetch_ext_file_range *r,
	const struct prefetch_ext_rest *rest)
{
	struct prefetch_ext_file_range less = *r;

	less.first = rest->first;
	less.last = rest->last;
	less.behind = 0;
	less.in_use = rest->in_use;
	return less;
}

/*
 * The worker that ends writeback wakes the waiter before it lets go of the folio. A task
 * that has waited for the disk can wait for that, too. But others who write back keep
 * batches of folios, of megabytes each, until they have submitted the last one: for as
 * long as the disk needs. And what the writer left in a batch of another CPU, before it
 * came here, a worker gets.
 */
static void drop(struct prefetch_ext_policy *p, struct vfsmount *mnt,
		 const struct prefetch_ext_file_range *r)
{
	struct prefetch_ext_file_range less = *r;
	struct prefetch_ext_rest rest;

	if (r->part && less.last-- == r->first)
		return;
	less.part = false;
	rest = prefetch_ext_drop_once(p, &less);
	less = rest_of(&less, &rest);
	if (rest.in_use && r->flush && r->wait) {
		lru_add_drain();
		schedule_timeout_uninterruptible(1);
		rest = prefetch_ext_drop_once(p, &less);
		less = rest_of(&less, &rest);
	}
	if (rest.pages && r->flush && prefetch_ext_drop_later(p, mnt, &less))
		return;
	pes_add(p, PES_LEFT, rest.left);
}

void prefetch_ext_act(struct prefetch_ext_policy *p, struct vfsmount *mnt,
		      const struct prefetch_ext_file_range *r)
{
	/*
	 * A folio that waits in an LRU batch counts as in use. A flush may sleep,
	 * and end on another CPU.
	 */
	if (r->drop)
		lru_add_drain();
	if (r->flush)
		flush(p, r);
	if (r->drop)
		drop(p, mnt, r);
}

/* Does all that was left to this worker (range_late.c) until now, in order. */
static void act_late(struct work_struct *work)
{
	struct prefetch_ext_policy *p = container_of(to_delayed_work(work),
						     struct prefetch_ext_policy,
						     late.work);
	struct prefetch_ext_late_range *l, *next;
	LIST_HEAD(ranges);

	spin_lock(&p->late_lock);
	list_splice_init(&p->late.ranges, &ranges);
	spin_unlock(&p->late_lock);
	list_for_each_entry_safe(l, next, &ranges, link) {
		prefetch_ext_act(p, l->mnt, &l->range);
		pes_add(p, PES_DEFERRED_US,
			l->range.nr * ktime_to_us(ktime_get()) - l->since);
		prefetch_ext_late_free(&p->late, l);
	}
	prefetch_ext_worker_ends(p);
}

void prefetch_ext_act_init(struct prefetch_ext_policy *p)
{
	INIT_DELAYED_WORK(&p->late.work, act_late);
}
