// SPDX-License-Identifier: GPL-2.0
/* The caller of move_folios_to_lru() has the lock of the lruvec. */
#include <linux/memcontrol.h>
#include "found_btf.h"

unsigned int move_folios_to_lru(struct lruvec *lruvec, struct list_head *list);
