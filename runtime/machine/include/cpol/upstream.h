/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The primitives of README.md for upstream's interface (docs/upstream.md), in place of bpf.h. That kernel keeps only lists, so the
 * policy's own programs keep the rest:
 *
 *     a folio's record, which list it is on          upstream_nodes.h       a hash map, by the folio's address
 *     sizes of lists and of the cache, the capacity  upstream_sizes.h       counted here; the cgroup has the limits
 *     `evict lowest`                                 upstream_candidates.h  a table of the 32 lowest scores, and a second pass
 *     the bound of a scan                            here                   a counter for each scan
 *
 * Global variables are written by atomic operations, or by evict_folios, which never runs twice at a time (upstream_entry.h).
 */
#ifndef CPOL_UPSTREAM_H
#define CPOL_UPSTREAM_H

#include "cpol/bpf_policy.h"

#if CPOL_USES_LIST_ARRAY || CPOL_N_EVERY
#error "the profile refuses arrays of lists and blocks of `every`"
#endif

#define CPOL_HAS_NODE                                                                                                          \
	(CPOL_HAS_META || CPOL_USES_SIZES || CPOL_USES_FOLIO_LIST || CPOL_USES_CANDIDATES || CPOL_USES_ROTATION)

struct cpol_node;

/* The context of a handler, on the program's stack. `memcg` and `evict` are NULL except in init and evict. */
struct cpol_bpf {
	struct mem_cgroup *memcg;
	struct cache_ext_eviction_ctx *evict;
#if CPOL_N_ARRAYS
	struct cpol_array_versions arrays; /* that this handler reads */
#endif
#if CPOL_HAS_NODE
	struct folio *folio;    /* the handler's folio */
	struct cpol_node *node; /* its node, looked up before the handler */
	u32 left;               /* in removed: the list that it was on */
	u32 scanned;            /* the list of the scan that began last */
#endif
	bool refuses; /* the decision of the handler of admit */
};

/* The kernel numbers lists from 0, in the order in which init creates them: one less than the numbers here. */

#include "cpol/bpf_read.h"

CPOL_RELOCATED u64 cpol_folio_pages(cpol_ctx *c, cpol_folio f)
{
	unsigned long head = 1UL << __builtin_preserve_enum_value(*(typeof(enum pageflags) *)PG_head, 1);

	return CPOL_FOLIO_FLAGS(f) & head ? CPOL_LARGE_PAGES(f) : 1;
}

#if CPOL_HAS_NODE
#include "cpol/upstream_nodes.h"
#endif
#include "cpol/upstream_sizes.h"

/* That kernel counts folios here, not pages. */
CPOL_RELOCATED u64 cpol_evict_wanted(cpol_ctx *c)
{
	return c->evict->request_nr_folios;
}

/* True: the request has what it wanted. */
CPOL_RELOCATED bool cpol_evict_done(cpol_ctx *c)
{
	return c->evict->nr_evicted >= c->evict->request_nr_folios;
}

/*
 * Counts the folio on the list before it asks the kernel to put it there. Once it is there, another CPU may evict it and uncount it. If
 * the kernel refuses, the policy does not own the folio, so it is uncounted and stays on the kernel's LRU.
 */
CPOL_PRIMITIVE void cpol_place(cpol_ctx *c, cpol_folio f, u32 list, bool tail)
{
	int error __attribute__((unused));

#if CPOL_HAS_NODE
	cpol_node_enter(c->node, list);
#endif
	error = tail ? bpf_cache_ext_list_add_tail(f, list - 1) : bpf_cache_ext_list_add(f, list - 1);
#if CPOL_HAS_NODE
	if (error)
		cpol_node_leave(c->node);
#endif
}

/* When two CPUs move a folio at the same time, the kernel may keep one move, and the node the other. */
CPOL_PRIMITIVE void cpol_move(cpol_ctx *c, cpol_folio f, u32 list, bool tail)
{
#if CPOL_HAS_NODE && CPOL_N_LISTS > 1
	struct cpol_node *node = cpol_node(c, f);

	cpol_node_enter(node, list);
	if (bpf_cache_ext_list_move(f, list - 1, tail))
		cpol_node_leave(node);
#else
	bpf_cache_ext_list_move(f, list - 1, tail); /* there is only one list */
#endif
}

