// SPDX-License-Identifier: GPL-2.0
/*
 * Marks: pages that a policy has prefetched, from when they are read until they
 * are used for the first time, or leave the cache unused. A mark is found by the
 * page's place (mapping and index; for swap, those of the swap cache), not by its
 * folio: so migration does not lose it.
 *
 * Each policy has a table of its own, which grows and shrinks with its marks. A page
 * is marked if the folio is charged to a cgroup that the policy governs. A use or
 * removal of a folio asks the policies of the folio's cgroup, the nearest one first and
 * then those above, since a nearer one may have come in between. So a folio of a cgroup
 * that no policy governs costs no look-up, and for any other the cost does not depend on
 * how many marks there are.
 *
 * A policy has at most as many marks as PREFETCH_EXT_UNUSED_PERCENT of its cgroup's limit
 * has pages. Beyond that the oldest ones go, and count as wasted: what lies there
 * unused is in the way of what is used.
 *
 * A collapse into a large folio of another cgroup, and whatever else removes a page
 * without a hook, leaves its mark. That one grows old, or is found by the next page there.
 *
 * A mark is charged to the cgroup of the process that had the page read. Without
 * memory for it, the page is not followed. Table and list change under marks->lock, since
 * they change together. Look-ups take no lock, and most of them find nothing.
 */
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include "prefetch_ext.h"
#include "glue.h"

struct place {
	unsigned long mapping;
	unsigned long index;
};

struct prefetch_ext_mark {
	struct rhash_head node;
	struct place place;
	union {
		struct list_head link;	/* of its policy, the oldest first */
		struct rcu_head rcu;
	};
	bool swap;
};

static const struct rhashtable_params params = {
	.key_len = sizeof(struct place),
	.key_offset = offsetof(struct prefetch_ext_mark, place),
	.head_offset = offsetof(struct prefetch_ext_mark, node),
	.automatic_shrinking = true,
};

/* What became of a page. */
enum outcome {
	OUTCOME_USED,
	OUTCOME_LATE,		/* used while it was being read */
	OUTCOME_WASTED,
	OUTCOME_UNKNOWN,
};

static struct kmem_cache *cache;

int __init prefetch_ext_marks_start(void)
{
	cache = KMEM_CACHE(prefetch_ext_mark, SLAB_ACCOUNT);
	return cache ? 0 : -ENOMEM;
}

/* When the module is unloaded: no policy is left. */
void prefetch_ext_marks_exit(void)
{
	kmem_cache_destroy(cache);
}

/* @p has a table if it prefetches. May sleep: not under prefetch_ext_mutex. */
int prefetch_ext_marks_init(struct prefetch_ext_policy *p)
{
	struct prefetch_ext_marks *marks = &p->marks;
	int err;

	if (!p->ops->swap_prefetch && !p->ops->file_readahead)
		return 0;
	spin_lock_init(&marks->lock);
	INIT_LIST_HEAD(&marks->list);
	err = rhashtable_init(&marks->table, &params);
	marks->ready = !err;
	p->hooks |= PREFETCH_EXT_HOOKS_MARKS;
	return err;
}

static void free_mark(void *mark, void *unused)
{
	kmem_cache_free(cache, mark);
}

/*
 * No task looks for marks of @p any more, or makes one. Sleeps between some of
 * them, however many there are.
 */
void prefetch_ext_unmark_all(struct prefetch_ext_policy *p)
{
	struct prefetch_ext_marks *marks = &p->marks;

	if (!marks->ready)
		return;
	marks->ready = false;
	rhashtable_free_and_destroy(&marks->table, free_mark, NULL);
	WRITE_ONCE(marks->nr, 0);
}

/* Bytes; of the table it has two buckets for each mark, in the mean. */
size_t prefetch_ext_marks_memory(const struct prefetch_ext_policy *p)
{
	return READ_ONCE(p->marks.nr) *
	       (sizeof(struct prefetch_ext_mark) + 2 * sizeof(void *));
}

/* So many marks @p may have. */
static unsigned long most_of(const struct prefetch_ext_policy *p)
{
	unsigned long limit = policy_ext_limit(p->life.memcg);

	return max_t(unsigned long, PREFETCH_EXT_UNUSED_LEAST,
		     mult_frac(limit, PREFETCH_EXT_UNUSED_PERCENT, 100UL));
}

/* Caller: marks->lock. */
static void count(struct prefetch_ext_policy *p,
		  const struct prefetch_ext_mark *m, enum outcome outcome)
{
	if (outcome == OUTCOME_UNKNOWN)
		return;
	if (outcome == OUTCOME_WASTED)
		pes_inc(p, m->swap ? PES_WASTED : PES_RA_WASTED);
	else
		pes_inc(p, m->swap ? PES_USED : PES_RA_USED);
	if (outcome == OUTCOME_LATE && m->swap)
		pes_inc(p, PES_LATE);
	prefetch_ext_judge(p, outcome == OUTCOME_WASTED);
}

/* False: it is gone already; then only RCU keeps @m. Caller: marks->lock. */
static bool take(struct prefetch_ext_policy *p, struct prefetch_ext_mark *m,
		 enum outcome outcome)
{
	struct prefetch_ext_marks *marks = &p->marks;

