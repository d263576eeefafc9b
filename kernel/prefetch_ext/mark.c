// SPDX-License-Identifier: GPL-2.0
/*
 * Marks: pages that a policy has prefetched, from when they are read until they
 * are used for the first time, or leave the cache unused. A mark is found by the
 * page's place (mapping and index; for swap, those of the swap cache), not by its
 * folio: so migration does not lose it.
 *
 * A mark is charged to the cgroup of the process that had the page read. Without
 * memory for it, the page is not followed.
 */
#include <linux/hash.h>
#include <linux/slab.h>
#include "prefetch_ext.h"

#define BITS	13

struct prefetch_ext_mark {
	struct hlist_node link;
	struct address_space *mapping;
	pgoff_t index;
	struct prefetch_ext_policy *policy;	/* removes its marks at the end */
	bool swap;
};

struct bucket {
	spinlock_t lock;
	struct hlist_head marks;
};

/* Made when the first policy comes, and kept. Written under @making. */
static struct bucket *buckets;
static struct kmem_cache *cache;
static DEFINE_MUTEX(making);
/* Of all policies: most pages are looked up while there is none. */
atomic_long_t prefetch_ext_nr_marks;

size_t prefetch_ext_mark_size(void)
{
	return sizeof(struct prefetch_ext_mark);
}

/* Caller: @making. */
static int make(void)
{
	struct bucket *b;
	unsigned int i;

	if (buckets)
		return 0;
	if (!cache)
		cache = KMEM_CACHE(prefetch_ext_mark, SLAB_ACCOUNT);
	b = kvcalloc(1 << BITS, sizeof(*b), GFP_KERNEL);
	if (!cache || !b) {
		kvfree(b);
		return -ENOMEM;
	}
	for (i = 0; i < 1 << BITS; i++)
		spin_lock_init(&b[i].lock);
	/* with bucket_of() */
	smp_store_release(&buckets, b);
	return 0;
}

/* May sleep, for memory: not under prefetch_ext_mutex. */
int prefetch_ext_marks_init(void)
{
	int err;

	mutex_lock(&making);
	err = make();
	mutex_unlock(&making);
	return err;
}

/* Of a module that goes: no policy is left. */
void prefetch_ext_marks_exit(void)
{
	kvfree(buckets);
	kmem_cache_destroy(cache);
}

static struct bucket *bucket_of(struct address_space *mapping, pgoff_t index)
{
	/* with prefetch_ext_marks_init() */
	struct bucket *all = smp_load_acquire(&buckets);
	unsigned long key = (unsigned long)mapping / sizeof(*mapping);

	return all ? &all[hash_long(key + index, BITS)] : NULL;
}

/* Caller: bucket->lock. */
static struct prefetch_ext_mark *find(struct bucket *b, struct address_space *mapping,
			 pgoff_t index)
{
	struct prefetch_ext_mark *m;

	hlist_for_each_entry(m, &b->marks, link)
		if (m->mapping == mapping && m->index == index)
			return m;
	return NULL;
}

/* Caller: bucket->lock. */
static void take(struct prefetch_ext_mark *m)
{
	hlist_del(&m->link);
	atomic_long_dec(&m->policy->nr_marks);
	atomic_long_dec(&prefetch_ext_nr_marks);
}

static bool mark(struct prefetch_ext_policy *p, struct address_space *mapping,
		 pgoff_t index, bool swap)
{
	struct bucket *b = bucket_of(mapping, index);
	struct prefetch_ext_mark *m, *old;
	unsigned long irq;

	m = kmem_cache_alloc(cache, GFP_NOWAIT | __GFP_NOWARN | __GFP_ACCOUNT);
	if (!m)
		return false;
	m->mapping = mapping;
	m->index = index;
	m->policy = p;
	m->swap = swap;
	spin_lock_irqsave(&b->lock, irq);
	/* One that was left by a page which went in a way that is not hooked. */
	old = find(b, mapping, index);
	if (old)
		take(old);
	hlist_add_head(&m->link, &b->marks);
	atomic_long_inc(&p->nr_marks);
	atomic_long_inc(&prefetch_ext_nr_marks);
	spin_unlock_irqrestore(&b->lock, irq);
	if (old)
		kmem_cache_free(cache, old);
	return true;
}

