// SPDX-License-Identifier: GPL-2.0
/*
 * What programs may call to put folios on lists: kfuncs.c says from where. The folio
 * is a lookup key, no more.
 */
#include "cache_ext.h"
#include "kfuncs.h"

static int adopt(struct folio *folio, s32 list, bool tail)
{
	struct cache_ext_policy *p;
	struct cache_ext_node *node;
	unsigned long irq;
	int ret = -EBUSY;

	rcu_read_lock();
	node = cache_ext_live_node(folio);
	if (!node) {
		ret = -ENOENT;
		goto out;
	}
	p = cnode_policy(node);
	if (!cache_ext_list_valid(&p->lists, list)) {
		ret = -EINVAL;
		goto out;
	}
	cache_ext_batch_flush_own(&p->lists);
	spin_lock_irqsave(&p->lists.lock, irq);
	if (cnode_state(node) == NODE_NEW) {
		cache_ext_list_own(&p->lists, node, list, tail);
		ret = 0;
	}
	spin_unlock_irqrestore(&p->lists.lock, irq);
out:
	rcu_read_unlock();
	return ret;
}

/* -EAGAIN: batches note it. Caller: lists.lock. */
static int move_locked(struct cache_ext_lists *ls, struct cache_ext_node *node,
		       s32 list, bool tail)
{
	switch (cnode_state(node)) {
	case NODE_LISTED:
		if (node->list == list) {
			cache_ext_list_defer(ls, node, tail);
			return 0;
		}
		if (!cnode_begin_move(node))
			return -EAGAIN;
		cache_ext_list_unlink(ls, node);
		cache_ext_list_place(ls, node, list, tail);
		cnode_end_move(node);
		return 0;
	case NODE_CANDIDATE:
	case NODE_PROPOSED:
		return -EBUSY;
	default:
		return -ENOENT;
	}
}

/*
 * Within a list, from the handler of an event: soon is good enough. An evict
 * program sees the order that it makes at once.
 */
static bool may_wait(struct cache_ext_policy *p, struct cache_ext_node *node,
		     s32 list)
{
	return cnode_list(node) == list && READ_ONCE(p->evicting) != current;
}

static int move(struct cache_ext_node *node, s32 list, bool tail)
{
	struct cache_ext_policy *p = cnode_policy(node);
	struct cache_ext_lists *ls = &p->lists;
	unsigned long irq;
	int ret;

	if (!cache_ext_list_valid(ls, list))
		return -EINVAL;
	if (may_wait(p, node, list) &&
	    cache_ext_batch_move(ls, node, list, tail))
		return 0;
	cache_ext_batch_flush_own(ls);
	spin_lock_irqsave(&ls->lock, irq);
	ret = move_locked(ls, node, list, tail);
	if (ret == -EAGAIN) {
		/* Once: no batch notes anything from here on until it is moved. */
		WRITE_ONCE(ls->movers, ls->movers + 1);
		spin_unlock_irqrestore(&ls->lock, irq);
		cache_ext_batch_flush_all(ls);
		spin_lock_irqsave(&ls->lock, irq);
		ret = move_locked(ls, node, list, tail);
		WRITE_ONCE(ls->movers, ls->movers - 1);
	}
	spin_unlock_irqrestore(&ls->lock, irq);
	return WARN_ON_ONCE(ret == -EAGAIN) ? -EBUSY : ret;
}

static int disown(struct cache_ext_node *node)
{
	struct cache_ext_policy *p = cnode_policy(node);
	unsigned int state;
	unsigned long irq;
	int ret = -ENOENT;

	spin_lock_irqsave(&p->lists.lock, irq);
	state = cnode_state(node);
	if (state == NODE_LISTED) {
		cache_ext_list_disown(&p->lists, node);
		cache_ext_forget(node, cnode_set_state(node, NODE_DYING));
		ret = 0;
	} else if (state & NODE_OWNED) {
		ret = -EBUSY;
	}
	spin_unlock_irqrestore(&p->lists.lock, irq);
	return ret;
}

