// SPDX-License-Identifier: GPL-2.0
/*
 * Folios that the policy did not admit, until they are dropped.
 *
 *   filemap_add_folio ---> admit_folio() says no: a node of NODE_REFUSED
 *	  |
 *	  +--> read to its end by read(2), splice	---> dropped at once
 *	  +--> not read on for a second or two	---> dropped by the sweep
 *	  +--> mapped by a fault			---> admitted after all
 *	  +--> found dirty, mapped, pinned by the sweep ---> admitted after all
 *
 * A read needs the folio in the page cache until it is over: readahead fills it while
 * nobody holds it. So it comes as any other folio, and goes when it has served. It is
 * removed as truncation would, regardless of references: lookups lock a folio and
 * recheck its mapping, and the contents of an up-to-date folio do not change. Only a
 * process that has mapped the folio could write to it later without a lookup. So no
 * fault maps a folio before it is admitted. admit.c says of which files folios are
 * refused.
 *
 * The policy hears nothing of a refused folio. Locks: as in admit.c.
 */
#include <linux/pagemap.h>
#include "cache_ext.h"
#include "glue.h"

/* Of nodes, which are found under any policy. */
static bool is_refused(struct folio *folio)
{
	struct cache_ext_node *node;
	bool ret;

	rcu_read_lock();
	node = cache_ext_node_find(folio);
	ret = node && cnode_state(node) == NODE_REFUSED;
	rcu_read_unlock();
	return ret;
}

/*
 * The same on paths that all folios of the machine take: only governed folios are
 * looked up. If the policy that refused a folio no longer governs its cgroup, the
 * folio is forgotten when that policy ends.
 */
static bool is_refused_by_any(struct folio *folio)
{
	struct mem_cgroup *memcg;
	bool ret;

	rcu_read_lock();
	memcg = policy_ext_memcg_of(folio);
	ret = memcg && cache_ext_policy_of(memcg) && is_refused(folio);
	rcu_read_unlock();
	return ret;
}

/* It must stay: the policy gets it. The folio is locked. */
static void overrule(struct folio *folio)
{
	struct cache_ext_policy *p;
	struct cache_ext_node *node;
	bool refused = false;
	unsigned long irq;

	rcu_read_lock();
	node = cache_ext_node_find(folio);
	/* Teardown forgets the refused folios that it finds. */
	if (!node || READ_ONCE(cnode_policy(node)->life.dead))
		goto out;
	p = cnode_policy(node);
	spin_lock_irqsave(&p->lists.lock, irq);
	if (cnode_state(node) == NODE_REFUSED) {
		cache_ext_refused_unlink(p, node);
		cnode_set_state(node, NODE_NEW);
		refused = true;
	}
	spin_unlock_irqrestore(&p->lists.lock, irq);
	if (refused) {
		ces_inc(p, CES_ADMIT_OVERRULED);
		cache_ext_introduce(p, node, folio, CES_ADDED);
	}
out:
	rcu_read_unlock();
}

/*
 * A reader of @folio, which is referenced, has come to @pos. If that is the end of the
 * folio or of the file, the folio goes. A later read of another part may still find it
 * for a while.
 */
void __cache_ext_folio_read(struct address_space *mapping, struct folio *folio,
			    loff_t pos)
{
	if (!is_refused_by_any(folio))
		return;
	if (pos < folio_pos(folio) + folio_size(folio) &&
	    pos < i_size_read(mapping->host))
		return;
	if (!folio_trylock(folio))
		return;
	if (folio->mapping == mapping && is_refused(folio))
		cache_ext_glue_drop(folio);
	folio_unlock(folio);
}

/* A fault is about to map @folio, which is locked. */
void __cache_ext_folio_mapped(struct folio *folio)
{
	if (is_refused_by_any(folio))
		overrule(folio);
}

/* May it be mapped without a fault of its own? Any context. */
bool __cache_ext_may_map(struct folio *folio)
{
	return !is_refused_by_any(folio);
}

