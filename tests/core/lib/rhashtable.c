// SPDX-License-Identifier: GPL-2.0
/*
 * A small rhashtable. It follows lib/rhashtable.c of 6.12 in what a user of it can
 * tell: objects with one key may be there twice, the newest first; a reader may hold an
 * object after it was removed, until RCU lets it go; a walk begins anew when the table
 * is resized; an insertion may fail for want of memory, and then nothing has changed.
 *
 * Objects hang on links of the table's own. So a table is resized by making another
 * one, and readers of the old one miss nothing. It begins smaller than the kernel's.
 */
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include <stdlib.h>
#include "shim.h"

#define SMALLEST 4

struct shim_rht_link {
	struct shim_rht_link *next;
	struct rhash_head *obj;
	struct rcu_head rcu;
};

unsigned long shim_rht_compared;

static void *object_of(const struct rhashtable *ht, const struct rhash_head *obj)
{
	return (char *)obj - ht->p.head_offset;
}

static const void *key_of(const struct rhashtable *ht,
			  const struct rhash_head *obj)
{
	return (char *)object_of(ht, obj) + ht->p.key_offset;
}

/* FNV-1a: where the kernel has jhash. */
static u32 hash_bytes(const void *data, u32 len, u32 seed)
{
	const u8 *bytes = data;
	u32 hash = 2166136261U ^ seed;

	while (len--)
		hash = (hash ^ *bytes++) * 16777619U;
	return hash ^ hash >> 15;
}

static struct shim_rht_link **bucket_of(const struct rhashtable *ht,
			       struct bucket_table *tbl, const void *key)
{
	rht_hashfn_t fn = ht->p.hashfn ? ht->p.hashfn : hash_bytes;

	return &tbl->buckets[fn(key, ht->p.key_len, ht->seed) & (tbl->size - 1)];
}

static bool is_equal(struct rhashtable *ht, const void *key,
		     const struct rhash_head *obj)
{
	struct rhashtable_compare_arg arg = { ht, key };

	__atomic_fetch_add(&shim_rht_compared, 1, __ATOMIC_RELAXED);
	if (ht->p.obj_cmpfn)
		return !ht->p.obj_cmpfn(&arg, object_of(ht, obj));
	/* An object that is out of the table may get another key. */
	if (ht->p.key_len == sizeof(u32))
		return *(const u32 *)key == READ_ONCE(*(const u32 *)key_of(ht, obj));
	return !memcmp(key, key_of(ht, obj), ht->p.key_len);
}

static void check(const struct rhashtable *ht,
		  const struct rhashtable_params *params)
{
	if (!READ_ONCE(ht->tbl))
		shim_die("an rhashtable is used that is none");
	if (params->key_len != ht->p.key_len ||
	    params->key_offset != ht->p.key_offset ||
	    params->head_offset != ht->p.head_offset)
		shim_die("an rhashtable is used with the parameters of another");
}

static struct bucket_table *table_of_size(unsigned int size)
{
	static unsigned long generations;
	struct bucket_table *tbl;

	tbl = calloc(1, sizeof(*tbl) + size * sizeof(tbl->buckets[0]));
	tbl->size = size;
	tbl->generation = __atomic_add_fetch(&generations, 1, __ATOMIC_RELAXED);
	return tbl;
}

static unsigned int smallest(const struct rhashtable *ht)
{
	unsigned int size = SMALLEST;

	while (size < ht->p.min_size)
		size *= 2;
	return size;
}

int rhashtable_init(struct rhashtable *ht, const struct rhashtable_params *params)
{
	memset(ht, 0, sizeof(*ht));
	if (!params->key_len)
		return -EINVAL;
	if (shim_fails(GFP_KERNEL))
		return -ENOMEM;
	ht->p = *params;
	ht->seed = 0x9e3779b9U;
	spin_lock_init(&ht->lock);
	ht->tbl = table_of_size(smallest(ht));
	return 0;
}

static void free_link(struct rcu_head *head)
{
	free(container_of(head, struct shim_rht_link, rcu));
}

static void free_table(struct bucket_table *tbl)
{
	struct shim_rht_link *link, *next;
	unsigned int i;

	for (i = 0; i < tbl->size; i++) {
		for (link = tbl->buckets[i]; link; link = next) {
			next = link->next;
			free(link);
		}
	}
	free(tbl);
}

