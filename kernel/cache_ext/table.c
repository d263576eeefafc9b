// SPDX-License-Identifier: GPL-2.0
/*
 * The table that leads from a folio to its node: one for all policies, there
 * while there is any. table.h has its picture.
 *
 * It is cut into stripes, as many as the machine's memory asks for, each with a
 * lock and an array of buckets that grows and shrinks by itself: so moving nodes
 * to other buckets, with interrupts off, is never for more than some thousands.
 * A reader that meets a move may be led into another bucket and miss its node.
 * It sees that by the stripe's @seq and looks again under the lock.
 *
 * Removal happens with interrupts off: the locks of stripes are irqsave.
 */
#include <linux/slab.h>
#include "cache_ext.h"

#define STRIPE_PAGES	2048	/* of memory, for one stripe */
#define MIN_LOG		4	/* of a stripe's buckets */
#define MAX_LOG		20
#define MIN_DIRECTORY	62	/* blocks */
#define OLD		64	/* arrays that wait for one grace period */

/* Of no folio: struct pages are nowhere near the end of addresses. */
struct cache_ext_node cache_ext_no_node = { .key = U32_MAX };
DEFINE_PER_CPU(struct cache_ext_node *, cache_ext_hint);

/* Nobody writes to it: nodes come with a policy, and that with a table. */
static const u32 no_buckets[2] __aligned(CACHE_EXT_BUCKETS_ALIGN);

static struct {
	struct cache_ext_directory directory;
	struct cache_ext_block *block[1];
} no_directory = { .directory.nr = 1 };

static struct {
	struct cache_ext_table table;
	struct cache_ext_stripe stripe[2];
} no_table __read_mostly;

struct cache_ext_table *cache_ext_table __read_mostly = &no_table.table;

/* Users of the table, and its coming, growing and going; sleeps. */
static DEFINE_MUTEX(table_mutex);
static unsigned int table_users;
static unsigned long table_bytes;	/* written under table_mutex */

static void resize(struct work_struct *work);
static DECLARE_WORK(resize_work, resize);

static unsigned int buckets_log(unsigned long buckets)
{
	return 32 - (buckets & (CACHE_EXT_BUCKETS_ALIGN - 1));
}

static u32 *buckets_array(unsigned long buckets)
{
	return (u32 *)(buckets & ~(CACHE_EXT_BUCKETS_ALIGN - 1UL));
}

static unsigned long buckets_alloc(unsigned int log)
{
	/* Powers of two of this size are aligned to themselves. */
	u32 *array = kvcalloc(1U << log, sizeof(u32),
			      GFP_KERNEL | __GFP_NOWARN);

	BUILD_BUG_ON(sizeof(u32) << MIN_LOG < CACHE_EXT_BUCKETS_ALIGN);
	return array ? (unsigned long)array | (32 - log) : 0;
}

/* Caller: the stripe's lock. */
static struct cache_ext_node *find_locked(struct cache_ext_stripe *stripe,
					  u32 key)
{
	u32 id = *bucket_of(stripe->buckets, key_hash(key));
	struct cache_ext_node *node;

	for (; id; id = node->chain) {
		node = node_at(id);
		if (node->key == key)
			return node;
	}
	return NULL;
}

/* Not found by cache_ext_node_find(), which has seen @seq. Is that so? */
struct cache_ext_node *cache_ext_node_missed(struct cache_ext_stripe *stripe,
					     u32 seq, u32 key)
{
	struct cache_ext_node *node;
	unsigned long irq;

	smp_rmb(); /* after the reads of the chain; see rehash() */
	if (likely(!(seq & 1) && READ_ONCE(stripe->seq) == seq))
		return NULL;
	spin_lock_irqsave(&stripe->lock, irq);
	node = find_locked(stripe, key);
	spin_unlock_irqrestore(&stripe->lock, irq);
	return node;
}

/* It grows early and shrinks late. Caller: the stripe's lock, or nobody knows it. */
static void set_bounds(struct cache_ext_stripe *stripe)
{
	unsigned int log = buckets_log(stripe->buckets);

	stripe->least = log <= MIN_LOG ? 0 : 1U << log >> 3;
	stripe->most = log >= MAX_LOG ? U32_MAX : 5U << log >> 1;
}

static bool out_of_bounds(struct cache_ext_stripe *stripe)
{
	u32 count = READ_ONCE(stripe->count);

	return count > READ_ONCE(stripe->most) ||
	       count < READ_ONCE(stripe->least);
}

