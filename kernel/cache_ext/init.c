// SPDX-License-Identifier: GPL-2.0
/* All of it starts, and as a module stops. */
#include <linux/module.h>
#include "cache_ext.h"
#include "glue.h"

static int __init cache_ext_start(void)
{
	int err;

	err = cache_ext_glue_init();
	if (err)
		return err;
	err = cache_ext_index_init();
	if (err)
		return err;
	err = cache_ext_nodes_init();
	if (err)
		goto index;
	err = policy_ext_wq_init();
	if (err)
		goto nodes;
	err = cache_ext_kfuncs_init();
	if (!err)
		err = cache_ext_type_init();
	/* Last: what it shows to users would have to be taken back. */
	if (!err)
		err = cache_ext_glue_started();
	if (err)
		goto wq;
	cache_ext_stats_init();
	return 0;
wq:
	policy_ext_wq_exit();
nodes:
	cache_ext_nodes_exit();
index:
	cache_ext_index_exit();
	return err;
}
late_initcall(cache_ext_start);

/* When the module is unloaded. Links and maps hold it: no policy has a link. */
static void __exit cache_ext_stop(void)
{
	cache_ext_glue_stops();
	cache_ext_stats_exit();
	policy_ext_wq_exit();
	cache_ext_glue_exit();
	cache_ext_index_exit();
	cache_ext_nodes_exit();
}
module_exit(cache_ext_stop);

#ifdef CONFIG_CACHE_EXT_PIN
MODULE_PARM_DESC(max_pin_percent,
		 "How much of a cgroup's memory limit its policy may pin, and keep from swap in a second, in percent");
#endif
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Page cache eviction policies in BPF");
