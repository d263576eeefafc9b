// SPDX-License-Identifier: GPL-2.0
/* Batches of moves: batch.h tells of them. */
#include <linux/cpumask.h>
#include <linux/string.h>
#include "batch.h"
#include "index.h"

int cache_ext_batches_init(struct cache_ext_lists *ls, gfp_t gfp)
{
	int cpu;

	ls->batches = alloc_percpu_gfp(struct cache_ext_batch, gfp);
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
	unsigned int word = atomic_sub_return(NODE_BATCHES_ONE, &node->word);

	switch (word & NODE_STATE_MASK) {
	case NODE_LISTED:
		if (!move->stale)
			cache_ext_list_defer(ls, node, move->tail);
		break;
	case NODE_DYING:
		/* The remover left the free to the last batch. */
		if (!(word & NODE_BATCHES_MASK))
			cache_ext_node_free_rcu(node);
		break;
	default:
		break;
	}
}

/* Carries out the moves of @cpu. Caller: batch->lock. */
static void flush_locked(struct cache_ext_lists *ls,
			 struct cache_ext_batch *batch, unsigned int cpu)
{
	unsigned int i;

	lockdep_assert_held(&batch->lock);
	/* A dying node stays until its removers have ended. */
	rcu_read_lock();
	spin_lock(&ls->lock);
	for (i = 0; i < batch->nr; i++)
		apply(ls, &batch->moves[i]);
	spin_unlock(&ls->lock);
	rcu_read_unlock();
	WRITE_ONCE(batch->nr, 0);
	cpumask_clear_cpu(cpu, &ls->batched);
}

void cache_ext_batch_flush(struct cache_ext_lists *ls, unsigned int cpu)
{
	struct cache_ext_batch *batch = per_cpu_ptr(ls->batches, cpu);
	unsigned long irq;

	spin_lock_irqsave(&batch->lock, irq);
	if (batch->nr)
		flush_locked(ls, batch, cpu);
	spin_unlock_irqrestore(&batch->lock, irq);
}

/* Also of CPUs that went offline, and left something. */
void cache_ext_batch_flush_all(struct cache_ext_lists *ls)
{
	unsigned int cpu;

	/* with add_move(): what it does not see by ls->batched sees ls->movers */
	smp_mb();
	for_each_cpu(cpu, &ls->batched)
		cache_ext_batch_flush(ls, cpu);
}

/*
 * The move of a node that is in this batch already, which becomes its last one; or
 * NULL. Caller: batch->lock.
 */
static struct cache_ext_move *again(struct cache_ext_batch *batch,
				    struct cache_ext_node *node)
{
	struct cache_ext_move *moves = batch->moves, move;
	unsigned int i;

	for (i = batch->nr; i-- > 0;) {
		if (moves[i].node != node)
			continue;
		move = moves[i];
		memmove(&moves[i], &moves[i + 1],
			(batch->nr - 1 - i) * sizeof(move));
		moves[batch->nr - 1] = move;
		return &moves[batch->nr - 1];
	}
	return NULL;
}

/* One more batch notes the node, if it is listed and not about to change lists. */
static bool mark(struct cache_ext_node *node)
{
	int word = cnode_word(node);

	do {
		if ((word & (NODE_STATE_MASK | NODE_MOVING)) != NODE_LISTED ||
		    (word & NODE_BATCHES_MASK) == NODE_BATCHES_MASK)
			return false;
	} while (!atomic_try_cmpxchg(&node->word, &word,
				     word + NODE_BATCHES_ONE));
	return true;
}

/* A new move of the node, the last one of this CPU's batch; or NULL. Caller: batch->lock. */
static struct cache_ext_move *add_move(struct cache_ext_lists *ls,
				       struct cache_ext_batch *batch,
				       struct cache_ext_node *node)
{
	struct cache_ext_move *move = &batch->moves[batch->nr];
	unsigned int cpu = raw_smp_processor_id();

	if (!batch->nr) {
		cpumask_set_cpu(cpu, &ls->batched);
		/* A mover to another list flushes this batch, or is seen. */
		smp_mb__after_atomic();
	}
	if (READ_ONCE(ls->movers) || !mark(node)) {
		if (!batch->nr)
			cpumask_clear_cpu(cpu, &ls->batched);
		return NULL;
	}
	WRITE_ONCE(batch->nr, batch->nr + 1);
	move->node = node;
	return move;
}

/**
 * cache_ext_batch_move - have a node moved to an end of its list, soon
 * @ls: the lists
 * @node: the node
 * @list: the list that it is on
 * @tail: to the tail
 *
 * Returns false if it cannot be batched: it is not listed, or changes lists just now.
 * Caller: rcu_read_lock(), no lock of ours.
 */
bool cache_ext_batch_move(struct cache_ext_lists *ls,
			  struct cache_ext_node *node, u16 list, bool tail)
{
	struct cache_ext_move *move = NULL;
	struct cache_ext_batch *batch;
	bool batched = false;
	unsigned long irq;

	local_irq_save(irq);
	batch = this_cpu_ptr(ls->batches);
	spin_lock(&batch->lock);
	if (cnode_state(node) == NODE_LISTED &&
	    cnode_word(node) & NODE_BATCHES_MASK)
		move = again(batch, node);
	if (!move)
		move = add_move(ls, batch, node);
	if (move) {
		move->tail = tail;
		/* As long as it is noted it stays on the list that it is on now. */
		move->stale = cnode_list(node) != list;
		batched = !move->stale;
		if (batch->nr == CACHE_EXT_BATCH_MOVES)
			flush_locked(ls, batch, raw_smp_processor_id());
	}
	spin_unlock(&batch->lock);
	local_irq_restore(irq);
	return batched;
}
