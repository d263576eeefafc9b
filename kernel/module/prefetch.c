// SPDX-License-Identifier: GPL-2.0
/*
 * Hooks of prefetching on a stock kernel.
 *
 *   fault	do_swap_page() is redirected to a function that tells of it, calls
 *		the kernel's own, and knows how long that took
 *   prefetch	swapin_readahead(), the same: it asks the policy first
 *   readahead	page_cache_sync_ra(), page_cache_async_ra(), the same
 *   offline	ftrace on mem_cgroup_css_offline(), which must not sleep here
 *   used, gone	prefetch_marks.c
 *   ranges	prefetch_ranges.c
 *   swap-out	swap_out_hook.c
 */
#include <linux/ftrace.h>
#include <linux/module.h>
#include "module.h"
#include "policies.h"
#include "redirect.h"
#include "use.h"
#include "prefetch_ext/prefetch_ext.h"
#include "prefetch_ext/glue.h"

static noinline vm_fault_t swap_page(struct vm_fault *vmf)
{
	swp_entry_t entry = pte_to_swp_entry(vmf->orig_pte);
	struct swap_info_struct *si = NULL;
	u64 cookie = 0;
	vm_fault_t ret;

	if (!non_swap_entry(entry))
		si = get_swap_device(entry);
	if (si) {
		cookie = __prefetch_ext_swap_fault(vmf, si, entry);
		put_swap_device(si);
	}
	ret = do_swap_page(vmf);
	if (cookie)
		__prefetch_ext_swap_read(cookie);
	cache_ext_leave();
	return ret;
}

static noinline struct folio *swapin(swp_entry_t entry, gfp_t gfp,
				     struct vm_fault *vmf)
{
	struct folio *folio;
	struct mempolicy *mpol;
	pgoff_t ilx;

	mpol = get_vma_policy(vmf->vma, vmf->address, 0, &ilx);
	if (!__prefetch_ext_swapin(entry, gfp, mpol, ilx, vmf, &folio))
		folio = swapin_readahead(entry, gfp, vmf);
	if (mpol_needs_cond_ref(mpol))
		__mpol_put(mpol);
	cache_ext_leave();
	return folio;
}

static noinline void sync_ra(struct readahead_control *ractl,
			     unsigned long wanted)
{
	if (!cache_ext_prefetch_sync(ractl, wanted))
		page_cache_sync_ra(ractl, wanted);
	cache_ext_leave();
}

static noinline void async_ra(struct readahead_control *ractl,
			      struct folio *folio, unsigned long wanted)
{
	if (!cache_ext_prefetch_async(ractl, folio, wanted))
		page_cache_async_ra(ractl, folio, wanted);
	cache_ext_leave();
}

static struct cache_ext_redirected redirected[] = {
	{ "do_swap_page", swap_page, CACHE_EXT_FAULT },
	{ "swapin_readahead", swapin, CACHE_EXT_FAULT_3RD },
	{ "page_cache_sync_ra", sync_ra },
	{ "page_cache_async_ra", async_ra },
};

static void redirect(unsigned long ip, unsigned long parent_ip,
		     struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	cache_ext_redirect(redirected, ARRAY_SIZE(redirected), ip, parent_ip,
			   fregs);
}

static void reap(struct work_struct *work)
{
	cache_ext_reap(&prefetch_ext_type);
}

static DECLARE_WORK(reap_work, reap);

static void on_offline(unsigned long ip, unsigned long parent_ip,
		       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	queue_work(system_unbound_wq, &reap_work);
}

/* Without FTRACE_OPS_FL_RECURSION, as in prefetch_ranges.c. */
static struct ftrace_ops redirecting = {
	.func = redirect,
	.flags = FTRACE_OPS_FL_PERMANENT | FTRACE_OPS_FL_IPMODIFY,
};

static struct ftrace_ops offline = {
	.func = on_offline,
	.flags = FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_PERMANENT,
};

/* What all policies need. */
static int basics_on(void)
{
	int err = register_ftrace_function(&offline);

	if (err)
		return err;
	err = register_ftrace_function(&redirecting);
	if (err)
		cache_ext_untrace(&offline);
	return err;
}

static void basics_off(void)
{
	cache_ext_untrace(&redirecting);
	cache_ext_untrace(&offline);
}

/* Each on while it has users: policies with @bit, or all. Under hooks_mutex. */
static struct {
	u32 bit;
	int (*on)(void);
	void (*off)(void);
	const char *what;
	unsigned int users;
} hooks[] = {
	{ 0, basics_on, basics_off, "swap and readahead" },
	{ PREFETCH_EXT_HOOKS_MARKS, cache_ext_marks_on, cache_ext_marks_off,
	  "pages that are used, or go" },
	{ PREFETCH_EXT_HOOKS_RANGES, cache_ext_ranges_on, cache_ext_ranges_off,
	  "opening, reading and writing" },
	{ PREFETCH_EXT_HOOKS_SWAP_OUT, cache_ext_swap_out_on,
	  cache_ext_swap_out_off, "swap-out" },
};

static DEFINE_MUTEX(hooks_mutex);

/* A stock kernel does not tell: programs run through the trampoline. */
const struct bpf_prog *prefetch_ext_glue_prog(const void *kdata, u32 member)
{
	return NULL;
}

void prefetch_ext_glue_hold(void)
{
	cache_ext_enter();
}

void prefetch_ext_glue_release(void)
{
	cache_ext_leave();
}

/* Those of @more among the first @nr. Caller: hooks_mutex. */
static void hooks_off(u32 more, int nr)
{
	while (nr--)
		if ((hooks[nr].bit & more) == hooks[nr].bit &&
		    !--hooks[nr].users)
			hooks[nr].off();
}

/* What was not on before is off again after an error. Caller: hooks_mutex. */
static int hooks_on(u32 more)
{
	int i, err = 0;

	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		if ((hooks[i].bit & more) != hooks[i].bit)
			continue;
		if (!hooks[i].users)
			err = hooks[i].on();
		if (err)
			break;
		hooks[i].users++;
	}
	if (err) {
		pr_err_ratelimited("prefetch_ext: cannot hook %s: error %d (kernel.ftrace_enabled must be 1, and no live patch may redirect them)\n",
				   hooks[i].what, err);
		hooks_off(more, i);
	}
	return err;
}

int prefetch_ext_glue_enable(u32 more)
{
	int err;

	mutex_lock(&hooks_mutex);
	err = hooks_on(more);
	if (!err)
		cache_ext_enter();
	mutex_unlock(&hooks_mutex);
	return err;
}

void prefetch_ext_glue_disable(u32 more)
{
	mutex_lock(&hooks_mutex);
	hooks_off(more, ARRAY_SIZE(hooks));
	mutex_unlock(&hooks_mutex);
	cache_ext_leave();
}

int __init cache_ext_prefetch_init(void)
{
	int err;

	err = cache_ext_trace(&offline, "mem_cgroup_css_offline");
	if (!err)
		err = cache_ext_redirect_init(&redirecting, redirected,
					      ARRAY_SIZE(redirected));
	if (!err)
		err = cache_ext_marks_init();
	if (!err)
		err = cache_ext_ranges_init();
	if (!err)
		err = cache_ext_swap_out_init();
	return err ?: prefetch_ext_start();
}

/* No policy has a link, and nobody waits in our code. */
void cache_ext_prefetch_exit(void)
{
	prefetch_ext_stats_exit();
	cancel_work_sync(&reap_work);
	prefetch_ext_ranges_exit();
	prefetch_ext_marks_exit();
}
