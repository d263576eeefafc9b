// SPDX-License-Identifier: GPL-2.0
/* Batches of moves: batch.h tells of them. */
#include <linux/string.h>
#include "batch.h"

int cache_ext_batches_init(struct cache_ext_lists *ls)
{
	int cpu;

	ls->batches = alloc_percpu(struct cache_ext_batch);
	if (!ls->batches)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		spin_lock_init(&per_cpu_ptr(ls->batches, cpu)->lock);
	return 0;
}

/* All of them are empty. */
void cache_ext_batches_free(struct cache_ext_lists *ls)
{
	free_percpu(ls->batches);
}

/* Caller: ls->lock, rcu_read_lock(). */
static void apply(struct cache_ext_lists *ls, struct cache_ext_move *move)
{
	struct cache_ext_node *node = move->node;

	cnode_clear(node, NODE_BATCHED | NODE_BATCHED_TAIL);
	switch (cnode_state(node)) {
	case NODE_LISTED:
		if (node->list == move->list)
			cache_ext_list_defer(ls, node, move->tail);
		break;
	case NODE_DYING:
		/* Whoever removed it has left it to us. */
		cache_ext_node_free_rcu(ls->kind, node);
		break;
	default:
		break;
	}
}

/* Caller: batch->lock. */
static void flush_locked(struct cache_ext_lists *ls,
			 struct cache_ext_batch *batch)
{
	unsigned int i;

	lockdep_assert_held(&batch->lock);
	/* A dying node stays until those who are removing it are through. */
	rcu_read_lock();
	spin_lock(&ls->lock);
	for (i = 0; i < batch->nr; i++)
		apply(ls, &batch->moves[i]);
	spin_unlock(&ls->lock);
	rcu_read_unlock();
	WRITE_ONCE(batch->nr, 0);
}

void cache_ext_batch_flush(struct cache_ext_lists *ls,
			   struct cache_ext_batch *batch)
{
	unsigned long irq;

	spin_lock_irqsave(&batch->lock, irq);
	if (batch->nr)
		flush_locked(ls, batch);
	spin_unlock_irqrestore(&batch->lock, irq);
}

void cache_ext_batch_flush_all(struct cache_ext_lists *ls)
{
	struct cache_ext_batch *batch;
	int cpu;

	/* CPUs that went offline may have left something. */
	for_each_possible_cpu(cpu) {
		batch = per_cpu_ptr(ls->batches, cpu);
		if (READ_ONCE(batch->nr))
			cache_ext_batch_flush(ls, batch);
	}
}

/* A node that is in this batch already goes to its end. Caller: batch->lock. */
static bool again(struct cache_ext_batch *batch, struct cache_ext_node *node,
		  u16 list)
{
	struct cache_ext_move *moves = batch->moves, move;
	unsigned int i;

	for (i = batch->nr; i-- > 0;) {
		if (moves[i].node != node)
			continue;
		move = moves[i];
		move.list = list;
		memmove(&moves[i], &moves[i + 1],
			(batch->nr - 1 - i) * sizeof(move));
		moves[batch->nr - 1] = move;
		return true;
	}
	return false;
}

/* Marks a listed node. The mark it has now, or 0 if it is not listed. */
static unsigned int mark(struct cache_ext_node *node, bool tail, bool *ours)
{
	unsigned int mark = NODE_BATCHED | (tail ? NODE_BATCHED_TAIL : 0);
	int word = cnode_word(node);

	*ours = false;
	do {
		if ((word & NODE_STATE_MASK) != NODE_LISTED)
			return 0;
		if (word & NODE_BATCHED)
			return word & (NODE_BATCHED | NODE_BATCHED_TAIL);
	} while (!atomic_try_cmpxchg(&node->word, &word, word | mark));
	*ours = true;
	return mark;
}

/**
 * cache_ext_batch_move - have a node moved to an end of its list, soon
 * @ls: the lists
 * @node: the node
 * @list: the list that it is on
 * @tail: to the tail
 *
 * If another CPU has it in its batch, for the same end, that stands for both.
 * Returns false if it cannot be batched: it is not listed, or another CPU wants it
 * at the other end. Caller: rcu_read_lock(), no lock of ours.
 */
bool cache_ext_batch_move(struct cache_ext_lists *ls,
			  struct cache_ext_node *node, u16 list, bool tail)
{
	unsigned int wanted = NODE_BATCHED | (tail ? NODE_BATCHED_TAIL : 0);
	struct cache_ext_batch *batch;
	unsigned int marked;
	unsigned long irq;
	bool ours;

	local_irq_save(irq);
	batch = this_cpu_ptr(ls->batches);
	spin_lock(&batch->lock);
	marked = mark(node, tail, &ours);
	if (ours) {
		batch->moves[batch->nr] = (struct cache_ext_move) {
			.node = node, .list = list, .tail = tail,
		};
		WRITE_ONCE(batch->nr, batch->nr + 1);
		if (batch->nr == CACHE_EXT_BATCH_MOVES)
			flush_locked(ls, batch);
	} else if (marked == wanted) {
		again(batch, node, list);
	}
	spin_unlock(&batch->lock);
	local_irq_restore(irq);
	return marked == wanted;
}
