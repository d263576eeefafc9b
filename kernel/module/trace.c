// SPDX-License-Identifier: GPL-2.0
/* Hooks by ftrace: which function one is for, and how it goes. */
#include <linux/ftrace.h>
#include "module.h"
#include "use.h"

int __init cache_ext_trace(struct ftrace_ops *ops, const char *name)
{
	unsigned long address = cache_ext_symbol(name);
	int err;

	if (!address)
		return -ENOENT;
	err = ftrace_set_filter_ip(ops, address, 0, 0);
	if (err)
		pr_err("cache_ext: cannot trace %s: error %d\n", name, err);
	return err;
}

/*
 * Nobody is in the hook any more. But where ftrace has found the kernel's text other than it
 * should be, it warns, gives up, and leaves calls to us where they are: then the module is
 * held for ever, since nobody would be told before its text is freed.
 */
void cache_ext_untrace(struct ftrace_ops *ops)
{
	if (unregister_ftrace_function(ops))
		cache_ext_enter();
}
