// SPDX-License-Identifier: GPL-2.0
/* evict_folios() of MGLRU: how many are taken is its own affair. */
#include <linux/memcontrol.h>
#include "found_btf.h"

int evict_folios(struct lruvec *lruvec, struct scan_control *sc, int swappiness);
