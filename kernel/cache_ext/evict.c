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
 * Only evict_folios() and isolation run under evict_mutex, never reclaim.
 */
#include <linux/pagemap.h>
#include "cache_ext.h"
#include "glue.h"
#include "kfuncs.h"
#include "hint.h"

/*
 * Is the folio one that the reclaim that asks may take: of a cgroup that the
 * policy governs, below the one that is short of memory, and not protected? And
 * of its node, when the machine has several. One cgroup's folios often come in a
 * row. Caller: request, policy->lock; the folio is charged, or just taking the
 * charge of another over.
 */
bool cache_ext_may_take(struct cache_ext_policy *p, struct folio *folio)
{
	struct cache_ext_request *r = &p->request;
	struct mem_cgroup *memcg;

	if (nr_online_nodes > 1 && folio_nid(folio) != r->ctx.nid)
		return false;
	if (!READ_ONCE(p->subtree))
		return true;
	memcg = folio_memcg(folio);
	if (!memcg)
		return false;
	if (memcg != r->asked) {
		r->asked = memcg;
		r->may_take = cache_ext_policy_of(memcg) == p &&
			      cache_ext_glue_may_take(r->shrink, memcg);
	}
	return r->may_take;
}

/* Reclaim has not taken an isolated folio. */
static void refused(struct cache_ext_policy *p, struct folio *folio,
		    enum cache_ext_stat_item why)
{
	struct cache_ext_node *node;
	unsigned long irq, nr = 0;

	rcu_read_lock();
	node = cache_ext_node_find(folio);
	if (node && node_policy(node) == p) {
		spin_lock_irqsave(&p->lock, irq);
		if (node->state == NODE_PROPOSED) {
			nr = node_pages(node);
			cache_ext_list_restore(p, node);
		}
		spin_unlock_irqrestore(&p->lock, irq);
	}
	rcu_read_unlock();
	if (nr)
		ces_add(p, why, nr);
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

/*
 * One request. Returns how many folios were proposed; those that could be
 * isolated are on @folios, to be reclaimed from its tail.
 */
static unsigned int request(struct cache_ext_policy *p,
			    struct cache_ext_shrink *s, unsigned long wanted,
			    struct list_head *folios)
{
	struct cache_ext_request *r = &p->request;
	unsigned int round;

	lockdep_assert_held(&p->evict_mutex);
	r->policy = p;
	r->shrink = s;
	r->asked = NULL;
	r->nr_proposed = 0;
	r->nr_offers = 0;
	r->nr_left = 0;
	r->left_tail = 0;
	r->looked = 0;
	r->left_out = false;
	r->mapped = false;
	r->ctx.request_nr_folios = min(wanted, CACHE_EXT_BATCH);
	r->ctx.nid = s->nid;
	ces_inc(p, CES_REQUESTS);
	ces_add(p, CES_WANTED, r->ctx.request_nr_folios);

	for (round = 0; round < CACHE_EXT_ROUNDS; round++) {
		rcu_read_lock();
		r->ctx.nr_evicted = 0;
		r->steps_left = CACHE_EXT_CALL_SCAN;
		ces_inc(p, CES_CALLS);
		/* Iterators of this task are this request's from here... */
		WRITE_ONCE(p->evicting, current);
		if (ITERATORS_HINT)
			hint_begin(&cache_ext_no_node);
		cache_ext_timed(p, p->ops->evict_folios(&r->ctx, p->memcg));
		if (ITERATORS_HINT)
			hint_end();
		WRITE_ONCE(p->evicting, NULL); /* ...to here. */
		cache_ext_end_offers(r);
		if (!r->steps_left)
			ces_inc(p, CES_OVERRUNS);
		if (r->nr_proposed)
			cache_ext_isolate(r, folios);
		rcu_read_unlock();
		if (r->nr_proposed || !r->steps_left || READ_ONCE(p->dead))
			break;
		cond_resched();
	}
	return r->nr_proposed;
}

/*
 * Reclaim what is isolated, and put back what cannot go. Returns the pages freed,
 * and adds to *@kept those that are in use through a mapping.
 */
static unsigned long reclaim(struct cache_ext_policy *p,
			     struct cache_ext_shrink *s, bool mapped,
			     struct list_head *folios, unsigned long *kept)
{
	unsigned long freed = 0;
	struct folio *folio;
	LIST_HEAD(used);

	if (unlikely(mapped))
		*kept += cache_ext_keep_used(s, folios, &used);
	if (!list_empty(folios))
		freed = cache_ext_glue_reclaim(s, folios);
	list_for_each_entry(folio, folios, lru)
		refused(p, folio, why_refused(folio));
	list_for_each_entry(folio, &used, lru) {
		refused(p, folio, CES_REFUSED_REFERENCED);
		cache_ext_used(p, folio);
	}
	list_splice(&used, folios);
	cache_ext_glue_putback(s, folios);
	return freed;
}

/**
 * cache_ext_shrink - let the policy of a cgroup free some of its page cache
 * @s: who wants how much
 *
 * Returns the number of pages freed. Fewer than wanted means that the policy
 * has no more to propose, or that what it proposes cannot go: the kernel's own
 * reclaim goes on from there.
 */
unsigned long cache_ext_shrink(struct cache_ext_shrink *s)
{
	struct cache_ext_pass pass = { .wanted = s->nr_to_reclaim };
	struct cache_ext_policy *p;
	unsigned long freed, kept;
	unsigned int proposed, futile = 0;
	bool mapped;

	rcu_read_lock();
	p = cache_ext_policy_of(s->memcg);
	if (p && !cache_ext_get(p))
		p = NULL;
	rcu_read_unlock();
	if (!p)
		return 0;

	if (cache_ext_overruled_why(p) || cache_ext_near_oom(p, s))
		goto out;

	while (pass.freed < pass.wanted && futile < CACHE_EXT_FUTILE &&
	       !READ_ONCE(p->dead)) {
		LIST_HEAD(folios);

		mutex_lock(&p->evict_mutex);
		proposed = request(p, s, pass.wanted - pass.freed, &folios);
		pass.tried += p->request.ctx.nr_evicted;
		pass.looked += p->request.looked;
		pass.left_out |= p->request.left_out;
		mapped = p->request.mapped;
		mutex_unlock(&p->evict_mutex);
		if (!proposed) {
			ces_inc(p, CES_STALLED);
			break;
		}
		freed = 0;
		kept = pass.kept;
		if (!list_empty(&folios))
			freed = reclaim(p, s, mapped, &folios, &pass.kept);
		/* What is in use is so once: next time it may go. */
		if (freed)
			futile = 0;
		else if (pass.kept == kept || kept >= CACHE_EXT_KEEP)
			futile++;
		pass.freed += freed;
		cond_resched();
	}
	if (futile >= CACHE_EXT_FUTILE) {
		ces_inc(p, CES_STALLED);
		pass.futile = true;
	}
	cache_ext_pass_over(p, &pass);
out:
	cache_ext_put(p);
	return pass.freed;
}
