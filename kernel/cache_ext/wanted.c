// SPDX-License-Identifier: GPL-2.0
/*
 * Evictions that a policy wants, by itself: a worker makes requests of it as reclaim does.
 *
 *   bpf_cache_ext_reclaim() ---> policy->wanted_goal: how many pages are to have gone in all
 *				      |
 *	  +---------------------------+ the first one queues the worker
 *	  v
 *   wanted_run: cache_ext_shrink() for at most MAX_RUN pages, with a scan_control of its own
 *	  |
 *	  +-- some went:  until the goal is reached, it runs again
 *	  +-- none went:  the goal is forgotten, and the next run is late, by twice as much
 *			  each time, at most a second
 *
 * The goal is absolute: pages that go count, whoever takes them, and those that come meanwhile
 * and are asked for are over, however many of the others have gone by then. A program that
 * read a size just before a run took pages asks for too many: so it says how many had gone
 * when it began, and those of that run count.
 *
 * So programs that ask in every event, for any number of pages, have one work item. What a
 * run takes beyond a fair price for the pages that went, the next one waits as long, whoever
 * asks for it: a program that makes its runs dear has half of one CPU.
 *
 * A run takes nothing but what evict_folios() proposes: the kernel's own scan has no part in
 * it, nor has memory of others. It begins at the node behind the last one that was asked, so
 * that no node gives all. What goes is no merit before the watchdog, and what does not go is
 * no offence.
 *
 * A queued or running worker holds the policy (policy->holders), so detach waits for none:
 * one that comes after it sees that the policy is dead.
 */
#include <linux/jiffies.h>
#include <linux/mmzone.h>
#include "cache_ext.h"
#include "glue.h"
#include "kfuncs.h"

#define MAX_RUN		1024UL	/* pages */
#define PAGE_NS		20000ULL /* a fair price: no run is faster on a busy machine */
#define MAX_DOUBLINGS	10U	/* of a jiffy, after runs in vain; HZ is the bound */

/* How many jiffies the next run still waits. */
static unsigned long wait_for(struct cache_ext_policy *p)
{
	unsigned long until = READ_ONCE(p->wanted_not_before), now = jiffies;

	return time_after(until, now) ? until - now : 0;
}

/* Caller: it has a reference to give, in policy->holders. */
static void queue_run(struct cache_ext_policy *p)
{
	/* One is enough: that one has a reference of its own. */
	if (!queue_delayed_work(policy_ext_wanted_wq, &p->wanted_work, wait_for(p)))
		cache_ext_let_go(p);
}

/* Pages that are still to go. */
static unsigned long wanted(struct cache_ext_policy *p)
{
	long left = (long)((unsigned long)atomic_long_read(&p->wanted_goal) -
			   READ_ONCE(p->lists.gone));

	return max(left, 0L);
}

/*
 * After a run that took @ns and freed so many pages: the next one rests for what was dear,
 * or is late if nothing went. What is less than a jiffy counts with the next.
 */
static void rest_after(struct cache_ext_policy *p, u64 ns, unsigned long freed)
{
	u64 fair = freed * PAGE_NS;
	unsigned long rest;

	p->wanted_ns += ns > fair ? ns - fair : 0;
	rest = nsecs_to_jiffies(p->wanted_ns);
	p->wanted_ns -= min_t(u64, p->wanted_ns, jiffies_to_nsecs(rest));
	p->wanted_futile = freed ? 0 : min(p->wanted_futile + 1, MAX_DOUBLINGS);
	if (!freed)
		rest = max(rest, min(1UL << p->wanted_futile, (unsigned long)HZ));
	WRITE_ONCE(p->wanted_not_before, jiffies + rest);
}

/* Has so many pages evicted, of one node after the other. Returns how many went. */
static unsigned long reclaim_own(struct cache_ext_policy *p, unsigned long nr)
{
	unsigned long freed = 0;
	int nodes = num_online_nodes();

	while (nodes-- > 0 && freed < nr) {
		p->wanted_nid = next_node_in(p->wanted_nid, node_online_map);
		freed += cache_ext_glue_reclaim_own(p, p->wanted_nid, nr - freed);
	}
	return freed;
}

