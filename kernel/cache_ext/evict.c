// SPDX-License-Identifier: GPL-2.0
/*
 * Requests: reclaim asks the policy which folios to take.
 *
 *   reclaim ---> request (<= 32 pages) ---> evict_folios(), up to 8 calls,
 *	  ^	      |			   until something is proposed
 *	  |	      v
 *	  |	   isolate from the LRU, reclaim with reclaim's own scan_control
 *	  |	      |
 *	  +-----------+   until enough is freed or the policy stalls
 *
 * A proposed node is off its list until reclaim has decided, so two reclaimers
 * never propose the same folio. What reclaim refuses goes back to the far end.
 * Only evict_folios() and isolation run under evict_mutex, never reclaim. Detach
 * does not wait for reclaim, which may wait itself: for the server of a file system
 * (release_folio() of NFS) or for memory.
 */
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/swap.h>
#include "cache_ext.h"
#include "glue.h"
#include "kfuncs.h"
#include "hint.h"

/* Levels of cgroups. Deeper ones are judged by older values. */
#define PROTECTION_LEVELS 16

/*
 * What memory.min and memory.low protect depends on the reclaimer. Reclaim computes
 * it for a cgroup just before it scans that cgroup. But the policy may propose folios
 * of any cgroup that it governs, so it is computed here, from the top.
 */
static void compute_protection(struct mem_cgroup *target,
			       struct mem_cgroup *memcg)
{
	struct mem_cgroup *path[PROTECTION_LEVELS];
	unsigned int n = 0;

	while (memcg && memcg != target && n < PROTECTION_LEVELS) {
		path[n++] = memcg;
		memcg = parent_mem_cgroup(memcg);
	}
	while (n--)
		mem_cgroup_calculate_protection(target, path[n]);
}

/* May this reclaim take folios of @memcg, which @s->memcg's policy governs? */
static bool may_take_of(struct cache_ext_shrink *s, struct mem_cgroup *memcg)
{
	if (memcg == s->memcg)
		return true;
	if (s->target && !mem_cgroup_is_descendant(memcg, s->target))
		return false;
	compute_protection(s->target, memcg);
	if (mem_cgroup_below_min(s->target, memcg))
		return false;
	return s->low || !mem_cgroup_below_low(s->target, memcg);
}

/*
 * May this reclaim take the folio? Its cgroup is governed by the policy, is below
 * the one that is short of memory, and is not protected. Its node and zone are
 * wanted, if the machine has several. Folios of one cgroup often come in a row. The
 * folio is charged, or is taking over the charge of another.
 */
static bool may_take(struct cache_ext_request *r, struct folio *folio)
{
	struct cache_ext_policy *p = container_of(r, struct cache_ext_policy,
						  request);
	struct mem_cgroup *memcg;

	if (folio_nid(folio) != r->ctx.nid ||
	    folio_zonenum(folio) > r->shrink->reclaim_idx)
		return false;
	if (!READ_ONCE(p->subtree))
		return true;
	memcg = folio_memcg(folio);
	if (!memcg)
		return false;
	if (memcg != r->asked) {
		r->asked = memcg;
		r->answer = cache_ext_policy_of(memcg) == p &&
			    may_take_of(r->shrink, memcg);
	}
	return r->answer;
}

/* Has the node memory of zones that this reclaim does not want? */
static bool has_higher_zones(struct cache_ext_shrink *s)
{
	int zone;

	for (zone = s->reclaim_idx + 1; zone < MAX_NR_ZONES; zone++)
		if (managed_zone(&NODE_DATA(s->nid)->node_zones[zone]))
			return true;
	return false;
}

/* Reclaim has not taken an isolated folio. */
static void refused(struct cache_ext_policy *p, struct folio *folio,
		    enum cache_ext_stat_item why)
{
	struct cache_ext_node *node;
	unsigned long irq, nr = 0;

	rcu_read_lock();
	node = cache_ext_node_find(folio);
	if (node && cache_ext_owns(p, node)) {
		/* Moves that programs asked for earlier are done first. */
		cache_ext_batch_flush_own(&p->lists);
		spin_lock_irqsave(&p->lists.lock, irq);
		if (cnode_state(node) == NODE_PROPOSED) {
			nr = cnode_pages(node);
			cache_ext_list_restore(&p->lists, node);
		}
		spin_unlock_irqrestore(&p->lists.lock, irq);
	}
	rcu_read_unlock();
	if (nr)
		ces_add(p, why, nr);
}

