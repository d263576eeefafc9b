/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of the rhashtable that the cores use. Tables grow and shrink; their objects
 * may be looked up meanwhile, and until RCU lets them go. Insertions fail at random.
 */
#ifndef _LINUX_RHASHTABLE_H
#define _LINUX_RHASHTABLE_H

#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct rhash_head {
	struct rhash_head *next;
};

struct rhashtable;

struct rhashtable_compare_arg {
	struct rhashtable *ht;
	const void *key;
};

typedef u32 (*rht_hashfn_t)(const void *data, u32 len, u32 seed);
typedef int (*rht_obj_cmpfn_t)(struct rhashtable_compare_arg *arg,
			       const void *obj);

struct rhashtable_params {
	u16 nelem_hint;
	u16 key_len;
	u16 key_offset;
	u16 head_offset;
	unsigned int max_size;
	u16 min_size;
	bool automatic_shrinking;
	rht_hashfn_t hashfn;
	rht_obj_cmpfn_t obj_cmpfn;
};

/* As in the kernel, but for what is in a bucket. */
struct bucket_table {
	struct rcu_head rcu;
	unsigned long generation;
	unsigned int size;	/* a power of two */
	struct shim_rht_link *buckets[];
};

#define rht_dereference_rcu(p, ht) rcu_dereference(p)

struct rhashtable {
	struct bucket_table *tbl;
	struct rhashtable_params p;
	u32 seed;
	spinlock_t lock;	/* the kernel has one for each bucket */
	atomic_t nelems;
};

struct rhashtable_iter {
	struct rhashtable *ht;
	unsigned long generation;
	unsigned int slot, skip;
	bool started;
};

int rhashtable_init(struct rhashtable *ht,
		    const struct rhashtable_params *params);
/* Caller: nobody uses it any more, and the first: it is empty. */
void rhashtable_destroy(struct rhashtable *ht);
void rhashtable_free_and_destroy(struct rhashtable *ht,
				 void (*free_fn)(void *obj, void *arg),
				 void *arg);

/* Caller: rcu_read_lock(). */
void *rhashtable_lookup(struct rhashtable *ht, const void *key,
			const struct rhashtable_params params);
void *rhashtable_lookup_fast(struct rhashtable *ht, const void *key,
			     const struct rhashtable_params params);
/* Even if another one has its key. */
int rhashtable_insert_fast(struct rhashtable *ht, struct rhash_head *obj,
			   const struct rhashtable_params params);
int rhashtable_lookup_insert_fast(struct rhashtable *ht, struct rhash_head *obj,
				  const struct rhashtable_params params);
/* The one that is there, NULL if this one was inserted, or an error. */
void *rhashtable_lookup_get_insert_fast(struct rhashtable *ht,
					struct rhash_head *obj,
					const struct rhashtable_params params);
int rhashtable_remove_fast(struct rhashtable *ht, struct rhash_head *obj,
			   const struct rhashtable_params params);

void rhashtable_walk_enter(struct rhashtable *ht, struct rhashtable_iter *iter);
void rhashtable_walk_exit(struct rhashtable_iter *iter);
int rhashtable_walk_start_check(struct rhashtable_iter *iter);
#define rhashtable_walk_start(iter) ((void)rhashtable_walk_start_check(iter))
/* ERR_PTR(-EAGAIN): it was resized, and the walk begins anew. */
void *rhashtable_walk_next(struct rhashtable_iter *iter);
void rhashtable_walk_stop(struct rhashtable_iter *iter);

/* Objects whose keys look-ups compared, of all tables. */
extern unsigned long shim_rht_compared;

#endif
