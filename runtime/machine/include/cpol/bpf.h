/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The primitives of README.md for BPF. Against this header, generated C compiles to the struct_ops programs of a policy for the
 * cache_ext kernel (docs/kernel-interface.md).
 *
 *     kernel ---> program (bpf_entry.h)          ---> handler (generated, inlined) ---> primitive (here) ---> kfunc
 *                 builds the context on the stack,
 *                 distinguishes first_accessed from accessed
 *
 * Generated C includes this after its declarations (struct cpol_meta, struct cpol_param_values, CPOL_GHOSTS, ...) and before
 * its handlers; bpf_entry.h, the programs, comes after them.
 */
#ifndef CPOL_BPF_H
#define CPOL_BPF_H

#include "cpol/bpf_policy.h"

/* The context of a handler, on the program's stack; `evict` is NULL except in the evict handler. */
struct cpol_bpf {
	struct mem_cgroup *memcg;
	struct cache_ext_evict_ctx *evict;
#if CPOL_N_ARRAYS
	struct cpol_array_versions arrays; /* that this handler reads */
#endif
#if CPOL_HAS_META
	struct folio *folio;      /* the handler's folio */
	struct cpol_meta *record; /* its record, looked up before the handler */
#endif
#if CPOL_USES_RECLAIM
	u64 gone; /* pages that had left when the handler began */
#endif
#if CPOL_HAS_ADMIT
	bool refuses; /* the decision of the handler of admit */
#endif
#if CPOL_PREFETCHES
	struct prefetch_ext_fault *fault;	/* of fault, prefetch */
	struct prefetch_ext_readahead *request; /* of readahead */
	struct prefetch_ext_range *range;	/* of opened, read, written */
	struct prefetch_ext_swap_out *out;	/* of swap */
#endif
};

#if CPOL_HAS_META
/* The folio's record; NULL: the policy does not own the folio, or no longer. */
CPOL_PRIMITIVE struct cpol_meta *cpol_look_up(cpol_folio f)
{
	return (struct cpol_meta *)bpf_cache_ext_folio_data(f, sizeof(struct cpol_meta));
}

CPOL_PRIMITIVE struct cpol_meta *cpol_meta(cpol_ctx *c, cpol_folio f)
{
	return f == c->folio ? c->record : cpol_look_up(f);
}
#endif

/* The kernel numbers lists from 0, in the order in which init creates them: one less than the numbers here. */

/* Pages on the list with this number. */
CPOL_PRIMITIVE u64 cpol_list_pages(cpol_ctx *c, u32 list)
{
	return bpf_cache_ext_list_size(c->memcg, list - 1);
}

#if CPOL_USES_LIST_ARRAY
/* For each array, the number of its last list; the loader sets them. */
__hidden const volatile u32 cpol_array_ends[CPOL_N_LIST_ARRAYS] SEC(".rodata") = {};

/* The number of the first list of an array, which is a constant. */
#define cpol_array_first(array) ((array) ? cpol_array_ends[(array) - !!(array)] + 1 : CPOL_LIST_ARRAY)

/* The number of a list of an array. */
CPOL_PRIMITIVE u32 cpol_list_at(cpol_ctx *c, u32 list, u64 index)
{
	u32 array = list - CPOL_LIST_ARRAY, first = cpol_array_first(array);
	u64 last = (u64)cpol_array_ends[array] - first;

	return first + (u32)(index < last ? index : last);
}

/* Pages on all lists of an array. */
CPOL_PRIMITIVE u64 cpol_array_pages(cpol_ctx *c, u32 array)
{
	u64 pages = 0;

	CPOL_FOR(i, cpol_range(cpol_array_first(array), cpol_array_ends[array]))
		pages += cpol_list_pages(c, (u32)i);
	return pages;
}
#endif

/* Pages on a list by its name; for an array, on all its lists. */
CPOL_PRIMITIVE u64 cpol_list_size(cpol_ctx *c, u32 list)
{
#if CPOL_USES_LIST_ARRAY
	if (list >= CPOL_LIST_ARRAY)
		return cpol_array_pages(c, list - CPOL_LIST_ARRAY);
#endif
	return cpol_list_pages(c, list);
}

CPOL_PRIMITIVE u64 cpol_cache_size(cpol_ctx *c)
{
	return bpf_cache_ext_size(c->memcg);
}

CPOL_PRIMITIVE u64 cpol_cache_capacity(cpol_ctx *c)
{
	return bpf_cache_ext_capacity(c->memcg);
}

CPOL_RELOCATED u64 cpol_evict_wanted(cpol_ctx *c)
{
	u64 wanted = c->evict->request_nr_folios;

	CPOL_OPAQUE(wanted); /* as in cpol_folio_index() */
	return wanted;
}

/* The number of the folio's list; 0: none. An array counts as one list. */
CPOL_PRIMITIVE u32 cpol_folio_list(cpol_ctx *c, cpol_folio f)
{
	s32 list = bpf_cache_ext_folio_list(f);

	if (list < 0)
		return 0;
#if CPOL_USES_LIST_ARRAY
	if (list >= CPOL_LIST_ARRAY - 1) {
		u32 array = 0;

		while (array < CPOL_N_LIST_ARRAYS - 1 && (u32)list >= cpol_array_ends[array])
			array++;
		return CPOL_LIST_ARRAY + array;
	}
#endif
	return list + 1;
}

CPOL_RELOCATED u64 cpol_folio_pages(cpol_ctx *c, cpol_folio f)
{
	return f->flags & 1UL << __builtin_preserve_enum_value(*(typeof(enum pageflags) *)PG_head, 1) ? f->_folio_nr_pages : 1;
}

