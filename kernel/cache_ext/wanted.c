// SPDX-License-Identifier: GPL-2.0
/*
 * Evictions that a policy wants, by itself: a worker makes requests of it as reclaim does.
 *
 *   bpf_cache_ext_reclaim() ---> policy->wanted, the greatest number of pages
 *				      |
 *	  +---------------------------+ whoever raises it from 0 queues the worker
 *	  v
 *   run: cache_ext_shrink() for at most MAX_RUN pages, with a scan_control of its own
 *	  |
 *	  +-- some went:  they count against what is wanted, also what was asked for
 *	  |		  meanwhile; for the rest it runs again
 *	  +-- none went:  what is wanted is forgotten, and the next run is late, by
 *			  twice as much each time, at most a second
 *
 * So programs that ask in every event, for any number of pages, have one work item. What it
 * spends beyond a fair price for the pages that went, it rests as long: a program that makes
 * its runs dear has half of one CPU at most. It takes nothing but what evict_folios() proposes: the kernel's own scan has no part
 * in it, nor has memory of others. What goes is no merit before the watchdog, and what does
 * not go is no offence.
 *
 * A queued or running worker holds the policy (policy->holders), so detach waits for none:
 * one that comes after it sees that the policy is dead.
 */
#include <linux/jiffies.h>
#include "cache_ext.h"
#include "glue.h"
#include "kfuncs.h"

#define MAX_RUN		1024UL	/* pages */
#define PAGE_NS		20000ULL /* a fair price: no run is faster on a busy machine */
#define MAX_LATE	10	/* doublings of a jiffy; see late() */

/* Caller: it has a reference to give, in policy->holders. */
static void queue_run(struct cache_ext_policy *p, unsigned long delay)
{
	/* One is enough: that one has a reference of its own. */
	if (!queue_delayed_work(policy_ext_long_wq, &p->wanted_work, delay))
		cache_ext_let_go(p);
}

/* How long the next run waits after runs that freed nothing. */
static unsigned long late(struct cache_ext_policy *p)
{
	unsigned int futile = READ_ONCE(p->wanted_futile);

	return futile ? min(1UL << min(futile, MAX_LATE), (unsigned long)HZ) : 0;
}

/* Takes what went off what is wanted. Returns the rest. */
static unsigned long less(struct cache_ext_policy *p, unsigned long freed)
{
	long was = atomic_long_read(&p->wanted), left;

	do {
		left = (unsigned long)was > freed ? was - (long)freed : 0;
	} while (!atomic_long_try_cmpxchg(&p->wanted, &was, left));
	return left;
}

/* Jiffies to rest after a run that took @ns and freed so many pages. */
static unsigned long rest(struct cache_ext_policy *p, u64 ns, unsigned long freed)
{
	u64 fair = freed * PAGE_NS;
	unsigned long jiffies_of;

	p->wanted_ns += ns > fair ? ns - fair : 0;
	jiffies_of = nsecs_to_jiffies(p->wanted_ns);
	if (jiffies_of)
		p->wanted_ns = 0;
	return min(jiffies_of, (unsigned long)HZ);
}

static void run(struct work_struct *work)
{
	struct cache_ext_policy *p = container_of(to_delayed_work(work),
						  struct cache_ext_policy,
						  wanted_work);
	unsigned long wanted = atomic_long_read(&p->wanted), freed, left;
	u64 since = ktime_get_ns();

	if (READ_ONCE(p->life.dead) || !wanted)
		goto out;
	freed = cache_ext_glue_reclaim_own(p->life.memcg, min(wanted, MAX_RUN));
	if (freed) {
		ces_add(p, CES_RECLAIM_DONE, freed);
		WRITE_ONCE(p->wanted_futile, 0);
		left = less(p, freed);
	} else {
		WRITE_ONCE(p->wanted_futile,
			   min(p->wanted_futile + 1, (unsigned int)MAX_LATE));
		/* From here on the next to ask queues a run. */
		ces_add(p, CES_RECLAIM_LATE, atomic_long_xchg(&p->wanted, 0));
		left = 0;
	}
	if (left && !READ_ONCE(p->life.dead)) {
		queue_run(p, rest(p, ktime_get_ns() - since, freed));
		return; /* it has the reference */
	}
	rest(p, ktime_get_ns() - since, freed);
out:
	cache_ext_let_go(p);
}

/* Any context but NMI. Caller: rcu_read_lock(). */
static void want(struct cache_ext_policy *p, long pages)
{
	long was = atomic_long_read(&p->wanted);

	ces_inc(p, CES_RECLAIM_ASKED);
	do {
		if (was >= pages)
			return;
	} while (!atomic_long_try_cmpxchg(&p->wanted, &was, pages));
	if (!was && cache_ext_hold(p))
		queue_run(p, late(p));
}

void cache_ext_wanted_init(struct cache_ext_policy *p)
{
	INIT_DELAYED_WORK(&p->wanted_work, run);
}

/* Caller: @p is dead, and RCU since. A run under way goes on, and sees it. */
void cache_ext_wanted_stop(struct cache_ext_policy *p)
{
	if (cancel_delayed_work(&p->wanted_work))
		cache_ext_let_go(p);
}

__bpf_kfunc_start_defs();

/**
 * bpf_cache_ext_reclaim - have pages of the policy evicted soon
 * @memcg: the policy's cgroup
 * @pages: how many; of several numbers the greatest counts until they are gone
 *
 * A worker asks evict_folios for them. 0 does nothing.
 *
 * Context: folio_added, folio_accessed, tick.
 */
__bpf_kfunc void bpf_cache_ext_reclaim(struct mem_cgroup *memcg, u64 pages)
{
	struct cache_ext_policy *p;

	if (!pages)
		return;
	rcu_read_lock();
	p = cache_ext_own_policy(memcg);
	if (p)
		want(p, (long)min_t(u64, pages, LONG_MAX));
	rcu_read_unlock();
}

__bpf_kfunc_end_defs();
