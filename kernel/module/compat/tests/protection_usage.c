// SPDX-License-Identifier: GPL-2.0
/* mem_cgroup_protection() tells the usage, too. */
#include <linux/memcontrol.h>

unsigned long protected(struct mem_cgroup *root, struct mem_cgroup *memcg);

unsigned long protected(struct mem_cgroup *root, struct mem_cgroup *memcg)
{
	unsigned long min, low, usage;

	mem_cgroup_protection(root, memcg, &min, &low, &usage);
	return usage + min + low;
}
