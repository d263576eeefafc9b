// SPDX-License-Identifier: GPL-2.0
/* How much of a cgroup's limit a policy may have. */
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/page_counter.h>
#include "policy_ext.h"

#ifndef MODULE
/* Users know its parameter as cache_ext's, as they do of the module. */
#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "cache_ext."
#endif

/* The least limit on the way up, in pages; without any, all of the machine's memory. */
unsigned long policy_ext_limit(struct mem_cgroup *memcg)
{
	unsigned long limit = totalram_pages();

	for (; memcg; memcg = parent_mem_cgroup(memcg)) {
		limit = min(limit, READ_ONCE(memcg->memory.max));
		limit = min(limit, READ_ONCE(memcg->memory.high));
	}
	return limit;
}

#ifdef CONFIG_CACHE_EXT_PIN
static unsigned int max_pin_percent = 50;

static int set_percent(const char *text, const struct kernel_param *kp)
{
	return param_set_uint_minmax(text, kp, 0, 100);
}

static const struct kernel_param_ops percent_ops = {
	.set = set_percent,
	.get = param_get_uint,
};
module_param_cb(max_pin_percent, &percent_ops, &max_pin_percent, 0644);

/* The administrator's share of a limit. */
unsigned int policy_ext_percent(void)
{
	return READ_ONCE(max_pin_percent);
}

/*
 * The administrator's share of the cgroup's limit, in pages. Where there is none below the
 * machine's memory, what is kept would be kept from all others: nothing may be.
 */
unsigned long policy_ext_share(struct mem_cgroup *memcg)
{
	unsigned long limit = policy_ext_limit(memcg);

	if (limit >= totalram_pages())
		return 0;
	return mult_frac(limit, policy_ext_percent(), 100);
}
#endif
