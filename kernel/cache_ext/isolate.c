// SPDX-License-Identifier: GPL-2.0
/*
 * From proposed to isolated: off the kernel's LRU, with a reference.
 *
 * All folios of the lruvec that reclaim is at, which is nearly always all of
 * them, under one hold of its lock, as isolate_lru_folios() does; those of other
 * cgroups that the policy governs one by one.
 *
 * Locks: lruvec->lru_lock with interrupts off; no lock of ours inside it. A
 * reference that may be the last is dropped outside, since that takes it too.
 */
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/swap.h>
#include <linux/vmstat.h>
#include "cache_ext.h"
#include "glue.h"

/* Pages taken off the classic LRU's inactive and active list, by zone. */
struct taken {
	long nr[2][MAX_NR_ZONES];
};

/*
 * No hook sees each use of a mapped folio. Mapped folios are counted here, off the
 * fast paths.
 */
static void count_mapped(struct cache_ext_node *node)
{
	struct cache_ext_policy *p = cnode_policy(node);

	ces_add(p, CES_MAPPED, cnode_pages(node));
	if (!(cnode_word(node) & NODE_SEEN))
		ces_add(p, CES_UNSEEN, cnode_pages(node));
}

/*
 * Is it still what was proposed? The caller has a reference on @folio, so it stays
 * what it is; and rcu_read_lock(), so the node is there.
 */
static bool may_isolate(struct cache_ext_request *r,
			struct cache_ext_node *node, struct folio *folio)
{
	if (cnode_state(node) != NODE_PROPOSED ||
	    cnode_folio(node) != folio)
		return false;
	if (unlikely(folio_mapped(folio))) {
		r->mapped = true;
		count_mapped(node);
	}
	return !folio_test_unevictable(folio) &&
	       folio_nid(folio) == r->shrink->nid &&
	       folio_zonenum(folio) <= r->shrink->reclaim_idx;
}

/*
 * Takes it off MGLRU's list, if it is on one. If its generation was the youngest, it
 * is active from here on: mapped.c asks.
 */
static bool unlink_gen(struct lruvec *lruvec, struct folio *folio)
{
#ifdef CONFIG_LRU_GEN
	int gen = folio_lru_gen(folio);

	if (gen < 0)
		return false;
	lru_gen_del_folio(lruvec, folio, false);
	if (gen != lru_gen_from_seq(lruvec->lrugen.max_seq))
		folio_clear_active(folio);
	return true;
#else
	return false;
#endif
}

/* Caller: lru_lock; PG_lru was just cleared. Sizes are told by update_sizes(). */
static void unlink_folio(struct lruvec *lruvec, struct folio *folio,
			 struct taken *taken)
{
	if (unlink_gen(lruvec, folio))
		return;
	list_del(&folio->lru);
	taken->nr[folio_test_active(folio)][folio_zonenum(folio)] +=
		folio_nr_pages(folio);
}

/* Caller: lru_lock. */
static void update_sizes(struct lruvec *lruvec, struct taken *taken)
{
	int active, zone;

	for (active = 0; active < 2; active++) {
		for (zone = 0; zone < MAX_NR_ZONES; zone++) {
			if (taken->nr[active][zone])
				update_lru_size(lruvec,
						LRU_INACTIVE_FILE +
						active * LRU_ACTIVE, zone,
						-taken->nr[active][zone]);
		}
	}
}

/*
 * Folios that could not be isolated go back to their list. Those whose state has
 * changed meanwhile do not count. Caller: rcu_read_lock().
 */
static void refuse(struct cache_ext_policy *p, struct cache_ext_node *node,
		   enum cache_ext_stat_item why)
{
	unsigned long irq, nr = 0;

	spin_lock_irqsave(&p->lists.lock, irq);
	if (cnode_state(node) == NODE_PROPOSED) {
		nr = cnode_pages(node);
		cache_ext_list_restore(&p->lists, node);
	}
	spin_unlock_irqrestore(&p->lists.lock, irq);
	if (nr)
		ces_add(p, why, nr);
}

/*
 * One that is on another lruvec, or was on none yet. The caller's reference
 * becomes the LRU's.
 */
static bool isolate_alone(struct folio *folio, struct list_head *folios)
{
	if (!cache_ext_glue_isolate(folio))
		return false;
	/* Of whichever generation it was. */
	if (cache_ext_glue_mglru())
		folio_clear_active(folio);
	list_add(&folio->lru, folios);
	folio_put(folio);
	return true;
}

/*
 * Isolates those on @lruvec. For the others, sets the outcome, and whether the caller
 * still has a reference. Returns how many are isolated, and their pages in *@nr_pages.
 */
static unsigned int isolate_local(struct cache_ext_request *r,
				  struct lruvec *lruvec,
				  struct list_head *folios, long *nr_pages)
{
	struct mem_cgroup *memcg = lruvec_memcg(lruvec);
	unsigned int i, done = 0;
	struct taken taken = { };

	spin_lock_irq(&lruvec->lru_lock);
	for (i = 0; i < r->nr_proposals; i++) {
		struct cache_ext_node *node = r->proposals[i].node;
		struct folio *folio = cnode_folio(node);

		r->proposals[i].folio = folio;
		if (!folio_try_get(folio)) {
			r->proposals[i].folio = NULL;
			r->proposals[i].fate = FATE_BUSY;
		} else if (!may_isolate(r, node, folio)) {
			r->proposals[i].fate = FATE_WRONG;
		} else if (folio_memcg(folio) != memcg ||
			   !folio_test_clear_lru(folio)) {
			r->proposals[i].fate = FATE_LATER;
		} else {
			unlink_folio(lruvec, folio, &taken);
			list_add(&folio->lru, folios);
			*nr_pages += folio_nr_pages(folio);
			r->proposals[i].fate = FATE_ISOLATED;
			done++;
		}
	}
	update_sizes(lruvec, &taken);
	spin_unlock_irq(&lruvec->lru_lock);
	return done;
}

static long isolate_rest(struct cache_ext_request *r, struct list_head *folios)
{
	struct cache_ext_policy *p = container_of(r, struct cache_ext_policy,
						  request);
	unsigned int i;
	long nr = 0;

	/* The newest folios wait in a batch of this CPU, or of another. */
	lru_add_drain();
	for (i = 0; i < r->nr_proposals; i++) {
		struct cache_ext_proposal *it = &r->proposals[i];

		if (it->fate == FATE_ISOLATED)
			continue;
		if (it->fate == FATE_LATER && isolate_alone(it->folio, folios)) {
			nr += folio_nr_pages(it->folio);
			continue;
		}
		if (it->folio)
			folio_put(it->folio);
		refuse(p, it->node, it->fate == FATE_WRONG ?
		       CES_REFUSED_OTHER : CES_REFUSED_BUSY);
	}
	return nr;
}

/*
 * Isolate what @r has proposed; @folios is to be reclaimed from its tail. Caller:
 * rcu_read_lock() since the program ran, evict_mutex.
 */
void cache_ext_isolate(struct cache_ext_request *r, struct list_head *folios)
{
	struct lruvec *lruvec = r->shrink->lruvec;
	long nr = 0;

	if (isolate_local(r, lruvec, folios, &nr) != r->nr_proposals)
		nr += isolate_rest(r, folios);
	if (nr)
		mod_node_page_state(lruvec_pgdat(lruvec), NR_ISOLATED_FILE, nr);
}
