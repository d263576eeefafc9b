/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The primitives of README.md for BPF: generated C, compiled against this header, becomes the struct_ops programs of a
 * policy for the cache_ext kernel (docs/kernel-interface.md).
 *
 *     kernel ---> program (bpf_programs.h)          ---> handler (generated, inlined) ---> primitive (here) ---> kfunc
 *                 builds the context on the stack,
 *                 tells first_accessed from accessed
 *
 * What generated C defines around this header, in this order:
 *
 *     #define CPOL_POLICY lfu            the policy's name
 *     #define CPOL_LISTS 1               how many
 *     #define CPOL_HAS_META 1            if folio { } has fields, and CPOL_HAS_INIT, CPOL_HAS_FIRST_ACCESSED, CPOL_HAS_ACCESSED,
 *                                        CPOL_HAS_REMOVED for the handlers that there are
 *     #include "cpol/policy.h"           this
 *     struct cpol_meta { ... };          with CPOL_HAS_META; and static inline void cpol_meta_init(struct cpol_meta *m)
 *     CPOL_GHOST(recent)                 one a ghost
 *     CPOL_HANDLER_...                   the handlers
 *     #include "cpol/programs.h"         at the end: bpf_programs.h
 *
 * The record beside a folio's node in the kernel is struct cpol_record: the policy's fields, and `touched`, a byte of its
 * own (a bit among the fields would lose updates to them).
 */
#ifndef CPOL_BPF_H
#define CPOL_BPF_H

#include "cpol/arith.h"
#include "cpol/bpf_ghost.h"
#include "cpol/bpf_kernel.h"
#include "cpol/types.h"

/* The context of a handler, on the program's stack; `evict` is NULL except in the evict handler. */
struct cpol_bpf {
	struct mem_cgroup *memcg;
	struct cache_ext_evict_ctx *evict;
};

#define CPOL_HANDLER(name, ...) static __always_inline void cpol_on_##name(__VA_ARGS__)
#define CPOL_HANDLER_INIT(c) CPOL_HANDLER(init, struct cpol_bpf *c)
#define CPOL_HANDLER_ADDED(c, f) CPOL_HANDLER(added, struct cpol_bpf *c, struct folio *f)
#define CPOL_HANDLER_FIRST_ACCESSED(c, f) CPOL_HANDLER(first_accessed, struct cpol_bpf *c, struct folio *f)
#define CPOL_HANDLER_ACCESSED(c, f) CPOL_HANDLER(accessed, struct cpol_bpf *c, struct folio *f)
#define CPOL_HANDLER_REMOVED(c, f, why) CPOL_HANDLER(removed, struct cpol_bpf *c, struct folio *f, u32 why)
#define CPOL_HANDLER_EVICT(c) CPOL_HANDLER(evict, struct cpol_bpf *c)

#if defined(CPOL_HAS_FIRST_ACCESSED) || defined(CPOL_HAS_ACCESSED)
#define CPOL_HAS_TOUCHED 1
#endif

#ifdef CPOL_HAS_META
struct cpol_meta;
static __always_inline struct cpol_meta *cpol_meta(struct cpol_bpf *c, struct folio *f);
#endif

/* A list's number in the kernel is its number here less one: the program of init creates them in this order. */

static __always_inline u64 cpol_list_size(struct cpol_bpf *c, u32 list)
{
	return bpf_cache_ext_list_size(c->memcg, list - 1);
}

static __always_inline u64 cpol_cache_size(struct cpol_bpf *c)
{
	return bpf_cache_ext_size(c->memcg);
}

static __always_inline u64 cpol_cache_capacity(struct cpol_bpf *c)
{
	return bpf_cache_ext_capacity(c->memcg);
}

static __always_inline u64 cpol_evict_wanted(struct cpol_bpf *c)
{
	return c->evict->request_nr_folios;
}

/* 0 is none. */
static __always_inline u32 cpol_folio_list(struct cpol_bpf *c, struct folio *f)
{
	s32 list = bpf_cache_ext_folio_list(f);

	return list < 0 ? 0 : list + 1;
}

static __always_inline u64 cpol_folio_pages(struct cpol_bpf *c, struct folio *f)
{
	if (f->flags & 1UL << __builtin_preserve_enum_value(*(typeof(enum pageflags) *)PG_head, 1))
		return f->_folio_nr_pages;
	return 1;
}

static __always_inline u64 cpol_folio_index(struct cpol_bpf *c, struct folio *f)
{
	return f->index;
}