static void free_table_rcu(struct rcu_head *head)
{
	free_table(container_of(head, struct bucket_table, rcu));
}

void rhashtable_free_and_destroy(struct rhashtable *ht,
				 void (*free_fn)(void *obj, void *arg), void *arg)
{
	struct bucket_table *tbl = ht->tbl;
	struct shim_rht_link *link, *next;
	unsigned int i;

	shim_might_sleep();
	for (i = 0; free_fn && i < tbl->size; i++) {
		cond_resched();
		for (link = tbl->buckets[i]; link; link = next) {
			next = link->next;
			free_fn(object_of(ht, link->obj), arg);
		}
	}
	free_table(tbl);
	ht->tbl = NULL;
}

void rhashtable_destroy(struct rhashtable *ht)
{
	rhashtable_free_and_destroy(ht, NULL, NULL);
}

/* Caller: ht->lock. The order within a bucket stays. */
static void resize(struct rhashtable *ht, unsigned int size)
{
	struct bucket_table *old = ht->tbl, *tbl;
	struct shim_rht_link *link, *copy, **end;
	unsigned int i;

	/* In the kernel another one tries again. */
	if (shim_fails(GFP_ATOMIC))
		return;
	tbl = table_of_size(size);
	for (i = 0; i < old->size; i++) {
		for (link = old->buckets[i]; link; link = link->next) {
			end = bucket_of(ht, tbl, key_of(ht, link->obj));
			while (*end)
				end = &(*end)->next;
			copy = calloc(1, sizeof(*copy));
			copy->obj = link->obj;
			*end = copy;
		}
	}
	rcu_assign_pointer(ht->tbl, tbl);
	call_rcu(&old->rcu, free_table_rcu);
}

static struct rhash_head *find(struct rhashtable *ht, const void *key)
{
	struct bucket_table *tbl = rcu_dereference(ht->tbl);
	struct shim_rht_link *link = rcu_dereference(*bucket_of(ht, tbl, key));

	for (; link; link = rcu_dereference(link->next)) {
		shim_pass_by();
		if (is_equal(ht, key, link->obj))
			return link->obj;
	}
	return NULL;
}

void *rhashtable_lookup(struct rhashtable *ht, const void *key,
			const struct rhashtable_params params)
{
	struct rhash_head *obj;

	check(ht, &params);
	if (!rcu_read_lock_held())
		shim_die("an rhashtable is looked up outside RCU");
	obj = find(ht, key);
	return obj ? object_of(ht, obj) : NULL;
}

void *rhashtable_lookup_fast(struct rhashtable *ht, const void *key,
			     const struct rhashtable_params params)
{
	void *obj;

	rcu_read_lock();
	obj = rhashtable_lookup(ht, key, params);
	rcu_read_unlock();
	return obj;
}

/* @unique: unless one has its key. The one that has, NULL, or an error. */
static void *insert(struct rhashtable *ht, struct rhash_head *obj, bool unique)
{
	const void *key = key_of(ht, obj);
	struct rhash_head *same = NULL;
	struct shim_rht_link **bucket, *link;
	unsigned long flags;

	if (shim_fails(GFP_ATOMIC))
		return ERR_PTR(-ENOMEM);
	link = calloc(1, sizeof(*link));
	link->obj = obj;
	spin_lock_irqsave(&ht->lock, flags);
	if (unique)
		same = find(ht, key);
	if (!same && ht->p.max_size &&
	    (unsigned int)ht->nelems.counter >= ht->p.max_size * 2) {
		spin_unlock_irqrestore(&ht->lock, flags);
		free(link);
		return ERR_PTR(-E2BIG);
	}
	if (!same) {
		bucket = bucket_of(ht, ht->tbl, key);
		link->next = *bucket;
		rcu_assign_pointer(*bucket, link);
		if ((unsigned int)__atomic_add_fetch(&ht->nelems.counter, 1,
						     __ATOMIC_RELAXED) >
		    ht->tbl->size * 3 / 4)
			resize(ht, ht->tbl->size * 2);
	}
	spin_unlock_irqrestore(&ht->lock, flags);
	if (!same)
		return NULL;
	free(link);
	return object_of(ht, same);
}

