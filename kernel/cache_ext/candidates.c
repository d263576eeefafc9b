// SPDX-License-Identifier: GPL-2.0
/*
 * What an evict program does with folios: it proposes them, or offers them with a
 * score. The lowest of the offered folios are the candidates, which it may propose
 * all at once.
 *
 * There are as many candidates as pages are still wanted. A folio that does not
 * become one, or that a lower score replaces, goes to the far end of its list, in
 * the order of losing. Candidates that are left when the program ends go there too.
 *
 * Callers: rcu_read_lock(), evict_mutex; kfuncs.c says which programs.
 */
#include "index.h"
#include "request.h"

/* Caller: lists->lock. */
static int propose(struct cache_ext_request *r, struct cache_ext_node *node)
{
	lockdep_assert_held(&r->lists->lock);
	if (r->nr_proposals >= CACHE_EXT_BATCH)
		return -E2BIG;
	if (unlikely(cnode_pinned(node))) {
		r->pin_kept += cnode_pages(node);
		return -EPERM;
	}
	if (cnode_state(node) == NODE_CANDIDATE) {
		list_move_tail(&node->link, r->proposed);
		cnode_set_state(node, NODE_PROPOSED);
	} else if (!cache_ext_list_take(r->lists, node, r->proposed,
					NODE_PROPOSED)) {
		return -EBUSY;
	}
	r->proposals[r->nr_proposals++].node = node;
	r->ctx.nr_evicted += cnode_pages(node);
	r->nr_pages += cnode_pages(node);
	return 0;
}

/* 0; -E2BIG: a batch is proposed; -EPERM: pinned; -EBUSY: proposed, or not owned. */
int cache_ext_propose(struct cache_ext_request *r, struct cache_ext_node *node)
{
	unsigned long irq;
	int ret;

	spin_lock_irqsave(&r->lists->lock, irq);
	ret = propose(r, node);
	spin_unlock_irqrestore(&r->lists->lock, irq);
	return ret;
}

/* How many there may be. */
unsigned int cache_ext_candidates_room(struct cache_ext_request *r)
{
	if (r->ctx.nr_evicted >= r->ctx.request_nr_folios)
		return 0;
	return min(r->ctx.request_nr_folios - r->ctx.nr_evicted,
		   CACHE_EXT_BATCH - r->nr_proposals);
}

/* There is room, and @node is taken. Of equal scores the last loses. */
void cache_ext_candidate_add(struct cache_ext_request *r,
			     struct cache_ext_node *node, u64 score)
{
	struct cache_ext_candidate *c = r->candidates;
	unsigned int i;

	for (i = r->nr_candidates; i > 0 && c[i - 1].score > score; i--)
		c[i] = c[i - 1];
	c[i].node = node;
	c[i].score = score;
	r->nr_candidates++;
}

/* The losers, to the far end in the order in which they lost. */
void cache_ext_put_losers(struct cache_ext_request *r)
{
	struct cache_ext_lists *ls = r->lists;
	struct cache_ext_node *node;
	unsigned long irq;
	unsigned int i;

	if (!r->nr_losers)
		return;
	spin_lock_irqsave(&ls->lock, irq);
	for (i = 0; i < r->nr_losers; i++) {
		node = r->losers[i];
		if (cnode_state(node) == NODE_LISTED)
			cache_ext_list_defer(ls, node, r->loser_tail & BIT(i));
		else if (cnode_state(node) == NODE_CANDIDATE)
			cache_ext_list_restore(ls, node);
	}
	spin_unlock_irqrestore(&ls->lock, irq);
	r->nr_losers = 0;
	r->loser_tail = 0;
}

/* The iterator may be gone when they are put there: which end is far is told now. */
static void lose(struct cache_ext_request *r, struct cache_ext_node *node)
{
	u16 nr = cnode_list(node);
	struct cache_ext_list *list;

	BUILD_BUG_ON(ARRAY_SIZE(r->losers) > BITS_PER_TYPE(r->loser_tail));
	if (!cache_ext_list_valid(r->lists, nr))
		return;
	list = &r->lists->list[nr];
	if (!(list->iterating && list->from_tail))
		r->loser_tail |= BIT(r->nr_losers);
	r->losers[r->nr_losers++] = node;
	if (r->nr_losers == ARRAY_SIZE(r->losers))
		cache_ext_put_losers(r);
}

static bool take(struct cache_ext_request *r, struct cache_ext_node *node)
{
	unsigned long irq;
	bool taken;

	spin_lock_irqsave(&r->lists->lock, irq);
	taken = cache_ext_list_take(r->lists, node, &r->hand, NODE_CANDIDATE);
	spin_unlock_irqrestore(&r->lists->lock, irq);
	return taken;
}

