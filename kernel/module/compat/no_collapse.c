// SPDX-License-Identifier: GPL-2.0
/*
 * A kernel that collapses folios of file systems: the old ones leave the page cache, and
 * a huge one comes, without a tracepoint. A policy would keep nodes of folios that have
 * become something else. So while there is a policy, files are not collapsed, those in
 * memory (shmem) neither: collapse_file() fails at once, and has done nothing by then.
 */
#include <linux/ftrace.h>
#include "module.h"
#include "use.h"
#include "compat/collapse.h"

/* SCAN_FAIL of enum scan_result, which no header has. */
static noinline int collapse_nothing(void)
{
	cache_ext_leave();
	return 0;
}

/* Nothing is assumed of the arguments. */
static void redirect(unsigned long ip, unsigned long parent_ip,
		     struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	cache_ext_enter();
	ftrace_regs_set_instruction_pointer(fregs, (unsigned long)collapse_nothing);
}

static struct ftrace_ops collapse_ops = {
	.func = redirect,
	.flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_RECURSION |
		 FTRACE_OPS_FL_PERMANENT,
};

int __init cache_ext_collapse_init(void)
{
	return cache_ext_trace(&collapse_ops, "collapse_file");
}

int cache_ext_collapse_stop(void)
{
	int err = register_ftrace_function(&collapse_ops);

	if (err == -EBUSY)
		pr_err_ratelimited("cache_ext: cannot hook collapse_file: a live patch redirects it, or kernel.ftrace_enabled is 0\n");
	return err;
}

void cache_ext_collapse_go_on(void)
{
	cache_ext_untrace(&collapse_ops);
}
