// SPDX-License-Identifier: GPL-2.0
/* Costs are noted under the lock of the lruvec, which is given back. */
#include <linux/memcontrol.h>
#include <linux/swap.h>

void note(struct lruvec *lruvec);

void note(struct lruvec *lruvec)
{
	lruvec_lock_irq(lruvec);
	lru_note_cost_unlock_irq(lruvec, true, 1, 1);
}