static noinline void ask_resize(void)
{
	queue_work(system_unbound_wq, &resize_work);
}

int cache_ext_node_insert(struct cache_ext_node *node)
{
	struct cache_ext_table *table = cache_ext_table;
	u32 key = node->key;
	u64 hash = key_hash(key);
	struct cache_ext_stripe *stripe = &table->stripe[hash >> table->shift];
	struct cache_ext_node *other;
	unsigned long irq;
	u32 *bucket, first, id;
	int ret = -EEXIST;

	spin_lock_irqsave(&stripe->lock, irq);
	bucket = bucket_of(stripe->buckets, hash);
	first = *bucket;
	for (id = first; id; id = other->chain) {
		other = __node_at(table, id);
		if (unlikely(other->key == key))
			goto out;
	}
	node->chain = first;
	/* with cache_ext_node_find(): the node is whole */
	smp_store_release(bucket, node_id(node));
	stripe->count++;
	ret = 0;
out:
	spin_unlock_irqrestore(&stripe->lock, irq);
	if (unlikely(out_of_bounds(stripe)))
		ask_resize();
	return ret;
}

/*
 * Leaves node->chain as it is, for those who are looking at the node. Caller:
 * interrupts off.
 */
void __cache_ext_node_erase(struct cache_ext_node *node)
{
	struct cache_ext_table *table = cache_ext_table;
	u64 hash = key_hash(node->key);
	struct cache_ext_stripe *stripe = &table->stripe[hash >> table->shift];
	u32 *link, id = node_id(node);

	spin_lock(&stripe->lock);
	link = bucket_of(stripe->buckets, hash);
	while (*link && *link != id)
		link = &__node_at(table, *link)->chain;
	if (!WARN_ON_ONCE(!*link)) {
		WRITE_ONCE(*link, node->chain);
		stripe->count--;
	}
	spin_unlock(&stripe->lock);
	if (unlikely(out_of_bounds(stripe)))
		ask_resize();
}

void cache_ext_node_erase(struct cache_ext_node *node)
{
	unsigned long irq;

	local_irq_save(irq);
	__cache_ext_node_erase(node);
	local_irq_restore(irq);
}

/* Moves the nodes of @stripe to @buckets. Returns the old array. */
static unsigned long rehash(struct cache_ext_stripe *stripe,
			    unsigned long buckets)
{
	unsigned long irq, old;
	u32 i, id, next, *bucket;
	struct cache_ext_node *node;

	spin_lock_irqsave(&stripe->lock, irq);
	old = stripe->buckets;
	WRITE_ONCE(stripe->seq, stripe->seq + 1);
	smp_wmb(); /* whoever sees a node move sees @seq odd, or later new */
	for (i = 0; i < 1U << buckets_log(old); i++) {
		for (id = buckets_array(old)[i]; id; id = next) {
			node = node_at(id);
			next = node->chain;
			bucket = bucket_of(buckets, key_hash(node->key));
			/* ordered for readers that walk along */
			smp_store_release(&node->chain, *bucket);
			/* the same */
			smp_store_release(bucket, id);
		}
	}
	/* with cache_ext_node_find(): all moves, the array, then even */
	smp_store_release(&stripe->buckets, buckets);
	/* with cache_ext_node_missed(): after the array */
	smp_store_release(&stripe->seq, stripe->seq + 1);
	set_bounds(stripe);
	spin_unlock_irqrestore(&stripe->lock, irq);
	return old;
}

static void free_old(unsigned long *old, unsigned int nr)
{
	if (!nr)
		return;
	synchronize_rcu();
	while (nr--)
		kvfree(buckets_array(old[nr]));
}

static void resize(struct work_struct *work)
{
	struct cache_ext_stripe *stripe;
	struct cache_ext_table *table;
	unsigned long buckets, *old;
	unsigned int log, want, nr = 0;
	u32 i, count;

	old = kmalloc_array(OLD, sizeof(*old), GFP_KERNEL);
	if (!old)
		return;
	mutex_lock(&table_mutex);
	table = cache_ext_table;
	if (!table_users)
		goto out;
	for (i = 0; i < 1U << (64 - table->shift); i++) {
		stripe = &table->stripe[i];
		if (!out_of_bounds(stripe))
			continue;
		log = buckets_log(stripe->buckets);
		count = READ_ONCE(stripe->count);
		want = clamp(count ? ilog2(count) : 0, MIN_LOG, MAX_LOG);
		if (want == log)
			continue;
		buckets = buckets_alloc(want);
		if (!buckets)
			break;
		old[nr++] = rehash(stripe, buckets);
		table_bytes += sizeof(u32) << want;
		table_bytes -= sizeof(u32) << log;
		if (nr == OLD) {
			free_old(old, nr);
			nr = 0;
		}
		cond_resched();
	}
	free_old(old, nr);
out:
	mutex_unlock(&table_mutex);
	kfree(old);
}

