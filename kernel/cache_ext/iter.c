// SPDX-License-Identifier: GPL-2.0
/*
 * Iterators over lists, as programs have them: open-coded, on their stacks.
 *
 *   in evict_folios	    the list's one iterator: list.c has its cursor
 *   in handlers of events  only the folio at an end: any number at once
 *
 * kfuncs.c says which programs may have one.
 */
#include <linux/btf.h>
#include "cache_ext.h"
#include "kfuncs.h"
#include "glue.h"
#include "hint.h"

/* Programs hold these on their stacks: size and alignment are ABI. */
struct bpf_iter_cache_ext_list {
	__u64 __opaque[4];
} __aligned(8);

struct bpf_iter_cache_ext_scan {
	__u64 __opaque[4];
} __aligned(8);

struct cache_ext_iter {
	struct cache_ext_policy *policy;	/* NULL: nothing to visit */
	u32 left;
	u32 budget;	/* folios to look at, if not all can be taken */
	u32 first_left;
	u32 first_budget;
	s32 list;
	bool peek;	/* only the folio at an end: not the list's iterator */
	bool tail;
};

static void iter_new(void *it, struct mem_cgroup *memcg, s32 list, u32 flags,
		     u64 limit, int *err)
{
	struct cache_ext_iter *iter = it;
	struct cache_ext_policy *p = cache_ext_own_policy(memcg);

	iter->policy = NULL;
	*err = -ENOENT;
	if (!p)
		return;
	iter->list = list;
	iter->tail = flags & CACHE_EXT_SCAN_TAIL;
	iter->peek = READ_ONCE(p->evicting) != current;
	if (iter->peek) {
		/* A handler of an event: more folios would need evict_mutex. */
		*err = -EINVAL;
		if (!cache_ext_list_valid(&p->lists, list) || limit != 1 ||
		    (flags & ~CACHE_EXT_SCAN_TAIL))
			return;
		iter->left = 1;
	} else {
		*err = -EINVAL;
		if (flags & ~CACHE_EXT_SCAN_TAIL)
			return;
		*err = cache_ext_iter_begin(&p->lists, list, iter->tail,
					    p->request.resumes);
		if (*err)
			return;
		iter->budget = min3(READ_ONCE(p->lists.list[list].nr_folios),
				    CACHE_EXT_MAX_SCAN,
				    p->request.steps_left);
		iter->left = min_t(u64, limit, iter->budget);
		iter->first_budget = iter->budget;
		iter->first_left = iter->left;
	}
	*err = 0;
	iter->policy = p;
}

/*
 * The folio at an end of a list, without an iterator: for handlers of events, of
 * which any number run at once. It may be freed at any time.
 */
static struct folio *peek(struct cache_ext_iter *iter)
{
	struct cache_ext_lists *ls = &iter->policy->lists;
	struct folio *folio = NULL;
	struct cache_ext_node *node;
	unsigned long irq;

	cache_ext_batch_flush_own(ls);
	spin_lock_irqsave(&ls->lock, irq);
	node = cache_ext_list_end(&ls->list[iter->list], iter->tail);
	if (node)
		folio = cnode_folio(node);
	spin_unlock_irqrestore(&ls->lock, irq);
	return folio;
}

/*
 * What is returned may be freed any time: programs only read from it, and every kfunc
 * looks it up anew. The verifier takes it for trusted, so it is read without a check: a
 * struct page is there as long as its memory, of which no page is cached any more when it
 * is removed. What a program reads of one that was freed is of no meaning.
 */
static struct folio *iter_next(void *it)
{
	struct cache_ext_iter *iter = it;
	struct cache_ext_request *r;
	struct cache_ext_node *node;
	u32 most, left;

	if (!iter->policy || !iter->left)
		return NULL;
	iter->left--;
	if (iter->peek)
		return peek(iter);
	/* All iterators of a call share its steps, also those under way. */
	r = &iter->policy->request;
	most = min(iter->budget, r->steps_left);
	left = most;
	node = cache_ext_scan_next(r, iter->list, &left);
	iter->budget -= most - left;
	r->steps_left -= most - left;
	if (!node)
		return NULL;
	if (ITERATORS_HINT)
		hint_set(node);
	return cnode_folio(node);
}

static void iter_destroy(void *it)
{
	struct cache_ext_iter *iter = it;

	if (iter->policy && !iter->peek) {
		struct cache_ext_request *r = &iter->policy->request;
		u32 steps = iter->first_budget - iter->budget;
		u32 shown = min(iter->first_left - iter->left, steps);

		r->looked += shown;
		cache_ext_iter_end(&iter->policy->lists, iter->list,
				   cache_ext_request_cut(r));
	}
	iter->policy = NULL;
}

