// SPDX-License-Identifier: GPL-2.0
/* evict_folios() of MGLRU: its caller says how many are taken. */
#include <linux/memcontrol.h>
#include "found_btf.h"

int evict_folios(unsigned long nr_to_scan, struct lruvec *lruvec,
		 struct scan_control *sc, int swappiness);
