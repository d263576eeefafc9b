// SPDX-License-Identifier: GPL-2.0
/* Swap as prefetch_ext knows it: devices by entry, owners by number. */
#include <linux/memcontrol.h>
#include <linux/swap.h>
#include <linux/swap_cgroup.h>
#include <linux/swapops.h>

struct mem_cgroup *owner(swp_entry_t entry);

struct mem_cgroup *owner(swp_entry_t entry)
{
	if (!swp_swap_info(entry))
		return NULL;
	return mem_cgroup_from_id(lookup_swap_cgroup_id(entry));
}
