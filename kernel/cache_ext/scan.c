// SPDX-License-Identifier: GPL-2.0
/*
 * A step of an evict program's iterator: to the next folio that reclaim may take.
 * Callers: rcu_read_lock(), evict_mutex.
 */
#include "request.h"

#define PASS_CHUNK	128	/* folios passed by with interrupts off */

/**
 * cache_ext_scan_next - the next folio of a list that this request may take
 * @r: the request
 * @nr: the list, which the program iterates over
 * @budget: folios that may be looked at, and are left
 *
 * The cursor moves on before the program sees the folio. What is returned may be
 * removed any time, so each kfunc looks at its state anew. NULL: no more.
 */
struct cache_ext_node *cache_ext_scan_next(struct cache_ext_request *r, s32 nr,
					   u32 *budget)
{
	struct cache_ext_list *list = &r->lists->list[nr];
	struct cache_ext_node *node = NULL;
	unsigned int held = 0;
	unsigned long irq;

	spin_lock_irqsave(&r->lists->lock, irq);
	while (*budget && !cache_ext_request_cut(r)) {
		node = cache_ext_iter_next(list);
		if (!node)
			break;
		--*budget;
		if (cache_ext_request_allows(r, node))
			break;
		node = NULL;
		cache_ext_request_passes(r);
		if (++held % PASS_CHUNK == 0) {
			spin_unlock_irqrestore(&r->lists->lock, irq);
			spin_lock_irqsave(&r->lists->lock, irq);
		}
	}
	spin_unlock_irqrestore(&r->lists->lock, irq);
	return node;
}
