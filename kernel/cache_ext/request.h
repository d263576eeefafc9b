/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A request: what reclaim asks of a policy, and what its program answers.
 * candidates.c and scan.c work on it; evict.c makes and ends it.
 */
#ifndef _MM_CACHE_EXT_REQUEST_H
#define _MM_CACHE_EXT_REQUEST_H

#include <linux/btf.h>
#include <linux/types.h>
#include "contract.h"
#include "list.h"

struct cache_ext_shrink;
struct folio;

/*
 * Folios that iterators pass by in a request, since reclaim may not take them.
 * Then they end: reclaim of a cgroup or a node that has few of a policy's folios
 * must not go through all of them. The kernel's own scan goes on, and iterators of
 * the next request resume there, if the same reclaim asks: for another the oldest may
 * be before that.
 */
#define CACHE_EXT_PASSED	(64 * CACHE_EXT_BATCH)

struct cache_ext_candidate {
	struct cache_ext_node *node;
	u64 score;
};

enum cache_ext_fate {
	FATE_BUSY,	/* being freed or isolated by somebody else */
	FATE_WRONG,	/* of another node, zone or life */
	FATE_LATER,	/* of another cgroup, or on no LRU yet: by itself */
	FATE_ISOLATED,
};

/* Nodes live as long as the request's program and isolation take (RCU). */
struct cache_ext_proposal {
	struct cache_ext_node *node;
	struct folio *folio;		/* isolate.c; NULL: no reference */
	enum cache_ext_fate fate;
};

/*
 * One request. @ctx is what the program sees: keep it first. One at a time has
 * its program run: under evict_mutex, and rcu_read_lock().
 */
struct cache_ext_request {
	struct cache_ext_evict_ctx ctx;
	struct cache_ext_lists *lists;
	u16 policy;			/* as nodes name it */
	u16 record;			/* offset of records in nodes */
	u16 data_size;			/* of records */
	struct cache_ext_shrink *shrink;
	/* May reclaim take this folio? NULL: any. Caller: lists->lock. */
	bool (*may_take)(struct cache_ext_request *r, struct folio *folio);
	/* The task that asks, or that asked last: only compared. */
	struct mem_cgroup *target;
	bool resumes;			/* the same asked last, of this node */
	/* What was said of the folios of this cgroup. */
	struct mem_cgroup *asked;
	bool answer;
	/* Nodes of NODE_CANDIDATE, and of NODE_PROPOSED. Under lists->lock. */
	struct list_head hand;
	struct list_head *proposed;	/* outlives the request: evict.c */
	unsigned int nr_proposals;
	unsigned int nr_candidates;
	unsigned long nr_pages;		/* proposed, in all calls */
	/* What iterators did: in this call, and in this request. */
	u32 steps_left;
	u32 looked;			/* folios that the program was shown */
	u32 passed;			/* folios that reclaim may not take */
	bool mapped;			/* some that are proposed */
	unsigned long pin_kept;		/* pages asked for that are pinned */
	struct cache_ext_proposal proposals[CACHE_EXT_BATCH];
	/* The lowest scores, lowest first; of equal ones the earliest first. */
	struct cache_ext_candidate candidates[CACHE_EXT_BATCH];
	/*
	 * Folios that did not become candidates, the earliest first: they go to the
	 * far end under one lock.
	 */
	unsigned int nr_losers;
	u32 loser_tail;			/* a bit each: that end is the tail */
	struct cache_ext_node *losers[CACHE_EXT_BATCH];
};

static inline struct cache_ext_request *
cache_ext_request_of(struct cache_ext_evict_ctx *ctx)
{
	return container_of(ctx, struct cache_ext_request, ctx);
}

static inline bool cache_ext_request_allows(struct cache_ext_request *r,
					    struct cache_ext_node *node)
{
	return !r->may_take || r->may_take(r, cnode_folio(node));
}

/* It has passed by so many that its iterators have ended early. */
static inline bool cache_ext_request_cut(const struct cache_ext_request *r)
{
	return r->passed >= CACHE_EXT_PASSED;
}

/* One more is passed by. True: that was the last. */
static inline bool cache_ext_request_passes(struct cache_ext_request *r)
{
	r->passed++;
	return cache_ext_request_cut(r);
}

/* candidates.c. Callers: rcu_read_lock(), evict_mutex. */
int cache_ext_propose(struct cache_ext_request *r,
		      struct cache_ext_node *node);
int cache_ext_offer(struct cache_ext_request *r, struct cache_ext_node *node,
		    u64 score);
int cache_ext_take_candidates(struct cache_ext_request *r);
void cache_ext_drop_candidates(struct cache_ext_request *r);

/* For select.c. @limit: how many may be candidates now. */
unsigned int cache_ext_candidates_room(struct cache_ext_request *r);
void cache_ext_candidate_add(struct cache_ext_request *r,
			     struct cache_ext_node *node, u64 score);
void cache_ext_put_losers(struct cache_ext_request *r);

/* select.c */
int cache_ext_select(struct cache_ext_request *r, s32 nr, u32 flags, u64 limit,
		     u32 where);

/* scan.c */
struct cache_ext_node *cache_ext_scan_next(struct cache_ext_request *r,
					   s32 nr, u32 *budget);

#endif /* _MM_CACHE_EXT_REQUEST_H */
