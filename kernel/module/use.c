// SPDX-License-Identifier: GPL-2.0
/* Users of the module. */
#include <linux/module.h>
#include "use.h"

/*
 * A task that is redirected to the module may wait there for any time: for a device,
 * or a file server that does not answer. Until it has left, the module is in use, and
 * rmmod is refused. While there are hooks it is in use, too, so nobody comes to one
 * that is going. For his last steps out cache_ext_glue_exit() waits.
 */
void cache_ext_enter(void)
{
	__module_get(THIS_MODULE);
}

void cache_ext_leave(void)
{
	module_put(THIS_MODULE);
}