/*
 * What reclaim has neither freed nor given back, such as a folio with broken
 * memory (shrink_folio_list() leaves it to memory_failure()).
 */
static void restore_rest(struct cache_ext_policy *p, struct list_head *proposed)
{
	unsigned long irq, nr;

	/* As refused() has it. */
	if (unlikely(!list_empty(proposed)))
		cache_ext_batch_flush_own(&p->lists);
	/* Also for a task that is taking the last one off. */
	spin_lock_irqsave(&p->lists.lock, irq);
	nr = cache_ext_list_restore_all(&p->lists, proposed);
	spin_unlock_irqrestore(&p->lists.lock, irq);
	if (nr)
		ces_add(p, CES_REFUSED_OTHER, nr);
}

static enum cache_ext_stat_item why_refused(struct folio *folio)
{
	if (folio_test_writeback(folio))
		return CES_REFUSED_WRITEBACK;
	if (folio_test_dirty(folio))
		return CES_REFUSED_DIRTY;
	if (folio_test_locked(folio))
		return CES_REFUSED_LOCKED;
	return CES_REFUSED_OTHER;
}

static void request_init(struct cache_ext_policy *p, struct cache_ext_shrink *s,
			 unsigned long wanted, struct list_head *proposed)
{
	struct cache_ext_request *r = &p->request;

	r->lists = &p->lists;
	r->policy = p->kind.policy;
	r->record = p->kind.record;
	r->data_size = p->kind.data_size;
	r->shrink = s;
	r->may_take = READ_ONCE(p->subtree) || nr_online_nodes > 1 ||
				      has_higher_zones(s) ?
			      may_take :
			      NULL;
	r->resumes = r->may_take && r->target == s->target &&
		     r->ctx.nid == s->nid;
	r->target = s->target;
	r->asked = NULL;
	INIT_LIST_HEAD(&r->hand);
	r->proposed = proposed;
	r->nr_proposals = 0;
	r->nr_candidates = 0;
	r->nr_losers = 0;
	r->loser_tail = 0;
	r->nr_pages = 0;
	r->looked = 0;
	r->passed = 0;
	r->mapped = false;
	r->pin_kept = 0;
	r->ctx.request_nr_folios = min(wanted, CACHE_EXT_BATCH);
	r->ctx.nid = s->nid;
}

/* Runs the program once. Caller: rcu_read_lock(). */
static void call(struct cache_ext_policy *p, struct cache_ext_pass *pass)
{
	struct cache_ext_request *r = &p->request;

	r->ctx.nr_evicted = 0;
	r->steps_left = pass->steps_left;
	ces_inc(p, CES_CALLS);
	/* Iterators of this task are this request's from here... */
	WRITE_ONCE(p->evicting, current);
	if (ITERATORS_HINT)
		hint_begin(&p->self);
	cache_ext_timed(p, p->ops->evict_folios(&r->ctx, p->life.memcg));
	if (ITERATORS_HINT)
		hint_end();
	WRITE_ONCE(p->evicting, NULL); /* ...to here. */
	cache_ext_drop_candidates(r);
	pass->steps_left = r->steps_left;
	if (!r->steps_left)
		ces_inc(p, CES_OVERRUNS);
}

/*
 * A pass costs its reclaimer a bounded time, whatever the program does. Its steps, in
 * all calls, are at most
 *
 *	CACHE_EXT_CALL_SCAN + CACHE_EXT_PAGE_SCAN * pages proposed
 *
 * and it ends when fewer than CACHE_EXT_MAX_SCAN are left, which one request may use.
 * A policy stays within that bound if it proposes what is wanted, if that goes, and if
 * it scans a list of CACHE_EXT_MAX_SCAN folios at most twice for each request: that
 * takes 131,072 steps and earns 32 * 4,096 = 131,072. Only the last request wants fewer than
 * 32 pages, and 262,144 are there from the start. Those of stdlib go through as much once
 * (lfu_exact; lfu and lhd with samples of 2,048 a page; random, lruk and get_scan with
 * 65,536 a batch) or twice (lecar with 65,536).
 */