/* docs/semantics.md, Identity. A folio that was just truncated has no mapping: the kernel makes the reads below give 0. */
static __always_inline u64 cpol_folio_file(struct cpol_bpf *c, struct folio *f)
{
	struct inode *inode = f->mapping->host;

	return cpol_mix64(inode->i_ino + cpol_mix64((u64)inode->i_sb->s_dev << 32 | inode->i_generation));
}

static __always_inline void cpol_place(struct cpol_bpf *c, struct folio *f, u32 list, bool tail)
{
	if (tail)
		bpf_cache_ext_list_add_tail(f, list - 1);
	else
		bpf_cache_ext_list_add(f, list - 1);
}

static __always_inline void cpol_move(struct cpol_bpf *c, struct folio *f, u32 list, bool tail)
{
	bpf_cache_ext_list_move(f, list - 1, tail);
}

/* True: the request has what it wanted. */
static __always_inline bool cpol_evict_done(struct cpol_bpf *c)
{
	return c->evict->nr_evicted >= c->evict->request_nr_folios;
}

static __always_inline bool cpol_propose(struct cpol_bpf *c, struct folio *f)
{
	bpf_cache_ext_evict(c->evict, f);
	return cpol_evict_done(c);
}

static __always_inline void cpol_offer(struct cpol_bpf *c, struct folio *f, u64 score_key)
{
	bpf_cache_ext_offer(c->evict, f, score_key);
}

static __always_inline bool cpol_take_offers(struct cpol_bpf *c)
{
	bpf_cache_ext_take_offers(c->evict);
	return cpol_evict_done(c);
}

/*
 * A loop over a list; leaving it in any way destroys the iterator. The kernel bounds it by the list's length and by 65,536
 * steps: a counter of our own would only cost the verifier paths. A plain scan (from the head, without a bound) uses upstream's
 * iterator, any other the extension; which, is settled when the compiler has inlined, and nothing is left of struct cpol_scan.
 */
union cpol_iter {
	struct bpf_iter_cache_ext_list list;
	struct bpf_iter_cache_ext_scan scan;
};

struct cpol_scan {
	bool plain;
	union cpol_iter *iter;
};

static __always_inline struct cpol_scan cpol_scan_begin(struct cpol_bpf *c, union cpol_iter *iter, u32 list, bool from_tail,
							u64 bound)
{
	struct cpol_scan scan = { .plain = !from_tail && bound == CPOL_U64_MAX, .iter = iter };

	if (scan.plain)
		bpf_iter_cache_ext_list_new(&iter->list, c->memcg, list - 1);
	else
		bpf_iter_cache_ext_scan_new(&iter->scan, c->memcg, list - 1, from_tail ? CACHE_EXT_SCAN_TAIL : 0, bound);
	return scan;
}

static __always_inline struct folio *cpol_scan_next(const struct cpol_scan *scan)
{
	return scan->plain ? bpf_iter_cache_ext_list_next(&scan->iter->list) : bpf_iter_cache_ext_scan_next(&scan->iter->scan);
}

static __always_inline void cpol_scan_end(const struct cpol_scan *scan)
{
	if (scan->plain)
		bpf_iter_cache_ext_list_destroy(&scan->iter->list);
	else
		bpf_iter_cache_ext_scan_destroy(&scan->iter->scan);
}

#define CPOL_SCAN(c, f, list, from_tail, bound)                                                                                \
	for (union cpol_iter cpol_iter, *cpol_once = &cpol_iter; cpol_once; cpol_once = NULL)                                  \
		for (const struct cpol_scan cpol_scan __attribute__((cleanup(cpol_scan_end))) =                                \
			     cpol_scan_begin(c, &cpol_iter, list, from_tail, bound);                                           \
		     cpol_once; cpol_once = NULL)                                                                              \
			for (struct folio *f; (f = cpol_scan_next(&cpol_scan));)

#define CPOL_GHOST(NAME) CPOL_BPF_GHOST(NAME)
#define cpol_ghost_take(c, NAME, f) ((bool)cpol_ghost_take_##NAME(cpol_folio_file(c, f), cpol_folio_index(c, f)))
#define cpol_ghost_has(c, NAME, f) ((bool)cpol_ghost_has_##NAME(cpol_folio_file(c, f), cpol_folio_index(c, f)))
#define cpol_ghost_add(c, NAME, f) ((void)cpol_ghost_add_##NAME(cpol_folio_file(c, f), cpol_folio_index(c, f)))

#endif
