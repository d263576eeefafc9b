// SPDX-License-Identifier: GPL-2.0
/*
 * Anonymous folios that are about to be swapped out, on a stock kernel. Reclaim
 * activates a folio that gets no place in swap, and a large one that cannot be split.
 * So these are redirected to functions that ask the policy, if there is one, and say so if
 * it keeps the folio:
 *
 *   add_to_swap()	   a folio of one page
 *   can_split_folio()	   a large one, before it might be split for want of a place
 *
 * The task points to the reclaim_state of its scan_control. MADV_PAGEOUT has none.
 */
#include <linux/ftrace.h>
#include <linux/huge_mm.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/swap.h>
#include <linux/prefetch_ext.h>
#include "module.h"
#include "redirect.h"
#include "scan_control.h"
#include "use.h"

static bool keeps(struct folio *folio)
{
	struct reclaim_state *rs = current->reclaim_state;
	const struct scan_control *sc;
	int priority = 0;

	if (rs) {
		sc = container_of(rs, struct scan_control, reclaim_state);
		/* memory.reclaim may go down to 0 without memory being short. */
		priority = sc->proactive ? DEF_PRIORITY : cache_ext_priority(sc);
	}
	return __prefetch_ext_swap_keeps(folio, priority);
}

static noinline bool to_swap(struct folio *folio)
{
	bool ret = false;

	if (folio_test_large(folio) || !keeps(folio))
		ret = add_to_swap(folio);
	cache_ext_leave();
	return ret;
}

/* Reclaim splits it right away, and asks about its parts. */
static bool is_partially_mapped(struct folio *folio)
{
	/* As reclaim looks at it: it need not be exact. */
	return data_race(!list_empty(&folio->_deferred_list)) &&
	       folio_test_partially_mapped(folio);
}

static noinline bool can_split(struct folio *folio, int caller_pins,
			       int *extra_pins)
{
	bool ret = can_split_folio(folio, caller_pins, extra_pins);

	/*
	 * Reclaim has the one reference, and wants to know no more than whether it
	 * can. A split for debugfs has none here, and holds a page table's lock.
	 */
	if (ret && caller_pins == 1 && !extra_pins && folio_test_anon(folio) &&
	    !folio_test_swapcache(folio) && !is_partially_mapped(folio))
		ret = !keeps(folio);
	cache_ext_leave();
	return ret;
}

static struct cache_ext_redirected redirected[] = {
	{ "add_to_swap", to_swap, CACHE_EXT_FOLIO },
	{ "can_split_folio", can_split, CACHE_EXT_FOLIO },
};

static void redirect(unsigned long ip, unsigned long parent_ip,
		     struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	cache_ext_redirect(redirected, ARRAY_SIZE(redirected), ip, parent_ip,
			   fregs);
}

static struct ftrace_ops hook = {
	.func = redirect,
	.flags = FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_PERMANENT |
		 FTRACE_OPS_FL_IPMODIFY,
};

int cache_ext_swap_out_on(void)
{
	return register_ftrace_function(&hook);
}

void cache_ext_swap_out_off(void)
{
	cache_ext_untrace(&hook);
}

int __init cache_ext_swap_out_init(void)
{
	return cache_ext_redirect_init(&hook, redirected,
				       ARRAY_SIZE(redirected));
}