static void earn_steps(struct cache_ext_pass *pass, unsigned long pages)
{
	pass->steps_left = min(pass->steps_left + pages * CACHE_EXT_PAGE_SCAN,
			       CACHE_EXT_CALL_SCAN);
}

/*
 * One request: the program is called until it proposes something. Those that could
 * be isolated are on @folios, to be reclaimed from its tail; the nodes of all on
 * @proposed. Caller: evict_mutex.
 *
 * Folios that could not go in the request before are likely to be proposed again,
 * for example by a policy whose first list is short and holds folios that are being
 * read. So this request asks for as many more pages. Of small folios a pass frees
 * at most 31 more than are wanted.
 */
static void request(struct cache_ext_policy *p, struct cache_ext_shrink *s,
		    struct cache_ext_pass *pass, struct list_head *folios,
		    struct list_head *proposed)
{
	struct cache_ext_request *r = &p->request;
	unsigned int round;

	lockdep_assert_held(&p->evict_mutex);
	request_init(p, s, pass->wanted - pass->freed + pass->unfit, proposed);
	cache_ext_batch_flush_all(&p->lists);
	ces_inc(p, CES_REQUESTS);
	ces_add(p, CES_WANTED, r->ctx.request_nr_folios);

	for (round = 0; round < CACHE_EXT_ROUNDS; round++) {
		rcu_read_lock();
		call(p, pass);
		if (r->nr_proposals)
			cache_ext_isolate(r, folios);
		rcu_read_unlock();
		if (r->nr_proposals || !r->steps_left || READ_ONCE(p->life.dead))
			break;
		cond_resched();
	}
	earn_steps(pass, r->nr_pages);
	ces_add(p, CES_PROPOSED, r->nr_pages);
	if (unlikely(r->pin_kept))
		ces_add(p, CES_PIN_KEPT, r->pin_kept);
	cache_ext_check(p, false);
}

/*
 * Reclaim what is isolated, and put back what cannot go. Returns the pages freed,
 * and adds to @pass those that are in use through a mapping, and those in I/O.
 */
static unsigned long reclaim(struct cache_ext_policy *p,
			     struct cache_ext_shrink *s, bool mapped,
			     struct list_head *folios, struct cache_ext_pass *pass)
{
	enum cache_ext_stat_item why;
	unsigned long freed = 0;
	struct folio *folio;
	LIST_HEAD(used);

	if (unlikely(mapped))
		pass->kept += cache_ext_keep_used(s, folios, &used);
	if (!list_empty(folios))
		freed = cache_ext_glue_reclaim(s, folios);
	list_for_each_entry(folio, folios, lru) {
		why = why_refused(folio);
		if (why == CES_REFUSED_WRITEBACK || why == CES_REFUSED_LOCKED)
			pass->in_io += folio_nr_pages(folio);
		refused(p, folio, why);
	}
	list_for_each_entry(folio, &used, lru) {
		refused(p, folio, CES_REFUSED_REFERENCED);
		cache_ext_used(p, folio);
	}
	list_splice(&used, folios);
	cache_ext_glue_putback(s, folios);
	return freed;
}

/*
 * A reclaimer that throttling has stopped inside a policy's program keeps
 * evict_mutex for as long. Reclaim on behalf of others does not wait for it:
 * kswapd, and reclaim for the whole machine or for a cgroup above the policy's, which
 * others share. Other reclaimers wait, unless they are about to die.
 */
static bool lock(struct cache_ext_policy *p, struct cache_ext_shrink *s)
{
	if (likely(mutex_trylock(&p->evict_mutex)))
		return true;
	if (s->target && !current_is_kswapd() &&
	    mem_cgroup_is_descendant(s->target, p->life.memcg) &&
	    !mutex_lock_killable(&p->evict_mutex))
		return true;
	ces_inc(p, CES_CONTENDED);
	return false;
}

/* One step of a pass. False: the pass is over. May sleep. */
static bool step(struct cache_ext_policy *p, struct cache_ext_shrink *s,
		 struct cache_ext_pass *pass, unsigned int *futile)
{
	struct cache_ext_request *r = &p->request;
	unsigned long freed = 0, kept = pass->kept, pages;
	unsigned int proposed;
	LIST_HEAD(folios);
	LIST_HEAD(nodes);
	bool mapped, cut;

