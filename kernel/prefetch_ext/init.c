// SPDX-License-Identifier: GPL-2.0
/* All of it starts. */
#include <linux/init.h>
#include "prefetch_ext.h"

int __init prefetch_ext_start(void)
{
	int err;

	/* cache_ext makes them, which has failed. */
	if (!policy_ext_long_wq)
		return -ENODEV;
	err = prefetch_ext_marks_start();
	if (!err)
		err = prefetch_ext_ranges_init();
	if (!err)
		err = prefetch_ext_kfuncs_init();
	if (!err)
		err = prefetch_ext_type_init();
	if (err) {
		prefetch_ext_ranges_exit();
		prefetch_ext_marks_exit();
		return err;
	}
	prefetch_ext_stats_init();
	return 0;
}
#ifndef MODULE
late_initcall(prefetch_ext_start);
#endif
