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
 * @new stands for @old from now on: same place, same record. @old may have lost
 * its charge or mapping already, so its node is found without looking at it.
 * What migrates takes the charge over afterwards. But a folio that FUSE moves from
 * another file, out of a pipe, keeps the charge that it had there.
 */
void __cache_ext_folio_replaced(struct folio *old, struct folio *new)
{
	struct mem_cgroup *memcg = folio_memcg(new);
	struct cache_ext_policy *p;
	struct cache_ext_node *node;
	unsigned long irq;
	int err;

	rcu_read_lock();
	node = cache_ext_node_find(old);
	p = node ? node_policy(node) : NULL;
	if (unlikely(memcg) && cache_ext_policy_of(memcg) != p) {
		/* Then it is another policy's, or nobody's. */
		if (node)
			cache_ext_disown(node, old);
		__cache_ext_folio_added(new, GFP_NOWAIT, false);
		goto out;
	}
	if (!node)
		goto out;
	spin_lock_irqsave(&p->lock, irq);
	if (node->state == NODE_DYING || node->state == NODE_NEW) {
		spin_unlock_irqrestore(&p->lock, irq);
		goto out;
	}
	/* A request names it by @old: it is out of that request. */
	if (node->state != NODE_LISTED && node->state != NODE_REFUSED)
		cache_ext_list_restore(p, node);
	cache_ext_node_erase(node);
	WRITE_ONCE(node->key, folio_key(new));
	err = WARN_ON_ONCE(node->order != folio_order(new)) ? -EINVAL :
	      cache_ext_node_insert(node);
	if (err) {
		if (node->state == NODE_REFUSED) {
			cache_ext_refused_unlink(p, node);
		} else {
			cache_ext_list_unlink(p, node);
			WRITE_ONCE(p->owned, p->owned - node_pages(node));
		}
		node->state = NODE_DYING;
	}
	spin_unlock_irqrestore(&p->lock, irq);
	ces_inc(p, err ? CES_NOMEM : CES_MIGRATED);
	if (err)
		cache_ext_node_free_rcu(node);
out:
	rcu_read_unlock();
}

/* One of the new folios: a copy of the record, next to the first one. */
static void adopt_part(struct cache_ext_policy *p, struct cache_ext_node *first,
		       struct folio *folio, unsigned int order)
{
	struct cache_ext_node *node;
	unsigned long irq;

	node = cache_ext_node_alloc(p);
	if (!node && cache_ext_arena_grow(p, GFP_ATOMIC))
		node = cache_ext_node_alloc(p);
	if (!node) {
		ces_inc(p, CES_NOMEM);
		return;
	}
	node->key = folio_key(folio);
	node->order = order;
	node->seen = first->seen;
	memcpy(node_record(node, p->arena.record),
	       node_record(first, p->arena.record), p->data_size);
	if (!cache_ext_claim(p, node)) {
		cache_ext_node_free(node);
		return;
	}
	spin_lock_irqsave(&p->lock, irq);
	if (first->state == NODE_REFUSED) {
		cache_ext_refused_link(p, node);
		spin_unlock_irqrestore(&p->lock, irq);
		return;
	}
	if (first->state == NODE_LISTED) {
		cache_ext_list_insert_after(p, node, first->list,
					    node_id(first));
	} else {
		node->list = first->list;
		node->far_tail = first->far_tail;
		cache_ext_list_restore(p, node);
	}
	WRITE_ONCE(p->owned, p->owned + node_pages(node));
	spin_unlock_irqrestore(&p->lock, irq);
}

/*
 * @folio, of @old_order until now, has become folios of @new_order. Those
 * beyond the end of the file have left the page cache already. Or it is about to
 * become them (cache_ext_glue_splits_early()): then they leave it afterwards.
 */
void __cache_ext_folio_split(struct folio *folio, unsigned int old_order,
			     unsigned int new_order)
{
	unsigned long i, lost = (1UL << old_order) - (1UL << new_order);
	struct cache_ext_policy *p;
	struct cache_ext_node *node;
	struct folio *part;
	unsigned long irq;

	rcu_read_lock();
	node = cache_ext_node_find(folio);
	if (!node)
		goto out;
	p = node_policy(node);

	spin_lock_irqsave(&p->lock, irq);
	if (node->state == NODE_DYING || node->state == NODE_NEW) {
		spin_unlock_irqrestore(&p->lock, irq);
		goto out;
	}
	if (node->state == NODE_LISTED) {
		struct cache_ext_list *list = &p->lists[node->list];

		WRITE_ONCE(list->nr_pages, list->nr_pages - lost);
	}
	node->order = new_order;
	if (node->state != NODE_REFUSED)
		WRITE_ONCE(p->owned, p->owned - lost);
	spin_unlock_irqrestore(&p->lock, irq);

	ces_inc(p, CES_SPLIT);
	/* Teardown may have been through the lists already. */
	if (READ_ONCE(p->dead))
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