	if (!cache_ext_get(p))
		return false;
	if (!lock(p, s)) {
		cache_ext_put(p);
		pass->left_out = true;
		return false;
	}
	request(p, s, pass, &folios, &nodes);
	proposed = r->nr_proposals;
	pages = r->nr_pages;
	pass->tried += pages;
	pass->looked += r->looked;
	pass->passed += r->passed;
	mapped = r->mapped;
	cut = cache_ext_request_cut(r);
	pass->left_out |= cut;
	mutex_unlock(&p->evict_mutex);
	cache_ext_put(p);
	if (!proposed) {
		/* The next request resumes behind what was passed by. */
		if (cut && pass->nr_cut++ < CACHE_EXT_RESUMES)
			return true;
		pass->stalled = true;
		return false;
	}
	pass->nr_cut = 0;
	if (!list_empty(&folios))
		freed = reclaim(p, s, mapped, &folios, pass);
	restore_rest(p, &nodes);
	/* A folio in use is spared once: next time it may go. */
	if (freed)
		*futile = 0;
	else if (pass->kept == kept || kept >= CACHE_EXT_KEEP)
		++*futile;
	pass->freed += freed;
	/* A folio may have been split, and freed in part. */
	pass->unfit = pages > freed ? pages - freed : 0;
	return true;
}

/* The pass is over. @futile: requests that freed nothing, the last ones. */
static void conclude(struct cache_ext_policy *p, struct cache_ext_pass *pass,
		     unsigned int futile)
{
	bool spent = pass->steps_left < CACHE_EXT_MAX_SCAN &&
		     pass->freed < pass->wanted;

	if (futile >= CACHE_EXT_FUTILE)
		pass->futile = true;
	else if (spent && (futile || pass->freed * 2 < pass->tried))
		/* What cannot go has cost the steps. */
		pass->futile = true;
	else
		pass->spent = spent && pass->tried;
	if (pass->stalled || pass->futile || spent)
		ces_inc(p, CES_STALLED);
}

/* The policy that wants the pages itself; NULL: others do. */
static struct cache_ext_policy *wanted_by(const struct cache_ext_shrink *s)
{
#ifdef CONFIG_CACHE_EXT_RECLAIM
	return s->own;
#else
	return NULL;
#endif
}

/**
 * cache_ext_shrink - let the policy of a cgroup free some of its page cache
 * @s: who wants how much
 *
 * Returns the number of pages freed. Fewer than wanted means that the policy
 * has no more to propose, or that what it proposes cannot go, or that it cannot be
 * asked now: the kernel's own reclaim goes on from there.
 */
unsigned long cache_ext_shrink(struct cache_ext_shrink *s)
{
	struct cache_ext_pass pass = {
		.wanted = s->nr_to_reclaim,
		.steps_left = CACHE_EXT_CALL_SCAN,
	};
	struct cache_ext_policy *p;
	unsigned int futile = 0;

	rcu_read_lock();
	p = cache_ext_policy_of(s->memcg);
	/* Another one may govern since: what it has is not what the first one wanted to go. */
	if (p && ((wanted_by(s) && wanted_by(s) != p) || !cache_ext_hold(p)))
		p = NULL;
	rcu_read_unlock();
	if (!p)
		return 0;

	if (cache_ext_watchdog_reason(p))
		goto out;
	if (s->priority <= CACHE_EXT_LAST_PRIORITY) {
		ces_inc(p, CES_NEAR_OOM);
		cache_ext_watchdog_near_oom(p);
		goto out;
	}
	while (pass.freed < pass.wanted && futile < CACHE_EXT_FUTILE &&
	       pass.steps_left >= CACHE_EXT_MAX_SCAN &&
	       !READ_ONCE(p->life.dead) && !fatal_signal_pending(current) &&
	       step(p, s, &pass, &futile))
		cond_resched();
	conclude(p, &pass, futile);
	/* It may end the policy, if that has not ended. What it wants itself is no evidence. */
	if (!wanted_by(s) && !fatal_signal_pending(current) && cache_ext_get(p)) {
		cache_ext_watchdog_pass(p, &pass);
		cache_ext_put(p);
	}
out:
	cache_ext_let_go(p);
	return pass.freed;
}
