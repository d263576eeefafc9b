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
#include "mount.h"
#include "kfuncs.h"
#include "run.h"

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
			      cache_ext_mount_may_take(r->shrink, memcg);
	}
	return r->may_take;
}

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

static int propose(struct cache_ext_request *r, struct cache_ext_node *node,
		   struct folio *folio)
{
	struct cache_ext_policy *p = r->policy;
	unsigned long irq, nr = 0;

	if (r->nr_proposed >= CACHE_EXT_BATCH)
		return -E2BIG;
	spin_lock_irqsave(&p->lock, irq);
	if (node->state == NODE_OFFERED) {
		node->state = NODE_PROPOSED;
		nr = node_pages(node);
	} else if (cache_ext_list_take(p, node, NODE_PROPOSED)) {
		nr = node_pages(node);
	}
	spin_unlock_irqrestore(&p->lock, irq);
	if (!nr)
		return -EBUSY;
	r->proposed[r->nr_proposed++] = folio;
	r->ctx.nr_evicted += nr;
	ces_add(p, CES_PROPOSED, nr);
	return 0;
}

int cache_ext_propose(struct cache_ext_request *r, struct folio *folio)
{
	struct cache_ext_node *node = cache_ext_node_find_hinted(folio);

	if (!node || node_policy(node) != r->policy)
		return -ENOENT;
	return propose(r, node, folio);
}

/* Those without a seat, to the far end in the order in which they lost it. */
static void put_back(struct cache_ext_request *r)
{
	struct cache_ext_policy *p = r->policy;
	struct cache_ext_node *node;
	unsigned long irq;
	unsigned int i;

	if (!r->nr_left)
		return;
	spin_lock_irqsave(&p->lock, irq);
	for (i = 0; i < r->nr_left; i++) {
		node = r->left[i];
		if (node->state == NODE_LISTED)
			cache_ext_list_defer(p, node);
		else if (node->state == NODE_OFFERED)
			cache_ext_list_restore(p, node);
	}
	spin_unlock_irqrestore(&p->lock, irq);
	r->nr_left = 0;
}

static void leave(struct cache_ext_request *r, struct cache_ext_node *node)
{
	r->left[r->nr_left++] = node;
	if (r->nr_left == ARRAY_SIZE(r->left))
		put_back(r);
}

static bool take_seat(struct cache_ext_policy *p, struct cache_ext_node *node)
{
	unsigned long irq;
	bool taken;

	spin_lock_irqsave(&p->lock, irq);
	taken = cache_ext_list_take(p, node, NODE_OFFERED);
	spin_unlock_irqrestore(&p->lock, irq);
	return taken;
}

/* There are as many seats as pages are still wanted; a folio takes one. */
int cache_ext_offer_folio(struct cache_ext_request *r, struct folio *folio,
			  u64 score)
{
	struct cache_ext_policy *p = r->policy;
	struct cache_ext_node *node;
	unsigned int seats, i;

	if (r->ctx.nr_evicted >= r->ctx.request_nr_folios ||
	    r->nr_proposed >= CACHE_EXT_BATCH)
		return -E2BIG;
	seats = min(r->ctx.request_nr_folios - r->ctx.nr_evicted,
		    CACHE_EXT_BATCH - r->nr_proposed);
	node = cache_ext_node_find_hinted(folio);
	if (!node || node_policy(node) != p)
		return -ENOENT;
	if (READ_ONCE(node->state) != NODE_LISTED)
		return -EBUSY;

	if (r->nr_offers >= seats) {
		if (score >= r->offers[r->nr_offers - 1].score) {
			leave(r, node);
			return 0;
		}
		/* It may wait among those left since an earlier offer. */
		put_back(r);
		if (!take_seat(p, node))
			return -EBUSY;
		leave(r, r->offers[--r->nr_offers].node);
	} else if (!take_seat(p, node)) {
		return -EBUSY;
	}
	for (i = r->nr_offers; i > 0 && r->offers[i - 1].score > score; i--)
		r->offers[i] = r->offers[i - 1];
	r->offers[i].node = node;
	r->offers[i].score = score;
	r->nr_offers++;
	return 0;
}