__bpf_kfunc_start_defs();

/**
 * bpf_cache_ext_list_add - adopt a folio, at the head of a list
 * @folio: the folio that folio_added was called for
 * @list: number of the list
 *
 * A folio that folio_added does not adopt is left to the kernel.
 *
 * Context: only from folio_added.
 * Return: 0; -EINVAL: no such list; -EBUSY: it is adopted already; -ENOENT: no
 * folio that this policy could adopt.
 */
__bpf_kfunc s32 bpf_cache_ext_list_add(struct folio *folio, s32 list)
{
	return adopt(folio, list, false);
}

/**
 * bpf_cache_ext_list_add_tail - adopt a folio, at the tail of a list
 * @folio: the folio that folio_added was called for
 * @list: number of the list
 *
 * Context: only from folio_added.
 * Return: as bpf_cache_ext_list_add().
 */
__bpf_kfunc s32 bpf_cache_ext_list_add_tail(struct folio *folio, s32 list)
{
	return adopt(folio, list, true);
}

/**
 * bpf_cache_ext_list_move - move a folio to an end of a list
 * @folio: any folio
 * @list: number of the list, which may be the one that it is on
 * @tail: to the tail, else to the head
 *
 * What one CPU asks for happens in that order. Of moves within a list that several
 * CPUs ask for, up to CACHE_EXT_BATCH_MOVES a CPU may wait until the next request;
 * sizes and the list of a folio are exact at once.
 *
 * Context: any program.
 * Return: 0; -EINVAL: no such list; -ENOENT: not owned; -EBUSY: a request has it.
 */
__bpf_kfunc s32 bpf_cache_ext_list_move(struct folio *folio, s32 list,
					bool tail)
{
	struct cache_ext_node *node;
	int ret = -ENOENT;

	rcu_read_lock();
	node = cache_ext_live_node(folio);
	if (node)
		ret = move(node, list, tail);
	rcu_read_unlock();
	return ret;
}

/**
 * bpf_cache_ext_list_del - disown a folio
 * @folio: any folio
 *
 * Only the kernel's own reclaim sees it from now on.
 *
 * Context: any program.
 * Return: 0; -ENOENT: not owned; -EBUSY: a request has it.
 */
__bpf_kfunc s32 bpf_cache_ext_list_del(struct folio *folio)
{
	struct cache_ext_node *node;
	int ret = -ENOENT;

	rcu_read_lock();
	node = cache_ext_live_node(folio);
	if (node)
		ret = disown(node);
	rcu_read_unlock();
	return ret;
}

/**
 * bpf_cache_ext_folio_list - the list of a folio
 * @folio: any folio
 *
 * Context: any program.
 * Return: the list that it is on, or was proposed or removed from; -ENOENT.
 */
__bpf_kfunc s32 bpf_cache_ext_folio_list(struct folio *folio)
{
	struct cache_ext_node *node;
	s32 ret = -ENOENT;

	rcu_read_lock();
	node = cache_ext_own_node(folio);
	if (node && cnode_list(node) < NODE_LISTS)
		ret = cnode_list(node);
	rcu_read_unlock();
	return ret;
}

/**
 * bpf_cache_ext_list_size - the size of a list
 * @memcg: the policy's cgroup
 * @list: number of the list
 *
 * Context: any program. In exit: 0.
 * Return: pages.
 */
__bpf_kfunc u64 bpf_cache_ext_list_size(struct mem_cgroup *memcg, s32 list)
{
	struct cache_ext_policy *p;
	u64 ret = 0;

	rcu_read_lock();
	p = cache_ext_own_policy(memcg);
	if (p && cache_ext_list_valid(&p->lists, list))
		ret = READ_ONCE(p->lists.list[list].nr_pages);
	rcu_read_unlock();
	return ret;
}

__bpf_kfunc_end_defs();