/* 0; -E2BIG: no more pages are wanted; -EBUSY: it is not on a list. */
int cache_ext_offer(struct cache_ext_request *r, struct cache_ext_node *node,
		    u64 score)
{
	unsigned int room = cache_ext_candidates_room(r);

	if (!room)
		return -E2BIG;
	if (cnode_state(node) != NODE_LISTED)
		return -EBUSY;
	if (unlikely(cnode_pinned(node))) {
		r->pin_kept += cnode_pages(node);
		lose(r, node);
		return 0;
	}

	if (r->nr_candidates >= room) {
		if (score >= r->candidates[r->nr_candidates - 1].score) {
			lose(r, node);
			return 0;
		}
		/* It may be one of those that lost before. */
		cache_ext_put_losers(r);
		if (!take(r, node))
			return -EBUSY;
		lose(r, r->candidates[--r->nr_candidates].node);
	} else if (!take(r, node)) {
		return -EBUSY;
	}
	cache_ext_candidate_add(r, node, score);
	return 0;
}

/* Propose the candidates, lowest score first. Returns how many there was room for. */
int cache_ext_take_candidates(struct cache_ext_request *r)
{
	unsigned int i, taken = 0;
	unsigned long irq;

	cache_ext_put_losers(r);
	spin_lock_irqsave(&r->lists->lock, irq);
	for (i = 0; i < r->nr_candidates; i++)
		taken += !propose(r, r->candidates[i].node);
	/* A program may have proposed others meanwhile: then some find no room. */
	cache_ext_list_restore_all(r->lists, &r->hand);
	spin_unlock_irqrestore(&r->lists->lock, irq);
	r->nr_candidates = 0;
	return taken;
}

/*
 * What a program left behind: candidates that it did not propose, in their order.
 * (It cannot leave an iterator: the verifier sees to it that each is destroyed.)
 */
void cache_ext_drop_candidates(struct cache_ext_request *r)
{
	unsigned int i;

	for (i = 0; i < r->nr_candidates; i++)
		lose(r, r->candidates[i].node);
	r->nr_candidates = 0;
	cache_ext_put_losers(r);
}

/* The node of a folio that the request's policy owns; or NULL. */
static struct cache_ext_node *owned_node(struct cache_ext_request *r,
					 struct folio *folio)
{
	struct cache_ext_node *node = cache_ext_node_find_hinted(folio);

	return node && node->policy == r->policy ? node : NULL;
}

__bpf_kfunc_start_defs();

/**
 * bpf_cache_ext_evict - propose a folio for reclaim
 * @ctx: of the call
 * @folio: any folio
 *
 * It leaves its list until reclaim has decided. If reclaim does not take it, it
 * goes to the end of its list that is far from the scan which showed it.
 *
 * Context: only from evict_folios.
 * Return: 0; -ENOENT: not owned; -EBUSY: proposed already; -EPERM: pinned; -E2BIG:
 * CACHE_EXT_BATCH folios are proposed.
 */
__bpf_kfunc s32 bpf_cache_ext_evict(struct cache_ext_evict_ctx *ctx,
				    struct folio *folio)
{
	struct cache_ext_request *r = cache_ext_request_of(ctx);
	struct cache_ext_node *node = owned_node(r, folio);

	return node ? cache_ext_propose(r, node) : -ENOENT;
}

/**
 * bpf_cache_ext_offer - offer a folio as a candidate, with a score
 * @ctx: of the call
 * @folio: any folio
 * @score: the lowest ones are the candidates, as many as pages are still wanted
 *
 * A folio that is no candidate, or is pushed out by a lower score, goes to the far
 * end of its list.
 *
 * Context: only from evict_folios.
 * Return: 0, whether it is a candidate or not; -ENOENT: not owned; -EBUSY: a
 * request has it; -E2BIG: no more pages are wanted.
 */
__bpf_kfunc s32 bpf_cache_ext_offer(struct cache_ext_evict_ctx *ctx,
				    struct folio *folio, u64 score)
{
	struct cache_ext_request *r = cache_ext_request_of(ctx);
	struct cache_ext_node *node = owned_node(r, folio);

	return node ? cache_ext_offer(r, node, score) : -ENOENT;
}

/**
 * bpf_cache_ext_take_offers - propose the candidates, lowest score first
 * @ctx: of the call
 *
 * Those for which there is no room go to the far ends of their lists.
 *
 * Context: only from evict_folios.
 * Return: how many are proposed.
 */
__bpf_kfunc s32 bpf_cache_ext_take_offers(struct cache_ext_evict_ctx *ctx)
{
	return cache_ext_take_candidates(cache_ext_request_of(ctx));
}

__bpf_kfunc_end_defs();
