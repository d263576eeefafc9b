// SPDX-License-Identifier: GPL-2.0
/*
 * Pinned folios stay. Before the kernel's own scan takes a folio it asks the page
 * tables for its uses, by folio_referenced(). ftrace sends that call here if a pin
 * keeps the folio, and the answer is one for which reclaim activates a folio: it is
 * in memory that is locked. (Only a folio that is marked so leaves the LRU.)
 *
 * That is so for calls by reclaim with the folio locked. Ageing asks without the lock,
 * and this module's own calls pass by. The task points to the reclaim_state of its
 * scan_control, which tells how near OOM it is.
 */
#include <linux/ftrace.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/swap.h>
#include "cache_ext.h"
#include "glue.h"
#include "module.h"
#include "redirect.h"
#include "scan_control.h"
#include "use.h"

/* Policies that may pin. */
static DEFINE_MUTEX(pin_mutex);
static unsigned int pin_users;

static noinline int keep(struct folio *folio, int is_locked,
			 struct mem_cgroup *memcg, unsigned long *vm_flags)
{
	*vm_flags = VM_LOCKED;
	cache_ext_leave();
	return 1;
}

static void redirect(unsigned long ip, unsigned long parent_ip,
		     struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct folio *folio = (void *)ftrace_regs_get_argument(fregs, 0);
	struct reclaim_state *rs = current->reclaim_state;
	struct scan_control *sc;

	if (!(int)ftrace_regs_get_argument(fregs, 1) || !rs ||
	    cache_ext_calls(parent_ip))
		return;
	sc = container_of(rs, struct scan_control, reclaim_state);
	/* memory.reclaim may go down to 0 without memory being short. */
	if (!__cache_ext_keeps(folio, sc->proactive ? DEF_PRIORITY :
						      sc->priority))
		return;
	cache_ext_enter();
	ftrace_regs_set_instruction_pointer(fregs, (unsigned long)keep);
}

static struct ftrace_ops pin_ops = {
	.func = redirect,
	.flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_RECURSION |
		 FTRACE_OPS_FL_PERMANENT,
};

int __init cache_ext_pin_init(void)
{
	return cache_ext_trace(&pin_ops, "folio_referenced");
}

int cache_ext_glue_pin_enable(void)
{
	int err = 0;

	mutex_lock(&pin_mutex);
	if (!pin_users)
		err = register_ftrace_function(&pin_ops);
	if (!err)
		pin_users++;
	mutex_unlock(&pin_mutex);
	if (err)
		pr_err_ratelimited("cache_ext: cannot hook folio_referenced: error %d\n",
		       err);
	return err;
}

void cache_ext_glue_pin_disable(void)
{
	mutex_lock(&pin_mutex);
	if (!--pin_users)
		cache_ext_untrace(&pin_ops);
	mutex_unlock(&pin_mutex);
}
