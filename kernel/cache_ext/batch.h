/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Moves within a list, gathered by CPU: as mm/swap.c gathers folios, so that a
 * policy which moves a folio at each access takes lists->lock for one access in
 * CACHE_EXT_BATCH_MOVES at most.
 *
 * On one CPU everything happens in the order in which it was asked for: whoever
 * looks at the order of a list, or changes it, flushes its CPU's batch first. Of
 * moves that CPUs ask for at the same time the order is not promised. A request
 * of reclaim flushes the batches of all CPUs before the policy is asked.
 *
 * A node in a batch has NODE_BATCHED. If it dies meanwhile, whoever flushes the
 * batch frees it.
 */
#ifndef _MM_CACHE_EXT_BATCH_H
#define _MM_CACHE_EXT_BATCH_H

#include <linux/percpu.h>
#include "list.h"

#define CACHE_EXT_BATCH_MOVES	15

struct cache_ext_move {
	struct cache_ext_node *node;
	u16 list;		/* it was on; if it is not any more: no move */
	bool tail;
};

/* Locks: @lock, then lists->lock inside it; irqsave. */
struct cache_ext_batch {
	spinlock_t lock;	/* @nr and @moves */
	unsigned int nr;	/* read without the lock */
	struct cache_ext_move moves[CACHE_EXT_BATCH_MOVES];
};

int cache_ext_batches_init(struct cache_ext_lists *ls);
void cache_ext_batches_free(struct cache_ext_lists *ls);
bool cache_ext_batch_move(struct cache_ext_lists *ls,
			  struct cache_ext_node *node, u16 list, bool tail);
void cache_ext_batch_flush(struct cache_ext_lists *ls,
			   struct cache_ext_batch *batch);
void cache_ext_batch_flush_all(struct cache_ext_lists *ls);

/* What this CPU was asked for so far is done. Any context, no lock of ours held. */
static inline void cache_ext_batch_flush_own(struct cache_ext_lists *ls)
{
	struct cache_ext_batch *batch = raw_cpu_ptr(ls->batches);

	if (READ_ONCE(batch->nr))
		cache_ext_batch_flush(ls, batch);
}

#endif /* _MM_CACHE_EXT_BATCH_H */