int rhashtable_insert_fast(struct rhashtable *ht, struct rhash_head *obj,
			   const struct rhashtable_params params)
{
	void *ret;

	check(ht, &params);
	ret = insert(ht, obj, false);
	return IS_ERR(ret) ? (int)PTR_ERR(ret) : 0;
}

void *rhashtable_lookup_get_insert_fast(struct rhashtable *ht,
					struct rhash_head *obj,
					const struct rhashtable_params params)
{
	check(ht, &params);
	return insert(ht, obj, true);
}

int rhashtable_lookup_insert_fast(struct rhashtable *ht, struct rhash_head *obj,
				  const struct rhashtable_params params)
{
	void *ret = rhashtable_lookup_get_insert_fast(ht, obj, params);

	if (IS_ERR(ret))
		return (int)PTR_ERR(ret);
	return ret ? -EEXIST : 0;
}

/* Caller: ht->lock. */
static struct shim_rht_link *unlink_object(struct rhashtable *ht, struct rhash_head *obj)
{
	struct shim_rht_link **at = bucket_of(ht, ht->tbl, key_of(ht, obj)), *link;

	while (*at && (*at)->obj != obj)
		at = &(*at)->next;
	link = *at;
	if (link)
		rcu_assign_pointer(*at, link->next);
	return link;
}

int rhashtable_remove_fast(struct rhashtable *ht, struct rhash_head *obj,
			   const struct rhashtable_params params)
{
	unsigned int left, least;
	unsigned long flags;
	struct shim_rht_link *link;

	check(ht, &params);
	spin_lock_irqsave(&ht->lock, flags);
	link = unlink_object(ht, obj);
	if (link) {
		left = (unsigned int)__atomic_sub_fetch(&ht->nelems.counter, 1,
							__ATOMIC_RELAXED);
		least = smallest(ht);
		if (ht->p.automatic_shrinking && ht->tbl->size > least &&
		    left < ht->tbl->size * 3 / 10)
			resize(ht, ht->tbl->size / 2);
		call_rcu(&link->rcu, free_link);
	}
	spin_unlock_irqrestore(&ht->lock, flags);
	return link ? 0 : -ENOENT;
}

static void rewind_walk(struct rhashtable_iter *iter)
{
	iter->generation = rcu_dereference(iter->ht->tbl)->generation;
	iter->slot = iter->skip = 0;
}

/* Any context but an interrupt's. */
void rhashtable_walk_enter(struct rhashtable *ht, struct rhashtable_iter *iter)
{
	iter->ht = ht;
	iter->started = false;
	rcu_read_lock();
	rewind_walk(iter);
	rcu_read_unlock();
}

void rhashtable_walk_exit(struct rhashtable_iter *iter)
{
	if (iter->started)
		shim_die("a walk of an rhashtable ends that was not stopped");
	iter->ht = NULL;
}

int rhashtable_walk_start_check(struct rhashtable_iter *iter)
{
	rcu_read_lock();
	iter->started = true;
	if (iter->generation == rcu_dereference(iter->ht->tbl)->generation)
		return 0;
	rewind_walk(iter);
	return -EAGAIN;
}

void *rhashtable_walk_next(struct rhashtable_iter *iter)
{
	struct bucket_table *tbl = rcu_dereference(iter->ht->tbl);
	unsigned int i;
	struct shim_rht_link *link;

	if (!iter->started)
		shim_die("a walk of an rhashtable goes on that was not started");
	if (iter->generation != tbl->generation) {
		rewind_walk(iter);
		return ERR_PTR(-EAGAIN);
	}
	for (; iter->slot < tbl->size; iter->slot++, iter->skip = 0) {
		link = rcu_dereference(tbl->buckets[iter->slot]);
		for (i = iter->skip; link && i; i--)
			link = rcu_dereference(link->next);
		if (!link)
			continue;
		iter->skip++;
		return object_of(iter->ht, link->obj);
	}
	return NULL;
}

void rhashtable_walk_stop(struct rhashtable_iter *iter)
{
	iter->started = false;
	rcu_read_unlock();
}
