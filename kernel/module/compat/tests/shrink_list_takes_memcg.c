// SPDX-License-Identifier: GPL-2.0
/* shrink_folio_list() is told for which cgroup. */
#include <linux/memcontrol.h>
#include "found_btf.h"

unsigned int shrink_folio_list(struct list_head *folios,
			       struct pglist_data *pgdat,
			       struct scan_control *sc, struct reclaim_stat *stat,
			       bool ignore_references, struct mem_cgroup *memcg);
