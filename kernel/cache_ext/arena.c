// SPDX-License-Identifier: GPL-2.0
/*
 * Where nodes live: blocks of one page, each of one policy.
 *
 * A freed node waits for a grace period before its slot is used again: a
 * program that still holds a pointer into a record of a folio that was just
 * removed writes to memory that nobody else owns yet, and who walks a bucket
 * or looks at a state finds what it expects. One RCU callback a policy serves
 * all nodes that were freed since the one before. A block without nodes goes
 * back to the kernel, unless it is the last one that has slots.
 */
#include <linux/idr.h>
#include <linux/pagemap.h>
#include <linux/slab.h>
#include "cache_ext.h"

#define MAX_BLOCKS	(1U << (32 - CACHE_EXT_BLOCK_SHIFT))

static DEFINE_IDA(block_ids);
/* Writers of the directory. Innermost. */
static DEFINE_SPINLOCK(directory_lock);

/* @align: of records, 4 or 8 bytes */
void cache_ext_arena_init(struct cache_ext_arena *arena, u32 data_size,
			  u32 align)
{
	BUILD_BUG_ON(sizeof(struct cache_ext_node) != 20);
	BUILD_BUG_ON(sizeof(struct cache_ext_block) % 8);
	BUILD_BUG_ON(CACHE_EXT_MAX_LISTS > NODE_LISTS);
	BUILD_BUG_ON(MAX_PAGECACHE_ORDER > 15);
	spin_lock_init(&arena->lock);
	INIT_LIST_HEAD(&arena->partial);
	if (data_size == 1) {
		/* Nothing in the node asks for more, whatever @align is. */
		arena->align = 4;
		arena->record = offsetof(struct cache_ext_node, byte);
		arena->node_size = sizeof(struct cache_ext_node);
		return;
	}
	arena->align = align;
	arena->record = offsetof(struct cache_ext_node, data);
	arena->data_words = DIV_ROUND_UP(data_size, 4);
	arena->node_size = ALIGN(sizeof(struct cache_ext_node) + data_size,
				 align);
}

/* Enters a block; makes the directory larger if need be. */
static bool enter(struct cache_ext_block *block, gfp_t gfp)
{
	struct cache_ext_table *table = cache_ext_table;
	struct cache_ext_directory *dir, *larger = NULL;
	unsigned long irq;
	bool done = false;
	u32 nr;

	do {
		spin_lock_irqsave(&directory_lock, irq);
		dir = table->directory;
		if (block->id >= dir->nr && larger && larger->nr > dir->nr) {
			memcpy(larger->block, dir->block,
			       dir->nr * sizeof(dir->block[0]));
			/* with __node_at(): filled before it is seen */
			smp_store_release(&table->directory, larger);
			kvfree_rcu(dir, rcu);
			dir = larger;
			larger = NULL;
		}
		nr = dir->nr;
		if (block->id < nr) {
			WRITE_ONCE(dir->block[block->id], block);
			done = true;
		}
		spin_unlock_irqrestore(&directory_lock, irq);
		kvfree(larger);
		larger = NULL;
		if (!done) {
			nr = max(nr * 2, roundup_pow_of_two(block->id + 1));
			larger = kvzalloc(struct_size(larger, block, nr),
					  gfp | __GFP_NOWARN);
			if (larger)
				larger->nr = nr;
		}
	} while (!done && larger);
	return done;
}

static void block_free(struct cache_ext_block *block)
{
	unsigned long irq;

	spin_lock_irqsave(&directory_lock, irq);
	WRITE_ONCE(cache_ext_table->directory->block[block->id], NULL);
	spin_unlock_irqrestore(&directory_lock, irq);
	ida_free(&block_ids, block->id);
	free_page((unsigned long)block);
}

/* One more block of free slots. Sleeps if @gfp says so. */
bool cache_ext_arena_grow(struct cache_ext_policy *p, gfp_t gfp)
{
	struct cache_ext_arena *arena = &p->arena;
	struct cache_ext_block *block;
	struct cache_ext_node *node;
	unsigned long irq;
	u32 offset;
	int id;

	block = (void *)__get_free_page(gfp | __GFP_NOWARN);
	if (!block)
		return false;
	block->policy = p;
	block->used = 0;
	block->free = 0;
	/* So that the record of the first is aligned, and so the others'. */
	offset = ALIGN(sizeof(*block) + sizeof(*node), arena->align) -
		 sizeof(*node);
	for (; offset + arena->node_size <= PAGE_SIZE;
	     offset += arena->node_size) {
		node = (void *)block + offset;
		node->next = block->free;
		block->free = offset >> 2;
	}
	id = ida_alloc_range(&block_ids, 1, MAX_BLOCKS - 1, gfp | __GFP_NOWARN);
	if (id < 0)
		goto free;
	block->id = id;
	if (!enter(block, gfp)) {
		ida_free(&block_ids, id);
		goto free;
	}
	spin_lock_irqsave(&arena->lock, irq);
	list_add_tail(&block->partial, &arena->partial);
	WRITE_ONCE(arena->nr_blocks, arena->nr_blocks + 1);
	spin_unlock_irqrestore(&arena->lock, irq);
	return true;
free:
	free_page((unsigned long)block);
	return false;
}

