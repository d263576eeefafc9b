// SPDX-License-Identifier: GPL-2.0
/*
 * Is a policy's state consistent? After each request, and when it ends: every
 * node is on exactly one list or in exactly one hand, is found by its folio, and
 * the sums are right. Slow, with interrupts off: for kernels made to find faults.
 */
#include "cache_ext.h"

/*
 * With lockdep, a look-up is the slowest part. So each check looks up one node in
 * eight, in turn; the check of a policy at rest looks up all.
 */
#define LOOK_UP_EVERY	(IS_ENABLED(CONFIG_PROVE_LOCKING) ? 8 : 1)

/* Which nodes are looked up; from there every LOOK_UP_EVERY-th is. */
struct turn {
	bool all;
	unsigned int at;
};

#define complain(p, cond, what)						\
	WARN_ONCE(cond, "cache_ext: inconsistent: policy %s: %s\n",	\
		  (p)->life.name, what)

/* Caller: lists.lock, rcu_read_lock(). */
static void check_node(struct cache_ext_policy *p, struct cache_ext_node *node,
		       struct turn *turn)
{
	complain(p, !cache_ext_owns(p, node), "node of another policy");
	if (turn->all || turn->at++ % LOOK_UP_EVERY == 0)
		complain(p, cache_ext_node_find(cnode_folio(node)) != node,
			 "node that its folio does not lead to");
}

/* Returns the pages on the list, and adds the pinned ones. Caller: as above. */
static unsigned long check_list(struct cache_ext_policy *p, unsigned int nr,
				bool at_rest, struct turn *turn,
				unsigned long *pinned)
{
	struct cache_ext_list *list = &p->lists.list[nr];
	unsigned long pages = 0, folios = 0;
	struct cache_ext_node *node;
	bool cursor = !list->cursor, resume = !list->resume;

	list_for_each_entry(node, &list->nodes, link) {
		check_node(p, node, turn);
		complain(p, cnode_state(node) != NODE_LISTED,
			 "node on a list in another state");
		complain(p, node->list != nr, "node on another list");
		cursor |= node == list->cursor;
		resume |= node == list->resume;
		pages += cnode_pages(node);
		if (cnode_pinned(node))
			*pinned += cnode_pages(node);
		folios++;
	}
	complain(p, pages != list->nr_pages, "pages of a list");
	complain(p, folios != list->nr_folios, "folios of a list");
	complain(p, !resume, "a scan resumes at no node of its list");
	complain(p, !cursor, "cursor that is on no node of its list");
	complain(p, at_rest && list->iterating, "iterator left behind");
	return pages;
}

#ifdef CONFIG_CACHE_EXT_ADMIT
static void check_refused(struct cache_ext_policy *p, struct turn *turn)
{
	struct cache_ext_node *node;
	unsigned long folios = 0;
	unsigned int age;

	for (age = 0; age < 2; age++) {
		list_for_each_entry(node, &p->refused[age], link) {
			check_node(p, node, turn);
			complain(p, cnode_state(node) != NODE_REFUSED,
				 "refused node in another state");
			folios++;
		}
	}
	complain(p, folios != p->nr_refused, "number of refused folios");
}
#else
static void check_refused(struct cache_ext_policy *p, struct turn *turn)
{
}
#endif

/*
 * @at_rest: no request, no program. Process context. A request on another CPU may
 * hold folios.
 */
void cache_ext_check(struct cache_ext_policy *p, bool at_rest)
{
	struct turn turn = { .all = at_rest };
	unsigned long pages = 0, pinned = 0, irq;
	unsigned int i;

	rcu_read_lock();
	spin_lock_irqsave(&p->lists.lock, irq);
	turn.at = p->checks++;
	for (i = 0; i < p->lists.nr; i++)
		pages += check_list(p, i, at_rest, &turn, &pinned);
	check_refused(p, &turn);
	complain(p, pages > p->lists.owned, "more is listed than owned");
	complain(p, at_rest && pages != p->lists.owned,
		 "owned folios in nobody's hand");
	/* A folio that is just coming may be pinned, and on no list yet. */
	complain(p, pinned > p->lists.pinned, "more is pinned than counted");
	complain(p, at_rest && pinned != p->lists.pinned, "pinned pages");
	complain(p, !p->lists.pinned && p->lists.pin_slots_used,
		 "nothing is pinned, but of some cgroup");
	spin_unlock_irqrestore(&p->lists.lock, irq);
	rcu_read_unlock();
}
