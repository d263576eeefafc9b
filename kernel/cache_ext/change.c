// SPDX-License-Identifier: GPL-2.0
/*
 * Folios that become others; the policy keeps what it knows of them.
 *
 *   migration, replacing ---> replaced	 both folios locked
 *   split of a folio	  ---> split	 i_pages lock held, interrupts off
 *
 * Collapse is no such event: the small folios are removed, and a large one is
 * added.
 */
#include <linux/pagemap.h>
#include "cache_ext.h"
#include "glue.h"

/*
 * Same place, same record. @memcg: that @new is charged to, NULL: the same, soon.
 * Caller: rcu_read_lock(), both folios are locked.
 */
static void rename(struct cache_ext_policy *p, struct cache_ext_node *node,
		   struct folio *new, struct mem_cgroup *memcg)
{
	struct cache_ext_lists *ls = &p->lists;
	unsigned int was = 0, state;
	unsigned long irq;
	int err;

	spin_lock_irqsave(&ls->lock, irq);
	state = cnode_state(node);
	if (state == NODE_DYING || state == NODE_NEW) {
		spin_unlock_irqrestore(&ls->lock, irq);
		return;
	}
	/* A request names it by the old folio: it is out of that request. */
	if (state == NODE_CANDIDATE || state == NODE_PROPOSED)
		cache_ext_list_restore(ls, node);
	if (unlikely(memcg))
		cache_ext_list_pin_move(ls, node, memcg, p->life.memcg);
	err = cache_ext_node_rename(node, new);
	if (WARN_ON_ONCE(!err && cnode_order(node) != folio_order(new))) {
		cache_ext_node_erase(node);
		err = -EINVAL;
	}
	if (err) {
		if (state == NODE_REFUSED)
			cache_ext_refused_unlink(p, node);
		else
			cache_ext_list_disown(ls, node);
		was = cnode_set_state(node, NODE_DYING);
	}
	spin_unlock_irqrestore(&ls->lock, irq);
	ces_inc(p, err ? CES_NOMEM : CES_MIGRATED);
	if (err)
		cache_ext_node_release(node, was);
}

/*
 * @new replaces @old: same place, same record. @old may have lost its charge or
 * mapping already, so its node is found without them. A migrated folio takes the
 * charge over afterwards. But a folio that FUSE moves from another file, out of a
 * pipe, keeps the charge that it had there.
 */
void __cache_ext_folio_replaced(struct folio *old, struct folio *new)
{
	struct cache_ext_policy *p;
	struct cache_ext_node *node;
	struct mem_cgroup *memcg;

	rcu_read_lock();
	memcg = folio_memcg(new);
	node = cache_ext_node_find(old);
	p = node ? cnode_policy(node) : NULL;
	if (unlikely(memcg) && cache_ext_policy_of(memcg) != p) {
		/* Then it is another policy's, or nobody's. */
		if (node)
			cache_ext_disown(node, old);
		__cache_ext_folio_added(new, GFP_NOWAIT, false);
		goto out;
	}
	if (node)
		rename(p, node, new, memcg);
out:
	rcu_read_unlock();
}

/* One of the new folios: a copy of the record, next to the first one. */
static void adopt_part(struct cache_ext_policy *p, struct cache_ext_node *first,
		       struct folio *folio, unsigned int order)
{
	struct cache_ext_lists *ls = &p->lists;
	struct cache_ext_node *node;
	unsigned long irq;

	node = cache_ext_node_alloc(&p->kind, folio, order, GFP_ATOMIC);
	if (!node) {
		ces_inc(p, CES_NOMEM);
		return;
	}
	cnode_set(node, cnode_word(first) & (NODE_SEEN | NODE_BY_READ));
	memcpy(cnode_record(node, p->kind.record),
	       cnode_record(first, p->kind.record), p->kind.data_size);
	if (!cache_ext_claim(p, node, folio)) {
		ces_inc(p, CES_NOMEM);
		cache_ext_node_free(&p->kind, node);
		return;
	}
	spin_lock_irqsave(&ls->lock, irq);
	/* It can be found already: another policy may have taken the folio. */
	if (cnode_state(node) != NODE_NEW)
		goto unlock;
	switch (cnode_state(first)) {
	case NODE_REFUSED:
		cache_ext_refused_link(p, node);
		break;
	case NODE_LISTED:
		cache_ext_list_own_after(ls, node, first);
		if (cnode_pinned(first))
			cache_ext_list_pin_part(ls, node, first);
		break;
	default:
		/* A request holds the first part: this one waits at the far end. */
		cache_ext_list_own(ls, node, first->list,
				   cnode_word(first) & NODE_FAR_TAIL);
	}
unlock:
	spin_unlock_irqrestore(&ls->lock, irq);
}

/*
 * @folio, of @old_order until now, has become folios of @new_order. Those
 * beyond the end of the file have left the page cache already. Or it is about to
 * become them (cache_ext_glue_splits_early()): then they leave it afterwards.
 */
void __cache_ext_folio_split(struct folio *folio, unsigned int old_order,
			     unsigned int new_order)
{
	unsigned long i;
	struct cache_ext_policy *p;
	struct cache_ext_node *node;
	struct folio *part;
	unsigned int state;
	unsigned long irq;

	rcu_read_lock();
	node = cache_ext_node_find(folio);
	if (!node)
		goto out;
	p = cnode_policy(node);

	cache_ext_batch_flush_own(&p->lists);
	spin_lock_irqsave(&p->lists.lock, irq);
	state = cnode_state(node);
	if (state == NODE_REFUSED)
		cnode_set_order(node, new_order);
	else if (state & NODE_OWNED)
		cache_ext_list_shrink(&p->lists, node, new_order);
	spin_unlock_irqrestore(&p->lists.lock, irq);
	if (state == NODE_DYING || state == NODE_NEW)
		goto out;

	ces_inc(p, CES_SPLIT);
	/* Teardown may have been through the lists already. */
	if (READ_ONCE(p->life.dead))
		goto out;
	/* Backwards: each goes right behind the first one. */
	for (i = 1UL << old_order; i > 1UL << new_order;) {
		i -= 1UL << new_order;
		part = (struct folio *)folio_page(folio, i);
		if (cache_ext_glue_splits_early() || part->mapping)
			adopt_part(p, node, part, new_order);
	}
out:
	rcu_read_unlock();
}
