// SPDX-License-Identifier: GPL-2.0
/* move_folios_to_lru() takes the locks of lruvecs itself. */
#include <linux/memcontrol.h>
#include "found_btf.h"

unsigned int move_folios_to_lru(struct list_head *list);
