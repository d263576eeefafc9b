/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a policy is asked, what it says, and how it conducts itself: evict.c,
 * offer.c, isolate.c, offence.c. Only through cache_ext.h, which has the limits.
 */
#ifndef _MM_CACHE_EXT_REQUEST_H
#define _MM_CACHE_EXT_REQUEST_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct cache_ext_offer {
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

/* One request. @ctx is what the program sees: keep it first. */
struct cache_ext_request {
	struct cache_ext_evict_ctx ctx;
	struct cache_ext_policy *policy;
	struct cache_ext_shrink *shrink;
	/* What was said of the folios of this cgroup: may they be taken? */
	struct mem_cgroup *asked;
	bool may_take;
	unsigned int nr_proposed;
	unsigned int nr_offers;
	/* What iterators did: in this call, and in this request. */
	u32 steps_left;
	u32 looked;		/* folios that the program was shown */
	bool left_out;		/* some were passed by */
	bool mapped;		/* some that are proposed */
	struct cache_ext_proposal proposed[CACHE_EXT_BATCH];
	/* Lowest score first, of equal scores the earliest first. */
	struct cache_ext_offer offers[CACHE_EXT_BATCH];
	/*
	 * Offered and without a seat, the earliest first: to go to the far end,
	 * all under one lock.
	 */
	unsigned int nr_left;
	u32 left_tail;			/* a bit each: that end is the tail */
	struct cache_ext_node *left[CACHE_EXT_BATCH];
};

/* Why a policy is overruled for good; see offence.c. */
enum cache_ext_offence {
	CACHE_EXT_STARVES = 1,
	CACHE_EXT_ROTATES,
	CACHE_EXT_CANNOT_GO,
};

/* Under evict_mutex. */
struct cache_ext_conduct {
	unsigned int offences;	/* that were not made good; read without */
	enum cache_ext_offence overruled; /* 0: no; written once, read without */
	bool trouble;		/* passes fail in a row; read without */
	u64 looked;		/* folios, since the trouble began */
	u64 tried;		/* pages that did not go, since then */
	atomic_long_t taken;	/* pages, since then, by the kernel; no lock */
	struct work_struct overrule;
};

/* What came of asking the policy once, in as many requests as it took. */
struct cache_ext_pass {
	unsigned long wanted;	/* pages */
	unsigned long freed;
	unsigned long kept;	/* pages proposed, but in use through a mapping */
	unsigned long tried;	/* pages proposed */
	u32 looked;
	bool left_out;
	bool futile;		/* it ended because nothing of it could go */
};

#endif /* _MM_CACHE_EXT_REQUEST_H */
