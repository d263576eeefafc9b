/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Moves within a list, gathered by CPU: as mm/swap.c gathers folios, so that a
 * policy which moves a folio at each access takes lists->lock for one access in
 * CACHE_EXT_BATCH_MOVES at most.
 *
 * What is promised: the moves of all CPUs are carried out in some order, in which
 * those of one CPU stand in the order in which it asked for them. None is lost; they
 * wait, at most until the next request of reclaim, which flushes the batches of all
 * CPUs before the policy is asked. It holds because
 *
 *   - to read or change the order of a list, a CPU flushes its own batch
 *     first. A folio that a CPU moves again leaves the place in the batch that it had;
 *   - a folio may be in the batches of several CPUs at once. Each carries its move out
 *     in its turn;
 *   - a folio stays on its list while a batch notes it: a mover to
 *     another list first flushes all batches (cnode_begin_move()). Once is enough:
 *     while there is such a mover, no batch notes the folio.
 *
 * A folio that a request has taken off its list when its move is due stays where the
 * request puts it, as if it had been moved before that.
 *
 * A node's word counts the batches that note it. If it dies meanwhile, the
 * flush of the last batch frees it.
 */
#ifndef _MM_CACHE_EXT_BATCH_H
#define _MM_CACHE_EXT_BATCH_H

#include <linux/percpu.h>
#include "list.h"

#define CACHE_EXT_BATCH_MOVES	15

struct cache_ext_move {
	struct cache_ext_node *node;
	bool tail;
	bool stale;	/* it was on another list by then: no move */
};

/* Locks: @lock, then lists->lock inside it; irqsave. */
struct cache_ext_batch {
	spinlock_t lock;	/* @nr and @moves */
	unsigned int nr;	/* read without the lock */
	struct cache_ext_move moves[CACHE_EXT_BATCH_MOVES];
};

int cache_ext_batches_init(struct cache_ext_lists *ls, gfp_t gfp);
void cache_ext_batches_free(struct cache_ext_lists *ls);
bool cache_ext_batch_move(struct cache_ext_lists *ls,
			  struct cache_ext_node *node, u16 list, bool tail);
void cache_ext_batch_flush(struct cache_ext_lists *ls, unsigned int cpu);
void cache_ext_batch_flush_all(struct cache_ext_lists *ls);

/* What this CPU was asked for so far is done. Any context, no lock of ours held. */
static inline void cache_ext_batch_flush_own(struct cache_ext_lists *ls)
{
	unsigned int cpu = raw_smp_processor_id();

	if (READ_ONCE(per_cpu_ptr(ls->batches, cpu)->nr))
		cache_ext_batch_flush(ls, cpu);
}

#endif /* _MM_CACHE_EXT_BATCH_H */