__bpf_kfunc_start_defs();

/**
 * bpf_iter_cache_ext_list_new - begin to iterate over a list, from its head
 * @it: the iterator, on the program's stack
 * @memcg: the policy's cgroup
 * @list: number of the list
 *
 * It takes at most as many steps as the list has folios now, CACHE_EXT_MAX_SCAN, and
 * what is left of CACHE_EXT_CALL_SCAN, which all iterators of the call share. It
 * passes by folios that reclaim may not take: these are steps, too. Whatever this
 * returns, the program has to destroy the iterator.
 *
 * Context: only from evict_folios. A list has one iterator at a time.
 * Return: 0; -EINVAL: no such list, or another policy has taken this one's place;
 * -EBUSY: the list has an iterator; -ENOENT: the policy is not attached any more.
 * After an error it shows nothing.
 */
__bpf_kfunc int
bpf_iter_cache_ext_list_new(struct bpf_iter_cache_ext_list *it,
			    struct mem_cgroup *memcg, s32 list)
{
	int err;

	BUILD_BUG_ON(sizeof(struct cache_ext_iter) > sizeof(*it));
	iter_new(it, memcg, list, 0, U64_MAX, &err);
	return err;
}

/**
 * bpf_iter_cache_ext_list_next - go on to the next folio
 * @it: the iterator
 *
 * The iterator has moved on before the program sees the folio, which may be moved,
 * proposed or offered. The folio has no reference: it may be freed any time, so the
 * program may only read from it, and use it as an argument of kfuncs.
 *
 * Context: as bpf_iter_cache_ext_list_new().
 * Return: the folio; NULL: no more.
 */
__bpf_kfunc struct folio *
bpf_iter_cache_ext_list_next(struct bpf_iter_cache_ext_list *it)
{
	return iter_next(it);
}

/**
 * bpf_iter_cache_ext_list_destroy - end an iterator
 * @it: the iterator; one whose beginning failed, too
 *
 * If the request has passed by so many folios that its iterators ended early, the next
 * iterator over this list resumes here, if the same reclaim asks for the same node.
 *
 * Context: as bpf_iter_cache_ext_list_new().
 */
__bpf_kfunc void
bpf_iter_cache_ext_list_destroy(struct bpf_iter_cache_ext_list *it)
{
	iter_destroy(it);
}

/**
 * bpf_iter_cache_ext_scan_new - begin to iterate over a list, from one end, so far
 * @it: the iterator, on the program's stack
 * @memcg: the policy's cgroup
 * @list: number of the list
 * @flags: CACHE_EXT_SCAN_TAIL: from the tail, else from the head
 * @limit: how many folios it shows, at most; must be 1 outside of evict_folios
 *
 * In evict_folios: as bpf_iter_cache_ext_list_new(). In other programs it shows the
 * folio at that end, on any number of CPUs at once, also beside an iterator of the list.
 *
 * Context: from evict_folios, folio_added, folio_accessed, folio_evicted,
 * folio_removed and tick.
 * Return: 0; -EINVAL: no such list, an unknown flag, or another @limit than 1 outside
 * of evict_folios; -EBUSY: in evict_folios: the list has an iterator; -ENOENT: the
 * policy is not attached any more. After an error it shows nothing.
 */
__bpf_kfunc int
bpf_iter_cache_ext_scan_new(struct bpf_iter_cache_ext_scan *it,
			    struct mem_cgroup *memcg, s32 list, u32 flags,
			    u64 limit)
{
	int err;

	iter_new(it, memcg, list, flags, limit, &err);
	return err;
}

/**
 * bpf_iter_cache_ext_scan_next - go on to the next folio
 * @it: the iterator
 *
 * As bpf_iter_cache_ext_list_next().
 *
 * Context: as bpf_iter_cache_ext_scan_new().
 * Return: the folio; NULL: no more.
 */
__bpf_kfunc struct folio *
bpf_iter_cache_ext_scan_next(struct bpf_iter_cache_ext_scan *it)
{
	return iter_next(it);
}

/**
 * bpf_iter_cache_ext_scan_destroy - end an iterator
 * @it: the iterator; one whose beginning failed, too
 *
 * As bpf_iter_cache_ext_list_destroy().
 *
 * Context: as bpf_iter_cache_ext_scan_new().
 */
__bpf_kfunc void
bpf_iter_cache_ext_scan_destroy(struct bpf_iter_cache_ext_scan *it)
{
	iter_destroy(it);
}

__bpf_kfunc_end_defs();