/* A node of NODE_NEW with a zeroed record, or NULL: the arena has to grow. */
struct cache_ext_node *cache_ext_node_alloc(struct cache_ext_policy *p)
{
	struct cache_ext_arena *arena = &p->arena;
	struct cache_ext_node *node = NULL;
	struct cache_ext_block *block;
	unsigned long irq;
	u32 *data;
	u32 i;

	spin_lock_irqsave(&arena->lock, irq);
	block = list_first_entry_or_null(&arena->partial,
					 struct cache_ext_block, partial);
	if (block) {
		node = (void *)block + (block->free << 2);
		block->free = node->next;
		block->used++;
		if (!block->free)
			list_del_init(&block->partial);
	}
	spin_unlock_irqrestore(&arena->lock, irq);
	if (!node)
		return NULL;
	*node = (struct cache_ext_node) {
		.list = NODE_NOWHERE,
		.state = NODE_NEW,
	};
	data = (u32 *)node->data;
	for (i = 0; i < arena->data_words; i++)
		data[i] = 0;
	return node;
}

/* Caller: arena->lock. Returns a block that is to be freed, or NULL. */
static struct cache_ext_block *release(struct cache_ext_arena *arena,
				       struct cache_ext_node *node)
{
	struct cache_ext_block *block = node_block(node);

	lockdep_assert_held(&arena->lock);
	if (!block->free)
		list_add_tail(&block->partial, &arena->partial);
	node->next = block->free;
	block->free = offset_in_page(node) >> 2;
	if (--block->used || list_is_singular(&arena->partial))
		return NULL;
	list_del(&block->partial);
	WRITE_ONCE(arena->nr_blocks, arena->nr_blocks - 1);
	return block;
}

/* A node that was never inserted. */
void cache_ext_node_free(struct cache_ext_node *node)
{
	struct cache_ext_arena *arena = &node_policy(node)->arena;
	struct cache_ext_block *block;
	unsigned long irq;

	spin_lock_irqsave(&arena->lock, irq);
	block = release(arena, node);
	spin_unlock_irqrestore(&arena->lock, irq);
	if (block)
		block_free(block);
}

static void land(struct rcu_head *rcu);

/* Caller: arena->lock. */
static void take_off(struct cache_ext_arena *arena)
{
	arena->flying = arena->waiting;
	arena->waiting = 0;
	WRITE_ONCE(arena->in_flight, arena->flying);
	if (arena->flying)
		call_rcu(&arena->rcu, land);
}

/* Nobody looks at the flying nodes any more. Not for long without interrupts. */
static void land(struct rcu_head *rcu)
{
	struct cache_ext_arena *arena = container_of(rcu,
						struct cache_ext_arena, rcu);
	struct cache_ext_block *block, *next;
	struct cache_ext_node *node;
	unsigned long irq;
	unsigned int budget;
	LIST_HEAD(empty);
	bool more;

	do {
		budget = 64;
		spin_lock_irqsave(&arena->lock, irq);
		while (arena->flying && budget--) {
			node = node_at(arena->flying);
			arena->flying = node->next;
			block = release(arena, node);
			if (block)
				list_add(&block->partial, &empty);
		}
		more = arena->flying;
		if (!more)
			take_off(arena);
		spin_unlock_irqrestore(&arena->lock, irq);
		/* @arena may be gone by now if nothing is in flight. */
		list_for_each_entry_safe(block, next, &empty, partial)
			block_free(block);
		INIT_LIST_HEAD(&empty);
	} while (more);
}

/* An erased node, on no list. Caller: interrupts off. */
void __cache_ext_node_free_rcu(struct cache_ext_node *node)
{
	struct cache_ext_arena *arena = &node_policy(node)->arena;

	spin_lock(&arena->lock);
	node->next = arena->waiting;
	arena->waiting = node_id(node);
	if (!arena->in_flight)
		take_off(arena);
	spin_unlock(&arena->lock);
}

void cache_ext_node_free_rcu(struct cache_ext_node *node)
{
	unsigned long irq;

	local_irq_save(irq);
	__cache_ext_node_free_rcu(node);
	local_irq_restore(irq);
}

/* No node of @p is in the table, and a grace period has passed since. */
void cache_ext_arena_free(struct cache_ext_policy *p)
{
	struct cache_ext_arena *arena = &p->arena;
	struct cache_ext_block *block;
	u32 id, nr;

	while (READ_ONCE(arena->in_flight))
		rcu_barrier();
	/* land() may still be freeing blocks that it has counted out. */
	rcu_barrier();
	rcu_read_lock();
	nr = READ_ONCE(cache_ext_table->directory)->nr;
	rcu_read_unlock();
	for (id = 1; id < nr && arena->nr_blocks; id++) {
		unsigned long irq;

		spin_lock_irqsave(&directory_lock, irq);
		block = cache_ext_table->directory->block[id];
		if (block && block->policy != p)
			block = NULL;
		spin_unlock_irqrestore(&directory_lock, irq);
		if (block) {
			block_free(block);
			arena->nr_blocks--;
		}
	}
	WARN_ON_ONCE(arena->nr_blocks);
}

void cache_ext_arena_exit(void)
{
	ida_destroy(&block_ids);
}
