// SPDX-License-Identifier: GPL-2.0
/*
 * Ranges that are left to workers of the policy. One worker flushes and drops ranges whose
 * writer must not wait (range_act.c). Another one tries again to drop pages that were in
 * use or under writeback. It gives a range up after three seconds without progress, or a
 * minute after the last write.
 *
 * A policy does not wait for its workers, and may end while they run. Only its counters
 * stay until then.
 */
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/mount.h>
#include <linux/slab.h>
#include <linux/swap.h>
#include "prefetch_ext.h"
#include "glue.h"
#include "range.h"

/* The most ranges of a policy at a time. Each pins its file system. */
#define MAX_LATE	64
#define MAX_AGAIN	128

#define AGAIN_DELAY	(HZ / 10)
#define DRAIN_DELAY	HZ
#define MAX_TRIES	30
#define MAX_TIME	(60 * HZ)

/* Flushes may wait for devices and servers that do not answer; drops never wait. */
static struct workqueue_struct *flushers, *droppers;

int prefetch_ext_ranges_init(void)
{
	prefetch_ext_parts_init();
	flushers = alloc_workqueue("prefetch_ext", WQ_UNBOUND, WQ_MAX_ACTIVE);
	droppers = alloc_workqueue("prefetch_ext_drop", WQ_UNBOUND,
				   WQ_MAX_ACTIVE);
	if (flushers && droppers)
		return 0;
	prefetch_ext_ranges_exit();
	return -ENOMEM;
}

/* For unloading the module. No event of a range comes any more; workers may be finishing. */
void prefetch_ext_ranges_exit(void)
{
	if (flushers)
		destroy_workqueue(flushers);
	if (droppers)
		destroy_workqueue(droppers);
	flushers = droppers = NULL;
}

/*
 * Queued work holds a reference on the policy's counters, and running work holds another.
 * A worker may wait for its device after the policy has ended; rmmod waits for it.
 */
static void queue(struct prefetch_ext_policy *p, struct prefetch_ext_late *late)
{
	bool again = late == &p->again;

	policy_ext_get(&p->life);
	prefetch_ext_glue_hold();
	if (!queue_delayed_work(again ? droppers : flushers, &late->work,
				again ? AGAIN_DELAY : 0)) {
		prefetch_ext_glue_release();
		policy_ext_put(&p->life);
	}
}

/* A worker has finished its batch. */
void prefetch_ext_worker_ends(struct prefetch_ext_policy *p)
{
	policy_ext_put(&p->life);
	prefetch_ext_glue_release();
}

void prefetch_ext_late_free(struct prefetch_ext_late *late,
			    struct prefetch_ext_late_range *l)
{
	iput(l->range.mapping->host);
	mntput(l->mnt);
	atomic_dec(&late->nr);
	kfree(l);
}

/*
 * Drains the folio batches of all CPUs. That interrupts whatever runs there, so it happens at
 * most once a second for all policies together, and only if a clean folio was in use at a
 * worker's last try. A folio that is not clean waits for its disk anyway.
 */
static void drain(struct prefetch_ext_policy *p)
{
	static atomic_long_t next;
	long now = jiffies, due = atomic_long_read(&next);
	struct prefetch_ext_late_range *l;
	bool in_use = false;

	spin_lock(&p->late_lock);
	list_for_each_entry(l, &p->again.ranges, link)
		in_use |= l->range.in_use && l->tries;
	spin_unlock(&p->late_lock);
	if (in_use && now - due >= 0 &&
	    atomic_long_try_cmpxchg(&next, &due, now + DRAIN_DELAY))
		lru_add_drain_all();
}

/* Is @l worth another try, after one that left @rest? Caller: p->late_lock. */
static bool is_worth_it(struct prefetch_ext_late_range *l,
			const struct prefetch_ext_rest *rest)
{
	if (l->joined)
		return true;
	l->range.first = rest->first;
	l->range.last = rest->last;
	l->range.in_use = rest->in_use;
	if (rest->pages < l->least) {
		l->least = rest->pages;
		l->tries = 0;
	}
	return rest->pages && ++l->tries < MAX_TRIES &&
	       time_before(jiffies, l->until);
}