/*
 * @p, which the caller keeps, has had a page of @mapping read, which the caller keeps
 * in the cache. False: there was no memory. A policy that has ended has forgotten its
 * marks, and gets no more. Any context.
 */
bool prefetch_ext_mark(struct prefetch_ext_policy *p,
		       struct address_space *mapping, pgoff_t index, bool swap)
{
	bool ret;

	/* Its teardown waits for us, and then takes the marks away. */
	rcu_read_lock();
	ret = READ_ONCE(p->dead) || mark(p, mapping, index, swap);
	rcu_read_unlock();
	return ret;
}

/* Caller: bucket->lock. */
static void count_use(struct prefetch_ext_mark *m, bool late)
{
	struct prefetch_ext_policy *p = m->policy;

	pes_inc(p, m->swap ? PES_USED : PES_RA_USED);
	if (late && m->swap)
		pes_inc(p, PES_LATE);
	prefetch_ext_judge(p, false);
}

/*
 * The page is used. Returns whether it was prefetched, and this is the first time.
 * Any context.
 */
bool prefetch_ext_use(struct address_space *mapping, pgoff_t index, bool late)
{
	struct bucket *b;
	unsigned long irq;
	struct prefetch_ext_mark *m;

	if (!atomic_long_read(&prefetch_ext_nr_marks))
		return false;
	b = bucket_of(mapping, index);
	if (!b || hlist_empty(&b->marks))
		return false;
	spin_lock_irqsave(&b->lock, irq);
	m = find(b, mapping, index);
	if (m) {
		count_use(m, late);
		take(m);
	}
	spin_unlock_irqrestore(&b->lock, irq);
	if (m)
		kmem_cache_free(cache, m);
	return m;
}

/*
 * The page leaves the cache. @counts: if it was never used, that was waste. Any
 * context, also under i_pages.
 */
void prefetch_ext_gone(struct address_space *mapping, pgoff_t index,
		       bool counts)
{
	struct bucket *b;
	unsigned long irq;
	struct prefetch_ext_mark *m;

	if (!atomic_long_read(&prefetch_ext_nr_marks))
		return;
	b = bucket_of(mapping, index);
	if (!b || hlist_empty(&b->marks))
		return;
	spin_lock_irqsave(&b->lock, irq);
	m = find(b, mapping, index);
	if (m) {
		if (counts) {
			pes_inc(m->policy, m->swap ? PES_WASTED : PES_RA_WASTED);
			prefetch_ext_judge(m->policy, true);
		}
		take(m);
	}
	spin_unlock_irqrestore(&b->lock, irq);
	if (m)
		kmem_cache_free(cache, m);
}

/* @p ends, and nobody uses it any more. May sleep. */
void prefetch_ext_unmark_all(struct prefetch_ext_policy *p)
{
	struct hlist_node *next;
	unsigned long irq;
	unsigned int i;
	struct prefetch_ext_mark *m;
	HLIST_HEAD(old);

	for (i = 0; buckets && i < 1 << BITS; i++) {
		if (!atomic_long_read(&p->nr_marks))
			break;
		spin_lock_irqsave(&buckets[i].lock, irq);
		hlist_for_each_entry_safe(m, next, &buckets[i].marks, link) {
			if (m->policy != p)
				continue;
			take(m);
			hlist_add_head(&m->link, &old);
		}
		spin_unlock_irqrestore(&buckets[i].lock, irq);
		cond_resched();
	}
	hlist_for_each_entry_safe(m, next, &old, link)
		kmem_cache_free(cache, m);
	/* Each of its marks was found: nobody adds one any more. */
	VM_WARN_ON_ONCE(atomic_long_read(&p->nr_marks));
}
