// SPDX-License-Identifier: GPL-2.0
/* A cgroup has an obj_cgroup for each node. */
#include <linux/memcontrol.h>

struct obj_cgroup *objcg(struct mem_cgroup *memcg);

struct obj_cgroup *objcg(struct mem_cgroup *memcg)
{
	return rcu_access_pointer(memcg->nodeinfo[0]->objcg);
}
