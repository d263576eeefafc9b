// SPDX-License-Identifier: GPL-2.0
/*
 * Ranges whose writer must not wait: the policy's worker flushes and drops them. And
 * ranges that were flushed, of which something was in use then, or not yet written:
 * another one tries again to drop them, until they are gone or some seconds have passed
 * in which none went.
 *
 * A policy does not wait for its workers: it can end meanwhile. What is left of it then
 * is its counters.
 */
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/path.h>
#include <linux/slab.h>
#include <linux/swap.h>
#include "prefetch_ext.h"
#include "glue.h"
#include "range.h"

/* Of a policy at once. Each holds its file system. */
#define MAX_LATE	64
#define MAX_AGAIN	256

#define AGAIN_DELAY	(HZ / 10)

struct late_range {
	struct list_head link;
	struct path path;	/* holds the file system and the inode */
	u64 since;	/* sum of the ends of the writes; microseconds */
	unsigned int tries;	/* to drop it, in vain */
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

/*
 * The worker has one reference, queued or running; if both, then two. And it may wait
 * for the device longer than the policy lasts, or whoever unloads the module would like
 * to.
 */
static void queue(struct prefetch_ext_policy *p, struct prefetch_ext_late *late,
		  unsigned long delay)
{
	prefetch_ext_keep(p);
	prefetch_ext_glue_hold();
	if (!queue_delayed_work(workers, &late->work, delay)) {
		prefetch_ext_glue_release();
		prefetch_ext_forget(p);
	}
}

static void worker_ends(struct prefetch_ext_policy *p)
{
	prefetch_ext_forget(p);
	prefetch_ext_glue_release();
}

static void take_all(struct prefetch_ext_policy *p,
		     struct prefetch_ext_late *late, struct list_head *ranges)
{
	spin_lock(&p->late_lock);
	list_splice_init(&late->ranges, ranges);
	spin_unlock(&p->late_lock);
}

static void range_free(struct prefetch_ext_late *late, struct late_range *l)
{
	path_put(&l->path);
	atomic_dec(&late->nr);
	kfree(l);
}

/* All that was left to the worker until now, in that order. */
static void act_late(struct work_struct *work)
{
	struct prefetch_ext_policy *p = container_of(to_delayed_work(work),
						     struct prefetch_ext_policy,
						     late.work);
	struct late_range *l, *next;
	LIST_HEAD(ranges);

	take_all(p, &p->late, &ranges);
	list_for_each_entry_safe(l, next, &ranges, link) {
		prefetch_ext_act(p, &l->path, &l->range);
		pes_add(p, PES_DEFERRED_US,
			l->range.nr * ktime_to_us(ktime_get()) - l->since);
		range_free(&p->late, l);
	}
	worker_ends(p);
}

/* Tries each once, and comes again for what is in use still. */
static void drop_again(struct work_struct *work)
{
	struct prefetch_ext_policy *p = container_of(to_delayed_work(work),
						     struct prefetch_ext_policy,
						     again.work);
	struct late_range *l, *next;
	LIST_HEAD(ranges);

	take_all(p, &p->again, &ranges);
	lru_add_drain_all();
	list_for_each_entry_safe(l, next, &ranges, link) {
		if (prefetch_ext_drop_again(p, &l->range, &l->tries))
			continue;
		list_del(&l->link);
		range_free(&p->again, l);
	}
	if (!list_empty(&ranges)) {
		spin_lock(&p->late_lock);
		list_splice(&ranges, &p->again.ranges);
		spin_unlock(&p->late_lock);
		queue(p, &p->again, AGAIN_DELAY);
	}
	worker_ends(p);
}

void prefetch_ext_late_init(struct prefetch_ext_policy *p)
{
	spin_lock_init(&p->late_lock);
	p->late.most = MAX_LATE;
	p->again.most = MAX_AGAIN;
	INIT_LIST_HEAD(&p->late.ranges);
	INIT_LIST_HEAD(&p->again.ranges);
	INIT_DELAYED_WORK(&p->late.work, act_late);
	INIT_DELAYED_WORK(&p->again.work, drop_again);
}

/*
 * @r becomes part of what waits already, if that is beside it or overlaps: a stream is
 * as long as it likes. Caller: p->late_lock.
 */
static bool join(struct prefetch_ext_late *late,
		 const struct prefetch_ext_file_range *r)
{
	struct late_range *l;

	list_for_each_entry(l, &late->ranges, link) {
		struct prefetch_ext_file_range *to = &l->range;

		if (to->mapping != r->mapping || to->wait != r->wait ||
		    to->drop != r->drop || r->first > to->last + 1 ||
		    to->first > r->last + 1)
			continue;
		to->first = min(to->first, r->first);
		to->last = max(to->last, r->last);
		to->nr++;
		l->since += ktime_to_us(ktime_get());
		l->tries = 0;
		return true;
	}
	return false;
}

/*
 * Leaves @r to a worker. False: much waits for it already.
 *
 * A flush takes as long as an io.max or a server likes, so each policy has workers of
 * its own, and none waits for another's. A reference on the file instead would keep it
 * from being executed, and its locks from going, when the writer has closed it.
 */
static bool leave(struct prefetch_ext_policy *p, struct prefetch_ext_late *late,
		  const struct path *path,
		  const struct prefetch_ext_file_range *r, unsigned long delay)
{
	struct late_range *l = NULL;
	bool joined;

	spin_lock(&p->late_lock);
	joined = join(late, r);
	spin_unlock(&p->late_lock);
	if (joined)
		return true;
	if (atomic_inc_return(&late->nr) <= late->most)
		l = kmalloc(sizeof(*l), GFP_NOWAIT | __GFP_NOWARN |
					__GFP_ACCOUNT);
	if (!l) {
		atomic_dec(&late->nr);
		return false;
	}
	l->path = *path;
	path_get(&l->path);
	l->range = *r;
	l->since = ktime_to_us(ktime_get());
	l->tries = 0;
	spin_lock(&p->late_lock);
	list_add_tail(&l->link, &late->ranges);
	spin_unlock(&p->late_lock);
	queue(p, late, delay);
	return true;
}

void prefetch_ext_defer(struct prefetch_ext_policy *p, const struct path *path,
			const struct prefetch_ext_file_range *r)
{
	pes_inc(p, leave(p, &p->late, path, r, 0) ? PES_DEFERRED : PES_SKIPPED);
}

bool prefetch_ext_drop_later(struct prefetch_ext_policy *p,
			     const struct path *path,
			     const struct prefetch_ext_file_range *r)
{
	return leave(p, &p->again, path, r, AGAIN_DELAY);
}