static void wanted_run(struct work_struct *work)
{
	struct cache_ext_policy *p = container_of(to_delayed_work(work),
						  struct cache_ext_policy,
						  wanted_work);
	long goal = atomic_long_read(&p->wanted_goal);
	unsigned long left = wanted(p), freed;
	u64 since = ktime_get_ns();

	if (!READ_ONCE(p->life.dead) && left) {
		freed = reclaim_own(p, min(left, MAX_RUN));
		rest_after(p, ktime_get_ns() - since, freed);
		ces_add(p, CES_RECLAIM_DONE, freed);
		/* What is asked for from here on is not forgotten with it. */
		if (!freed && atomic_long_try_cmpxchg(&p->wanted_goal, &goal,
						      (long)READ_ONCE(p->lists.gone)))
			ces_add(p, CES_RECLAIM_LATE,
				min(left, READ_ONCE(p->lists.owned)));
	}
	if (READ_ONCE(p->life.dead))
		goto out;
	if (!wanted(p)) {
		/* From here on who asks queues a run; who asked before that did not. */
		clear_bit(0, &p->wanted_queued);
		smp_mb__after_atomic(); /* pairs with test_and_set_bit() in want() */
		if (!wanted(p) || test_and_set_bit(0, &p->wanted_queued))
			goto out;
	}
	queue_run(p); /* it has the reference */
	return;
out:
	cache_ext_let_go(p);
}

/*
 * Any context but NMI. Caller: rcu_read_lock(). What went after @since, which lies in the past,
 * counts: the program may have read the sizes from which @pages follows before that.
 */
static void want(struct cache_ext_policy *p, unsigned long pages, unsigned long since)
{
	unsigned long gone = READ_ONCE(p->lists.gone);
	long was = atomic_long_read(&p->wanted_goal);
	long goal;

	goal = (long)(((long)(gone - since) < 0 ? gone : since) + pages);

	ces_inc(p, CES_RECLAIM_ASKED);
	if ((long)((unsigned long)goal - gone) <= 0)
		return; /* they went already */
	do {
		/* Numbers of pages wrap; differences do not. */
		if ((long)((unsigned long)was - (unsigned long)goal) >= 0)
			return;
	} while (!atomic_long_try_cmpxchg(&p->wanted_goal, &was, goal));
	if (test_and_set_bit(0, &p->wanted_queued))
		return;
	if (cache_ext_hold(p))
		queue_run(p);
}

void cache_ext_wanted_init(struct cache_ext_policy *p)
{
	INIT_DELAYED_WORK(&p->wanted_work, wanted_run);
	p->wanted_not_before = jiffies;
}

/* Caller: @p is dead, and RCU since. A run under way goes on, and sees it. */
void cache_ext_wanted_stop(struct cache_ext_policy *p)
{
	if (cancel_delayed_work(&p->wanted_work))
		cache_ext_let_go(p);
}

__bpf_kfunc_start_defs();

/**
 * bpf_cache_ext_gone - how many pages have left the policy, in all
 * @memcg: the policy's cgroup
 *
 * For bpf_cache_ext_reclaim(). The number wraps.
 *
 * Context: folio_added, folio_accessed, tick.
 * Return: pages.
 */
__bpf_kfunc u64 bpf_cache_ext_gone(struct mem_cgroup *memcg)
{
	struct cache_ext_policy *p;
	u64 ret = 0;

	rcu_read_lock();
	p = cache_ext_own_policy(memcg);
	if (p)
		ret = READ_ONCE(p->lists.gone);
	rcu_read_unlock();
	return ret;
}

/**
 * bpf_cache_ext_reclaim - have pages of the policy evicted soon
 * @memcg: the policy's cgroup
 * @pages: how many; of several numbers the greatest counts until they are gone
 * @gone: what bpf_cache_ext_gone() said before the program read how large its lists are; what
 *	  has gone since then, on whatever CPU, counts. A number of the future is taken for now
 *
 * A worker asks evict_folios for them. 0 does nothing.
 *
 * Context: folio_added, folio_accessed, tick.
 */
__bpf_kfunc void bpf_cache_ext_reclaim(struct mem_cgroup *memcg, u64 pages, u64 gone)
{
	struct cache_ext_policy *p;

	if (!pages)
		return;
	rcu_read_lock();
	p = cache_ext_own_policy(memcg);
	if (p)
		want(p, min_t(u64, pages, LONG_MAX / 2), gone);
	rcu_read_unlock();
}

__bpf_kfunc_end_defs();
