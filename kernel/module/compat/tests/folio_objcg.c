// SPDX-License-Identifier: GPL-2.0
/* Folios on the LRU are charged to an obj_cgroup, which leads to a cgroup. */
#include <linux/memcontrol.h>

struct mem_cgroup *memcg(struct folio *folio);

struct mem_cgroup *memcg(struct folio *folio)
{
	return obj_cgroup_memcg(folio_objcg(folio));
}