static struct cache_ext_node *first(struct cache_ext_policy *p,
				    unsigned int age)
{
	return list_first_entry(&p->refused[age], struct cache_ext_node, link);
}

/* Referenced folios that were refused before the last sweep, or all of them. */
static unsigned int take(struct cache_ext_policy *p, struct folio **folios,
			 unsigned int room, unsigned int age)
{
	struct cache_ext_node *node;
	unsigned int nr = 0, budget = 256;
	unsigned long irq;

	spin_lock_irqsave(&p->lists.lock, irq);
	while (!list_empty(&p->refused[age]) && nr < room && budget--) {
		node = first(p, age);
		/* What cannot be dropped now has another turn. */
		list_del(&node->link);
		cache_ext_refused_push(p, node, !age);
		if (folio_try_get(cnode_folio(node)))
			folios[nr++] = cnode_folio(node);
	}
	spin_unlock_irqrestore(&p->lists.lock, irq);
	return nr;
}

/* Drop what is on one list. @last: do not ask the policy for what must stay. */
static void drop_all(struct cache_ext_policy *p, unsigned int age, bool last)
{
	struct folio *folios[32];
	unsigned int i, nr;

	while ((nr = take(p, folios, ARRAY_SIZE(folios), age))) {
		for (i = 0; i < nr; i++) {
			struct folio *folio = folios[i];

			if (folio_trylock(folio)) {
				if (folio->mapping && is_refused(folio) &&
				    !cache_ext_glue_drop(folio) && !last)
					overrule(folio);
				folio_unlock(folio);
			}
			folio_put(folio);
		}
		cond_resched();
	}
}

static void sweep(struct work_struct *work)
{
	struct cache_ext_policy *p = container_of(to_delayed_work(work),
						  struct cache_ext_policy,
						  sweep);
	unsigned long nr, irq;
	bool more;

	drop_all(p, 1, false);
	nr = READ_ONCE(p->nr_refused);
	do {
		unsigned int budget = 256;

		spin_lock_irqsave(&p->lists.lock, irq);
		while (nr && !list_empty(&p->refused[0]) && budget--) {
			struct cache_ext_node *node = first(p, 0);

			list_del(&node->link);
			cache_ext_refused_push(p, node, 1);
			nr--;
		}
		more = nr && !list_empty(&p->refused[0]);
		spin_unlock_irqrestore(&p->lists.lock, irq);
		cond_resched();
	} while (more);
	more = READ_ONCE(p->nr_refused);
	if (more && !READ_ONCE(p->life.dead))
		queue_delayed_work(policy_ext_wq, &p->sweep, CACHE_EXT_SWEEP);
}

void cache_ext_refused_init(struct cache_ext_policy *p)
{
	INIT_LIST_HEAD(&p->refused[0]);
	INIT_LIST_HEAD(&p->refused[1]);
	INIT_DELAYED_WORK(&p->sweep, sweep);
}

/* Caller: lists.lock. */
static void forget_refused(struct cache_ext_policy *p,
			   struct cache_ext_node *node)
{
	cache_ext_refused_unlink(p, node);
	cache_ext_forget(node, cnode_set_state(node, NODE_DYING));
}

/* @p is dead since a grace period. What cannot be dropped now is left to the kernel. */
void cache_ext_refused_stop(struct cache_ext_policy *p)
{
	unsigned int age, budget;
	unsigned long irq;
	bool more;

	cancel_delayed_work_sync(&p->sweep);
	drop_all(p, 1, true);
	drop_all(p, 0, true);
	do {
		budget = 256;
		spin_lock_irqsave(&p->lists.lock, irq);
		for (age = 0; age < 2; age++)
			while (!list_empty(&p->refused[age]) && budget) {
				forget_refused(p, first(p, age));
				budget--;
			}
		more = !budget;
		spin_unlock_irqrestore(&p->lists.lock, irq);
		cond_resched();
	} while (more);
}
