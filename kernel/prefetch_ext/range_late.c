// SPDX-License-Identifier: GPL-2.0
/*
 * Ranges whose writer must not wait: the policy's worker flushes and drops them.
 *
 * A policy does not wait for its worker: it can end meanwhile. What is left of it then
 * is its counters.
 */
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/path.h>
#include <linux/slab.h>
#include "prefetch_ext.h"
#include "glue.h"
#include "range.h"

#define MAX_DEFERRED	64	/* of a policy at once; neighbours are one */

struct deferred {
	struct list_head link;
	struct path path;	/* holds the file system and the inode */
	u64 since;	/* sum of the ends of the writes; microseconds */
	struct prefetch_ext_file_range range;
};

static struct workqueue_struct *workers;

int prefetch_ext_ranges_init(void)
{
	workers = alloc_workqueue("prefetch_ext", WQ_UNBOUND, WQ_MAX_ACTIVE);
	return workers ? 0 : -ENOMEM;
}

/*
 * Of a module that goes: nobody tells of ranges any more, and a worker has but its last
 * steps to do.
 */
void prefetch_ext_ranges_exit(void)
{
	if (workers)
		destroy_workqueue(workers);
}

/* The policy's worker: all that was left to it until now, in that order. */
void prefetch_ext_act_late(struct work_struct *work)
{
	struct prefetch_ext_policy *p = container_of(work,
						     struct prefetch_ext_policy,
						     late_work);
	struct deferred *d, *next;
	LIST_HEAD(late);

	spin_lock(&p->late_lock);
	list_splice_init(&p->late, &late);
	spin_unlock(&p->late_lock);
	list_for_each_entry_safe(d, next, &late, link) {
		prefetch_ext_act(p, &d->range);
		pes_add(p, PES_DEFERRED_US,
			d->range.nr * ktime_to_us(ktime_get()) - d->since);
		path_put(&d->path);
		atomic_dec(&p->nr_deferred);
		kfree(d);
	}
	prefetch_ext_forget(p);
	prefetch_ext_glue_release();
}

/*
 * @r becomes part of what waits already, if that is beside it or overlaps: a stream is
 * as long as it likes. Caller: p->late_lock.
 */
static bool join(struct prefetch_ext_policy *p,
		 const struct prefetch_ext_file_range *r)
{
	struct deferred *d;

	list_for_each_entry(d, &p->late, link) {
		struct prefetch_ext_file_range *to = &d->range;

		if (to->mapping != r->mapping || to->wait != r->wait ||
		    to->drop != r->drop || r->first > to->last + 1 ||
		    to->first > r->last + 1)
			continue;
		to->first = min(to->first, r->first);
		to->last = max(to->last, r->last);
		to->nr++;
		d->since += ktime_to_us(ktime_get());
		return true;
	}
	return false;
}

/*
 * To the policy's worker, unless much waits for it. A flush takes as long as an
 * io.max or a server likes, so each policy has one worker, and none waits for
 * another's. A reference on the file instead would keep it from being executed, and
 * its locks from going, when the writer has closed it.
 */
void prefetch_ext_defer(struct prefetch_ext_policy *p, const struct file *file,
			const struct prefetch_ext_file_range *r)
{
	struct deferred *d = NULL;
	bool joined;

	spin_lock(&p->late_lock);
	joined = join(p, r);
	spin_unlock(&p->late_lock);
	if (joined) {
		pes_inc(p, PES_DEFERRED);
		return;
	}
	if (atomic_inc_return(&p->nr_deferred) <= MAX_DEFERRED)
		d = kmalloc(sizeof(*d), GFP_NOWAIT | __GFP_NOWARN |
					__GFP_ACCOUNT);
	if (!d) {
		atomic_dec(&p->nr_deferred);
		pes_inc(p, PES_SKIPPED);
		return;
	}
	d->path = file->f_path;
	path_get(&d->path);
	d->range = *r;
	d->since = ktime_to_us(ktime_get());
	pes_inc(p, PES_DEFERRED);
	spin_lock(&p->late_lock);
	list_add_tail(&d->link, &p->late);
	spin_unlock(&p->late_lock);
	/*
	 * It has one reference, queued or running; if both, then two. And it may wait
	 * for the device longer than the policy lasts, or whoever unloads the module
	 * would like to.
	 */
	prefetch_ext_keep(p);
	prefetch_ext_glue_hold();
	if (!queue_work(workers, &p->late_work)) {
		prefetch_ext_glue_release();
		prefetch_ext_forget(p);
	}
}