/*
 * Tries each once, and comes again for what is worth it. Ranges stay where others may
 * join them; nobody else removes any. An unlinked file's last reference may wait for its
 * file system to thaw: what comes again does not wait for that, but is not tried
 * meanwhile.
 */
static void drop_again(struct work_struct *work)
{
	struct prefetch_ext_policy *p = container_of(to_delayed_work(work),
						     struct prefetch_ext_policy,
						     again.work);
	struct prefetch_ext_file_range r;
	struct prefetch_ext_rest rest;
	struct prefetch_ext_late_range *l, *next;
	LIST_HEAD(done);
	bool more;

	drain(p);
	spin_lock(&p->late_lock);
	list_for_each_entry_safe(l, next, &p->again.ranges, link) {
		r = l->range;
		l->joined = false;
		spin_unlock(&p->late_lock);
		rest = prefetch_ext_drop_once(p, &r);
		spin_lock(&p->late_lock);
		if (is_worth_it(l, &rest))
			continue;
		pes_add(p, PES_LEFT, rest.left);
		list_move_tail(&l->link, &done);
	}
	more = !list_empty(&p->again.ranges);
	spin_unlock(&p->late_lock);
	if (more)
		queue(p, &p->again);
	list_for_each_entry_safe(l, next, &done, link)
		prefetch_ext_late_free(&p->again, l);
	prefetch_ext_worker_ends(p);
}

void prefetch_ext_late_init(struct prefetch_ext_policy *p)
{
	spin_lock_init(&p->late_lock);
	p->late.most = MAX_LATE;
	p->again.most = MAX_AGAIN;
	INIT_LIST_HEAD(&p->late.ranges);
	INIT_LIST_HEAD(&p->again.ranges);
	INIT_DELAYED_WORK(&p->again.work, drop_again);
}

/* Resets the tries, as for a new range. Caller holds p->late_lock, or nobody else sees @l. */
static void begin(struct prefetch_ext_late_range *l)
{
	l->until = jiffies + MAX_TIME;
	l->least = ULONG_MAX;
	l->tries = 0;
	l->joined = true;
}

/*
 * Merges @r into a waiting range that overlaps it or lies beside it: so a stream is one range,
 * however long. Caller: p->late_lock.
 */
static bool join(struct prefetch_ext_late *late,
		 const struct prefetch_ext_file_range *r)
{
	struct prefetch_ext_late_range *l;

	list_for_each_entry(l, &late->ranges, link) {
		struct prefetch_ext_file_range *to = &l->range;

		if (to->mapping != r->mapping || to->wait != r->wait ||
		    to->drop != r->drop || r->first > to->last + 1 ||
		    to->first > r->last + 1)
			continue;
		if (r->last >= to->last)
			to->part = r->part;
		to->first = min(to->first, r->first);
		to->last = max(to->last, r->last);
		to->in_use |= r->in_use;
		to->nr++;
		l->since += ktime_to_us(ktime_get());
		begin(l);
		return true;
	}
	return false;
}

/*
 * Leaves @r to a worker. Returns false if there are too many ranges, or no memory.
 *
 * A flush may take as long as io.max or a server makes it. So each policy has workers of its
 * own, and none waits for another's.
 */
static bool leave(struct prefetch_ext_policy *p, struct prefetch_ext_late *late,
		  struct vfsmount *mnt, const struct prefetch_ext_file_range *r)
{
	struct prefetch_ext_late_range *l = NULL;
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
	l->mnt = mntget(mnt);
	ihold(r->mapping->host);
	l->range = *r;
	l->since = ktime_to_us(ktime_get());
	begin(l);
	spin_lock(&p->late_lock);
	list_add_tail(&l->link, &late->ranges);
	spin_unlock(&p->late_lock);
	queue(p, late);
	return true;
}

void prefetch_ext_defer(struct prefetch_ext_policy *p, struct vfsmount *mnt,
			const struct prefetch_ext_file_range *r)
{
	pes_inc(p, leave(p, &p->late, mnt, r) ? PES_DEFERRED : PES_SKIPPED);
}

bool prefetch_ext_drop_later(struct prefetch_ext_policy *p,
			     struct vfsmount *mnt,
			     const struct prefetch_ext_file_range *r)
{
	return leave(p, &p->again, mnt, r);
}