#if CPOL_HAS_REMOVED
CPOL_HANDLER_REMOVED(c, f, why);
#endif

/* The policy lost the folio: runs the handler of removed, then drops the node. */
CPOL_PRIMITIVE void cpol_gone(cpol_folio f, u32 why)
{
	cpol_ctx c __attribute__((unused)) = {};

#if CPOL_HAS_NODE
	c.folio = f;
	c.node = cpol_find(f);
	if (!c.node)
		return;
	c.left = cpol_node_leave(c.node);
#endif
#if CPOL_HAS_REMOVED
	cpol_on_removed(&c, f, why);
#endif
#if CPOL_HAS_NODE
	cpol_forget(f);
#endif
}

/* That kernel reports no removal of a proposed folio, and gives none back. So the folio is gone at once. */
CPOL_PRIMITIVE bool cpol_evict(cpol_ctx *c, cpol_folio f, bool tail)
{
	if (!bpf_cache_ext_evict(c->evict, f))
		cpol_gone(f, CPOL_EVICTED);
	return cpol_evict_done(c);
}

/*
 * A loop over a list, from its head. Any way out of it destroys the iterator. That kernel's iterator has no bound, so it would visit
 * again what the body moves to the tail. So each scan counts down in a variable of its own, whose value the verifier does not track.
 */
struct cpol_scan {
	struct bpf_iter_cache_ext_list *iter;
	volatile u64 *left; /* visits */
};

CPOL_PRIMITIVE struct cpol_scan cpol_scan_begin(cpol_ctx *c, struct bpf_iter_cache_ext_list *iter, volatile u64 *left, u32 list,
						u64 bound)
{
	u64 most = bound < CPOL_MAX_ROUNDS ? bound : CPOL_MAX_ROUNDS;

#if CPOL_USES_ROTATION || CPOL_USES_CANDIDATES
	u64 folios = cpol_list_folios(list);

	most = most < folios ? most : folios;
#endif
#if CPOL_HAS_NODE
	c->scanned = list;
#endif
	*left = most;
	bpf_iter_cache_ext_list_new(iter, c->memcg, list - 1);
	return (struct cpol_scan){ iter, left };
}

CPOL_PRIMITIVE struct folio *cpol_scan_next(const struct cpol_scan *scan)
{
	u64 left = *scan->left;

	if (!left)
		return NULL;
	*scan->left = left - 1;
	return bpf_iter_cache_ext_list_next(scan->iter);
}

CPOL_PRIMITIVE void cpol_scan_end(const struct cpol_scan *scan)
{
	bpf_iter_cache_ext_list_destroy(scan->iter);
}

#define CPOL_SCAN(c, f, list, from_tail, bound)                                                                                \
	_Static_assert(!(from_tail), "the profile refuses a scan from the tail");                                              \
	for (struct bpf_iter_cache_ext_list cpol_iter, *cpol_once = &cpol_iter; cpol_once; cpol_once = NULL)                   \
		for (const struct cpol_scan cpol_scan __attribute__((cleanup(cpol_scan_end))) = cpol_scan_begin(               \
			     c, &cpol_iter, ({                                                                                 \
				     static volatile u64 cpol_left;                                                            \
				     &cpol_left;                                                                               \
			     }),                                                                                               \
			     list, bound);                                                                                     \
		     cpol_once; cpol_once = NULL)                                                                              \
			for (cpol_folio f; (f = cpol_scan_next(&cpol_scan));)

/* Adds up to `bound` folios of a list as candidates. The score is a member of their records. */
#define CPOL_ADD_CANDIDATES_BY(c, list, from_tail, bound, member)                                                              \
	CPOL_SCAN(c, cpol_f, list, from_tail, bound) {                                                                         \
		struct cpol_meta *cpol_rec = cpol_meta(c, cpol_f);                                                             \
                                                                                                                               \
		if (cpol_rec)                                                                                                  \
			cpol_add_candidate(c, cpol_f, cpol_rec->member, !(from_tail));                                         \
	}

#if CPOL_USES_CANDIDATES
#include "cpol/upstream_candidates.h"
#endif

#endif