	if (rhashtable_remove_fast(&marks->table, &m->node, params))
		return false;
	list_del(&m->link);
	WRITE_ONCE(marks->nr, marks->nr - 1);
	count(p, m, outcome);
	kfree_rcu(m, rcu);
	return true;
}

/*
 * After each new mark, two at most: so their number also falls with the limit. Caller:
 * marks->lock.
 */
static void take_oldest(struct prefetch_ext_policy *p)
{
	struct prefetch_ext_marks *marks = &p->marks;
	unsigned long most;
	int i;

	if (likely(marks->nr <= PREFETCH_EXT_UNUSED_LEAST))
		return;
	most = most_of(p);
	for (i = 0; i < 2 && marks->nr > most; i++) {
		pes_inc(p, PES_OVER_SHARE);
		take(p, list_first_entry(&marks->list, struct prefetch_ext_mark,
					 link), OUTCOME_WASTED);
	}
}

static bool mark(struct prefetch_ext_policy *p, struct address_space *mapping,
		 pgoff_t index, bool swap)
{
	struct prefetch_ext_marks *marks = &p->marks;
	struct prefetch_ext_mark *m, *old;
	unsigned long irq;

	m = kmem_cache_alloc(cache, GFP_NOWAIT | __GFP_NOWARN | __GFP_ACCOUNT);
	if (!m)
		return false;
	m->place = (struct place) { (unsigned long)mapping, index };
	m->swap = swap;
	spin_lock_irqsave(&marks->lock, irq);
	old = rhashtable_lookup_get_insert_fast(&marks->table, &m->node, params);
	if (!old) {
		list_add_tail(&m->link, &marks->list);
		WRITE_ONCE(marks->nr, marks->nr + 1);
		take_oldest(p);
	} else if (!IS_ERR(old)) {
		/* A mark of a page that went by a path without a hook. */
		list_move_tail(&old->link, &marks->list);
	}
	spin_unlock_irqrestore(&marks->lock, irq);
	if (old)
		kmem_cache_free(cache, m);
	return !IS_ERR(old);
}

/*
 * @p, which the caller keeps, has had a page of @mapping read, which the caller keeps
 * in the cache, and which is charged to a cgroup that @p governs. False: there was no
 * memory. A policy that has ended has forgotten its marks, and gets no more. Any context.
 */
bool prefetch_ext_mark(struct prefetch_ext_policy *p,
		       struct address_space *mapping, pgoff_t index, bool swap)
{
	bool ret;

	/* Its teardown waits for us, and then takes the marks away. */
	rcu_read_lock();
	ret = READ_ONCE(p->life.dead) || mark(p, mapping, index, swap);
	rcu_read_unlock();
	return ret;
}

/* Finds the mark of the page, if @p has one, and takes it. Caller: rcu_read_lock(). */
static bool find(struct prefetch_ext_policy *p, struct address_space *mapping,
		 pgoff_t index, enum outcome outcome)
{
	struct place place = { (unsigned long)mapping, index };
	struct prefetch_ext_marks *marks = &p->marks;
	struct prefetch_ext_mark *m;
	unsigned long irq;
	bool ret;

	/* The marker keeps the page in the cache, so its removal sees the mark. */
	if (!READ_ONCE(marks->nr))
		return false;
	m = rhashtable_lookup(&marks->table, &place, params);
	if (!m)
		return false;
	spin_lock_irqsave(&marks->lock, irq);
	ret = take(p, m, outcome);
	spin_unlock_irqrestore(&marks->lock, irq);
	return ret;
}

/* The policy that governs what is above the cgroup of @p. Caller: rcu_read_lock(). */
static struct prefetch_ext_policy *above(const struct prefetch_ext_policy *p)
{
	return prefetch_ext_policy_of(parent_mem_cgroup(p->life.memcg));
}

/*
 * A page that is charged to @memcg, which may be NULL, is used. Returns whether it was
 * prefetched, and this is the first time. Any context. Caller: keeps @memcg.
 */
bool prefetch_ext_use(struct mem_cgroup *memcg, struct address_space *mapping,
		      pgoff_t index, bool late)
{
	struct prefetch_ext_policy *p;
	bool found = false;

	rcu_read_lock();
	for (p = prefetch_ext_policy_of(memcg); p && !found; p = above(p))
		found = find(p, mapping, index,
			     late ? OUTCOME_LATE : OUTCOME_USED);
	rcu_read_unlock();
	return found;
}

/*
 * @nr pages from @index on, charged to @memcg, leave the cache. @counts: those that were
 * never used were a waste. Any context, also under i_pages. Caller: keeps @memcg.
 */
void prefetch_ext_gone(struct mem_cgroup *memcg, struct address_space *mapping,
		       pgoff_t index, unsigned long nr, bool counts)
{
	enum outcome outcome = counts ? OUTCOME_WASTED : OUTCOME_UNKNOWN;
	struct prefetch_ext_policy *p;
	unsigned long i;

	rcu_read_lock();
	for (p = prefetch_ext_policy_of(memcg); p; p = above(p))
		for (i = 0; i < nr && READ_ONCE(p->marks.nr); i++)
			find(p, mapping, index + i, outcome);
	rcu_read_unlock();
}
