// SPDX-License-Identifier: GPL-2.0
/*
 * Folios that the policy does not admit.
 *
 *   filemap_add_folio ---> admit_folio() says no: a node of NODE_REFUSED
 *	  |
 *	  +--> read to its end by read(2), splice	---> dropped at once
 *	  +--> not read on for a second or two	---> dropped by the sweep
 *	  +--> mapped by a fault			---> admitted after all
 *	  +--> found dirty, mapped, pinned by the sweep ---> admitted after all
 *
 * A read needs the folio in the page cache until it is over: readahead has it
 * filled while nobody holds it. So it comes as any other folio, and goes when it
 * has served. It is dropped as truncation drops folios, whoever holds references
 * to it: each who finds the page cache's folio locks it and looks whether it is
 * still there, and what was found up to date stays as it is. Only whoever has
 * mapped it may write to it later without asking. So no fault maps a folio before
 * it is admitted, and only regular files' folios are refused: some file systems
 * keep and change folios of their directories by reference.
 *
 * The policy hears nothing of a refused folio. Locks: the folio's, around all
 * changes to and from NODE_REFUSED but removal; policy->lock for the lists.
 */
#include <linux/fs.h>
#include <linux/pagemap.h>
#include "cache_ext.h"
#include "glue.h"

#define SWEEP_INTERVAL	HZ

/*
 * There is a program to ask. The folio is locked and in the page cache. Caller:
 * rcu_read_lock().
 */
bool cache_ext_admits(struct cache_ext_policy *p, struct folio *folio)
{
	bool ret;

	if (!S_ISREG(folio->mapping->host->i_mode))
		return true;
	cache_ext_timed(p, ret = p->ops->admit_folio(folio, p->memcg));
	return ret;
}

/* node->list tells which of the two it is on: no number of a list of programs. */
static int age_of(struct cache_ext_node *node)
{
	return node->list - NODE_LISTS;
}

static void push(struct cache_ext_policy *p, struct cache_ext_node *node,
		 int age)
{
	node->list = NODE_LISTS + age;
	cache_ext_list_push(&p->refused[age], node, true);
}

static void detach(struct cache_ext_policy *p, struct cache_ext_node *node)
{
	cache_ext_list_detach(&p->refused[age_of(node)], node);
	node->list = NODE_NOWHERE;
}

/* Caller: policy->lock. */
void cache_ext_refused_link(struct cache_ext_policy *p,
			    struct cache_ext_node *node)
{
	lockdep_assert_held(&p->lock);
	node->state = NODE_REFUSED;
	push(p, node, 0);
	WRITE_ONCE(p->nr_refused, p->nr_refused + 1);
}

/* Caller: policy->lock; sets the new state. */
void cache_ext_refused_unlink(struct cache_ext_policy *p,
			      struct cache_ext_node *node)
{
	lockdep_assert_held(&p->lock);
	detach(p, node);
	WRITE_ONCE(p->nr_refused, p->nr_refused - 1);
}

/* Caller: rcu_read_lock(), and has the folio locked; @p is attached. */
void cache_ext_refuse(struct cache_ext_policy *p, struct cache_ext_node *node)
{
	unsigned long irq;

	spin_lock_irqsave(&p->lock, irq);
	/* Unless a nearer policy came meanwhile. */
	if (node->state == NODE_NEW)
		cache_ext_refused_link(p, node);
	spin_unlock_irqrestore(&p->lock, irq);
	ces_inc(p, CES_REFUSED_ADMISSION);
	queue_delayed_work(system_unbound_wq, &p->sweep, SWEEP_INTERVAL);
}

static bool is_refused(struct folio *folio)
{
	struct cache_ext_node *node;
	bool ret;

	rcu_read_lock();
	node = cache_ext_node_find(folio);
	ret = node && node_state_now(node) == NODE_REFUSED;
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
	/* What teardown finds refused it forgets. */
	if (!node || READ_ONCE(node_policy(node)->dead))
		goto out;
	p = node_policy(node);
	spin_lock_irqsave(&p->lock, irq);
	if (node->state == NODE_REFUSED) {
		cache_ext_refused_unlink(p, node);
		node->state = NODE_NEW;
		refused = true;
	}
	spin_unlock_irqrestore(&p->lock, irq);
	if (refused) {
		ces_inc(p, CES_ADMIT_OVERRULED);
		cache_ext_introduce(p, node, folio);
	}
out:
	rcu_read_unlock();
}

/*
 * Whoever read @folio, which is referenced, has come to @pos. If that is its end,
 * or the file's, it goes. A part of it that is read later still finds it, for a
 * while.
 */
void __cache_ext_folio_read(struct address_space *mapping, struct folio *folio,
			    loff_t pos)
{
	if (!is_refused(folio))
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
	if (is_refused(folio))
		overrule(folio);
}

/* May it be mapped without a fault of its own? Any context. */
bool __cache_ext_may_map(struct folio *folio)
{
	return !is_refused(folio);
}

/* Referenced folios that were refused before the last sweep, or all of them. */
static unsigned int take(struct cache_ext_policy *p, struct folio **folios,
			 unsigned int room, unsigned int age)
{
	struct cache_ext_node *node;
	unsigned int nr = 0, budget = 256;
	unsigned long irq;

	spin_lock_irqsave(&p->lock, irq);
	while (p->refused[age].head && nr < room && budget--) {
		node = node_at(p->refused[age].head);
		/* Who cannot be dealt with now has another turn. */
		detach(p, node);
		push(p, node, !age);
		if (folio_try_get(node_folio(node)))
			folios[nr++] = node_folio(node);
	}
	spin_unlock_irqrestore(&p->lock, irq);
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

		spin_lock_irqsave(&p->lock, irq);
		while (nr && p->refused[0].head && budget--) {
			struct cache_ext_node *node;

			node = node_at(p->refused[0].head);
			detach(p, node);
			push(p, node, 1);
			nr--;
		}
		more = nr && p->refused[0].head;
		spin_unlock_irqrestore(&p->lock, irq);
		cond_resched();
	} while (more);
	more = READ_ONCE(p->nr_refused);
	if (more && !READ_ONCE(p->dead))
		queue_delayed_work(system_unbound_wq, &p->sweep,
				   SWEEP_INTERVAL);
}

void cache_ext_admit_init(struct cache_ext_policy *p)
{
	INIT_DELAYED_WORK(&p->sweep, sweep);
}

/* @p is dead, and RCU since. Whatever cannot be dropped now is the kernel's. */
void cache_ext_admit_stop(struct cache_ext_policy *p)
{
	struct cache_ext_node *node;
	unsigned long irq;
	bool more = true;

	cancel_delayed_work_sync(&p->sweep);
	drop_all(p, 1, true);
	drop_all(p, 0, true);
	while (more) {
		unsigned int age, budget = 256;

		spin_lock_irqsave(&p->lock, irq);
		for (age = 0; age < 2; age++) {
			while (p->refused[age].head && budget) {
				node = node_at(p->refused[age].head);
				cache_ext_refused_unlink(p, node);
				node->state = NODE_DYING;
				cache_ext_node_erase(node);
				cache_ext_node_free_rcu(node);
				budget--;
			}
		}
		more = !budget;
		spin_unlock_irqrestore(&p->lock, irq);
		cond_resched();
	}
}