static void table_free(struct cache_ext_table *table)
{
	u32 i;

	for (i = 0; i < 1U << (64 - table->shift); i++) {
		WARN_ON_ONCE(table->stripe[i].count);
		kvfree(buckets_array(table->stripe[i].buckets));
	}
	kvfree(table->directory);
	kvfree(table);
}

static struct cache_ext_table *table_alloc(unsigned int log)
{
	struct cache_ext_table *table;
	u32 i;

	table = kvzalloc(struct_size(table, stripe, 1UL << log), GFP_KERNEL);
	if (!table)
		return NULL;
	table->shift = 64 - log;
	table->directory = kvzalloc(struct_size(table->directory, block,
						MIN_DIRECTORY), GFP_KERNEL);
	if (!table->directory)
		goto free;
	table->directory->nr = MIN_DIRECTORY;
	set_no_block(table->directory);
	for (i = 0; i < 1U << log; i++) {
		spin_lock_init(&table->stripe[i].lock);
		table->stripe[i].buckets = buckets_alloc(MIN_LOG);
		if (!table->stripe[i].buckets)
			goto free;
		set_bounds(&table->stripe[i]);
	}
	return table;
free:
	table_free(table);
	return NULL;
}

/* A policy comes: there is a table from now on. */
int cache_ext_table_get(void)
{
	unsigned int log = max(order_base_2(totalram_pages() / STRIPE_PAGES), 1);
	struct cache_ext_table *table;
	int err = 0;

	/* Ids of folios would not do: see folio_key(). */
	if (PHYS_PFN(__pa(high_memory - 1)) > U32_MAX)
		return -EFBIG;

	mutex_lock(&table_mutex);
	if (!table_users) {
		table = table_alloc(log);
		if (table) {
			table_bytes = struct_size(table, stripe, 1UL << log) +
				      (sizeof(u32) << (MIN_LOG + log));
			/* initialised before it is seen */
			smp_store_release(&cache_ext_table, table);
		} else {
			err = -ENOMEM;
		}
	}
	if (!err)
		table_users++;
	mutex_unlock(&table_mutex);
	return err;
}

/* A policy has gone, with all its nodes. */
void cache_ext_table_put(void)
{
	struct cache_ext_table *table = NULL;

	mutex_lock(&table_mutex);
	if (!--table_users) {
		table = cache_ext_table;
		WRITE_ONCE(cache_ext_table, &no_table.table);
		table_bytes = 0;
	}
	mutex_unlock(&table_mutex);
	if (!table)
		return;
	synchronize_rcu();
	table_free(table);
}

/* What all policies share, in bytes. */
unsigned long cache_ext_table_bytes(void)
{
	struct cache_ext_directory *dir;
	unsigned long bytes;

	mutex_lock(&table_mutex);
	bytes = table_bytes;
	if (bytes) {
		rcu_read_lock();
		dir = READ_ONCE(cache_ext_table->directory);
		bytes += struct_size(dir, block, dir->nr);
		rcu_read_unlock();
	}
	mutex_unlock(&table_mutex);
	return bytes;
}

int __init cache_ext_table_init(void)
{
	int cpu;

	/* Not by an initialiser: 6.12 does not relocate those of modules. */
	for_each_possible_cpu(cpu)
		per_cpu(cache_ext_hint, cpu) = &cache_ext_no_node;
	set_no_block(&no_directory.directory);
	no_table.table.directory = &no_directory.directory;
	no_table.table.shift = 63;
	for (int i = 0; i < 2; i++) {
		spin_lock_init(&no_table.table.stripe[i].lock);
		no_table.table.stripe[i].buckets =
			(unsigned long)no_buckets | 31;
	}
	return 0;
}

/* Of a module that goes: no policy is left. */
void cache_ext_table_exit(void)
{
	cancel_work_sync(&resize_work);
	rcu_barrier();
	cache_ext_arena_exit();
}