int cache_ext_take_offered(struct cache_ext_request *r)
{
	struct cache_ext_node *node;
	unsigned int i, taken = 0;

	put_back(r);
	for (i = 0; i < r->nr_offers; i++) {
		node = r->offers[i].node;
		if (!propose(r, node, READ_ONCE(node->folio)))
			taken++;
	}
	r->nr_offers = 0;
	return taken;
}

/*
 * What a handler left behind: seats not taken. (It cannot leave an iterator: the
 * verifier sees to it that each is destroyed.)
 */
static void end_call(struct cache_ext_request *r)
{
	unsigned int i;

	for (i = 0; i < r->nr_offers; i++)
		leave(r, r->offers[i].node);
	r->nr_offers = 0;
	put_back(r);
}

/*
 * Caller has a reference: what is proposed now stays the same folio. Of mapped
 * folios nobody sees each use: this is where they are counted, off the fast paths.
 */
static bool is_proposed(struct cache_ext_policy *p, struct folio *folio)
{
	struct cache_ext_node *node;
	bool ret;

	rcu_read_lock();
	node = cache_ext_node_find(folio);
	ret = node && node_policy(node) == p &&
	      READ_ONCE(node->state) == NODE_PROPOSED;
	if (ret && folio_mapped(folio)) {
		ces_add(p, CES_MAPPED, node_pages(node));
		if (!node->seen)
			ces_add(p, CES_UNSEEN, node_pages(node));
	}
	rcu_read_unlock();
	return ret;
}

/* Off the LRU with a reference, if it is still what was proposed. */
static bool isolate(struct cache_ext_policy *p, struct cache_ext_shrink *s,
		    struct folio *folio, struct list_head *folios, bool *drained)
{
	enum cache_ext_stat_item why = CES_REFUSED_BUSY;
	bool done = false;

	if (!folio_try_get(folio))
		goto refuse;
	if (!is_proposed(p, folio) || folio_test_unevictable(folio) ||
	    folio_nid(folio) != s->nid || folio_zonenum(folio) > s->reclaim_idx) {
		why = CES_REFUSED_OTHER;
		goto put;
	}
	/* The newest folios wait in a batch of this CPU, or of another. */
	if (!folio_test_lru(folio) && !*drained) {
		cache_ext_mount_drain();
		*drained = true;
	}
	done = cache_ext_mount_isolate(folio);
	if (done)
		list_add(&folio->lru, folios);
put:
	folio_put(folio);
refuse:
	if (!done)
		refused(p, folio, why);
	return done;
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
	struct cache_ext_hint outer;
	unsigned int i, round;
	bool drained = false;

	lockdep_assert_held(&p->evict_mutex);
	r->policy = p;
	r->shrink = s;
	r->asked = NULL;
	r->nr_proposed = 0;
	r->nr_offers = 0;
	r->nr_left = 0;
	r->looked = 0;
	r->left_out = false;
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
			outer = hint_begin(NULL, NULL);
		cache_ext_timed(p, p->ops->evict_folios(&r->ctx, p->memcg));
		if (ITERATORS_HINT)
			hint_end(outer);
		WRITE_ONCE(p->evicting, NULL); /* ...to here. */
		end_call(r);
		if (!r->steps_left)
			ces_inc(p, CES_OVERRUNS);
		rcu_read_unlock();
		if (r->nr_proposed || !r->steps_left || READ_ONCE(p->dead))
			break;
		cond_resched();
	}
	for (i = 0; i < r->nr_proposed; i++)
		isolate(p, s, r->proposed[i], folios, &drained);
	return r->nr_proposed;
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
	unsigned long freed;
	unsigned int proposed, futile = 0;
	struct folio *folio;

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
		mutex_unlock(&p->evict_mutex);
		if (!proposed) {
			ces_inc(p, CES_STALLED);
			break;
		}
		freed = 0;
		if (!list_empty(&folios)) {
			freed = cache_ext_mount_reclaim(s, &folios);
			list_for_each_entry(folio, &folios, lru)
				refused(p, folio, why_refused(folio));
			cache_ext_mount_putback(s, &folios);
		}
		futile = freed ? 0 : futile + 1;
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