CPOL_PRIMITIVE void cpol_place(cpol_ctx *c, cpol_folio f, u32 list, bool tail)
{
	if (tail)
		bpf_cache_ext_list_add_tail(f, list - 1);
	else
		bpf_cache_ext_list_add(f, list - 1);
}

CPOL_PRIMITIVE void cpol_move(cpol_ctx *c, cpol_folio f, u32 list, bool tail)
{
	bpf_cache_ext_list_move(f, list - 1, tail);
}

#if CPOL_USES_PINS
CPOL_PRIMITIVE void cpol_pin(cpol_ctx *c, cpol_folio f)
{
	bpf_cache_ext_pin(f);
}

CPOL_PRIMITIVE void cpol_unpin(cpol_ctx *c, cpol_folio f)
{
	bpf_cache_ext_unpin(f);
}

CPOL_PRIMITIVE bool cpol_folio_pinned(cpol_ctx *c, cpol_folio f)
{
	return bpf_cache_ext_folio_pinned(f) == 1;
}
#endif

#if CPOL_USES_RECLAIM
/* Before the handler reads any size: what another processor evicts from here on counts for what the handler asks. */
CPOL_PRIMITIVE void cpol_reclaim_begin(cpol_ctx *c)
{
	c->gone = bpf_cache_ext_gone(c->memcg);
}

CPOL_PRIMITIVE void cpol_reclaim(cpol_ctx *c, u64 pages)
{
	if (pages)
		bpf_cache_ext_reclaim(c->memcg, pages, c->gone);
}
#endif

/* True: the request has what it wanted. */
CPOL_RELOCATED bool cpol_evict_done(cpol_ctx *c)
{
	return c->evict->nr_evicted >= c->evict->request_nr_folios;
}

/* The kernel itself knows where a refused folio returns to, so `tail` is unused, also in cpol_add_candidate. */
CPOL_PRIMITIVE bool cpol_evict(cpol_ctx *c, cpol_folio f, bool tail)
{
	bpf_cache_ext_evict(c->evict, f);
	return cpol_evict_done(c);
}

CPOL_PRIMITIVE void cpol_add_candidate(cpol_ctx *c, cpol_folio f, u64 score_key, bool tail)
{
	bpf_cache_ext_offer(c->evict, f, score_key);
}

/* Adds up to `bound` folios of a list as candidates. The score is a member of their records. The kernel walks the list. */
#define CPOL_ADD_CANDIDATES_BY(c, list, from_tail, bound, member)                                                             \
	bpf_cache_ext_select((c)->evict, (s32)(list) - 1, (from_tail) ? CACHE_EXT_SCAN_TAIL : 0, (bound),                     \
			     (u32)(offsetof(struct cpol_meta, member) | sizeof(((struct cpol_meta *)0)->member) << 16))

CPOL_PRIMITIVE bool cpol_evict_candidates(cpol_ctx *c)
{
	bpf_cache_ext_take_offers(c->evict);
	return cpol_evict_done(c);
}

/*
 * A loop over a list. Any way out of it destroys the iterator. The kernel bounds it by the list's length and by 65,536 steps, so it
 * needs no counter, which would cost the verifier paths. A plain scan (from the head, without a bound) uses upstream's iterator; any
 * other uses the extension. The compiler inlines the choice, and removes struct cpol_scan. The choice is a constant, so a bound that
 * is computed is never plain: the verifier can lose the value that chose the iterator, and then refuses the other one's calls.
 */
#define CPOL_IS_PLAIN(from_tail, bound) (!(from_tail) && __builtin_constant_p(bound) && (bound) == CPOL_U64_MAX)

union cpol_iter {
	struct bpf_iter_cache_ext_list list;
	struct bpf_iter_cache_ext_scan scan;
};

struct cpol_scan {
	bool plain;
	union cpol_iter *iter;
};

CPOL_PRIMITIVE struct cpol_scan cpol_scan_begin(cpol_ctx *c, union cpol_iter *iter, bool plain, u32 list,
							bool from_tail, u64 bound)
{
	struct cpol_scan scan = { .plain = plain, .iter = iter };

	if (scan.plain)
		bpf_iter_cache_ext_list_new(&iter->list, c->memcg, list - 1);
	else
		bpf_iter_cache_ext_scan_new(&iter->scan, c->memcg, list - 1, from_tail ? CACHE_EXT_SCAN_TAIL : 0, bound);
	return scan;
}

CPOL_PRIMITIVE struct folio *cpol_scan_next(const struct cpol_scan *scan)
{
	return scan->plain ? bpf_iter_cache_ext_list_next(&scan->iter->list) : bpf_iter_cache_ext_scan_next(&scan->iter->scan);
}

CPOL_PRIMITIVE void cpol_scan_end(const struct cpol_scan *scan)
{
	if (scan->plain)
		bpf_iter_cache_ext_list_destroy(&scan->iter->list);
	else
		bpf_iter_cache_ext_scan_destroy(&scan->iter->scan);
}

#define CPOL_SCAN(c, f, list, from_tail, bound)                                                                                \
	for (union cpol_iter cpol_iter, *cpol_once = &cpol_iter; cpol_once; cpol_once = NULL)                                  \
		for (const struct cpol_scan cpol_scan __attribute__((cleanup(cpol_scan_end))) =                                \
			     cpol_scan_begin(c, &cpol_iter, CPOL_IS_PLAIN(from_tail, bound), list, from_tail, bound);          \
		     cpol_once; cpol_once = NULL)                                                                              \
			for (cpol_folio f; (f = cpol_scan_next(&cpol_scan));)

#include "cpol/bpf_read.h"
#if CPOL_PREFETCHES
#include "cpol/bpf_prefetch.h"
#endif

#endif
