// SPDX-License-Identifier: GPL-2.0
/*
 * What happens to folios, as a stock kernel lets it be seen.
 *
 *   added     tracepoint, at the end of __filemap_add_folio(): the folio is locked
 *	       and charged, not on the LRU. Preemption is off: nodes are allocated
 *	       without waiting, and what fails is counted (nomem).
 *   removed   tracepoint, under the i_pages lock with interrupts off
 *   accessed  ftrace on folio_mark_accessed()
 *   replaced  ftrace on mem_cgroup_migrate() and mem_cgroup_replace_folio(), both
 *	       folios locked
 *   split     ftrace on split_page_memcg() or its successor, before the parts are folios
 *   offline   ftrace on mem_cgroup_css_offline(), which must not sleep here
 *
 * Collapse of page cache into huge pages is not seen; it needs
 * CONFIG_READ_ONLY_THP_FOR_FS, with which the module does not build.
 *
 * All ftrace_ops are permanent: kernel.ftrace_enabled=0 cannot make us blind.
 */
#include <linux/ftrace.h>
#include <linux/tracepoint.h>
#include "cache_ext.h"
#include "glue.h"
#include "module.h"
#include "policies.h"
#include "governed.h"

/* Cgroups whose end reap() has yet to see; each counts in cache_ext_leaving until then. */
static atomic_t ended = ATOMIC_INIT(0);

static void reap(struct work_struct *work)
{
	int nr = atomic_xchg(&ended, 0);

	cache_ext_reap(&cache_ext_type);
	/* A policy that has ended counts there itself by now. */
	atomic_sub(nr, &cache_ext_leaving);
}

static DECLARE_WORK(reap_work, reap);

static void on_added(void *data, struct folio *folio)
{
	/* The tracepoint does not tell reads from writes. */
	if (!cache_ext_folio_ungoverned(CACHE_EXT_LOOKUP_EVICTION, folio))
		__cache_ext_folio_added(folio, GFP_NOWAIT, true);
}

/*
 * Reclaim has frozen the folio's reference count. So has invalidation, which is
 * not reclaim unless it runs inside it (the shrinker of inodes).
 */
static void on_removed(void *data, struct folio *folio)
{
	bool reclaim;

	if (cache_ext_folio_ungoverned(CACHE_EXT_LOOKUP_EVICTION, folio)) {
		/* Pairs with cache_ext_leaves(), as in is_to_be_found(). */
		smp_rmb();
		if (!atomic_read(&cache_ext_leaving))
			return;
	}
	reclaim = current->reclaim_state && !folio_ref_count(folio);
	__cache_ext_folio_removed(folio, reclaim ? CACHE_EXT_EVICTED :
						   CACHE_EXT_DELETED);
}

static struct {
	const char *name;
	void *probe;
	struct tracepoint *tp;
	bool on;
} points[] = {
	{ "mm_filemap_delete_from_page_cache", on_removed },
	{ "mm_filemap_add_to_page_cache", on_added },
};

/*
 * This one and the next two run programs. Unregistering an ops waits for
 * preempted handlers, so programs run without preemption.
 */
static void on_accessed(unsigned long ip, unsigned long parent_ip,
			struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct folio *folio = (void *)ftrace_regs_get_argument(fregs, 0);

	preempt_disable_notrace();
	if (!cache_ext_folio_ungoverned(CACHE_EXT_LOOKUP_EVICTION, folio))
		__cache_ext_folio_accessed(folio);
	preempt_enable_notrace();
}

static void on_replaced(unsigned long ip, unsigned long parent_ip,
			struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	preempt_disable_notrace();
	__cache_ext_folio_replaced((void *)ftrace_regs_get_argument(fregs, 0),
				   (void *)ftrace_regs_get_argument(fregs, 1));
	preempt_enable_notrace();
}

/* A page and two orders; what is split need not be a folio of the page cache. */
static void on_split(unsigned long ip, unsigned long parent_ip,
		     struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	preempt_disable_notrace();
	__cache_ext_folio_split((void *)ftrace_regs_get_argument(fregs, 0),
				ftrace_regs_get_argument(fregs, 1),
				ftrace_regs_get_argument(fregs, 2));
	preempt_enable_notrace();
}

bool cache_ext_glue_splits_early(void)
{
	return true;
}

static void on_offline(unsigned long ip, unsigned long parent_ip,
		       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	/*
	 * Before its folios become the parent's: of those, too, a removal is looked up
	 * while its policy is still to go.
	 */
	if (STOCK_REPARENTS) {
		/* As cache_ext_leaves(), whose callers hold the mutex. */
		atomic_inc(&cache_ext_leaving);
		smp_mb__after_atomic();
		atomic_inc(&ended);
	}
	queue_work(system_unbound_wq, &reap_work);
}

/*
 * None of these handlers runs into a function that it is called from, so they do without
 * FTRACE_OPS_FL_RECURSION, which takes 50 instructions of each use of a page by anybody.
 */
#define OPS(handler) {							\
	.func = handler,						\
	.flags = FTRACE_OPS_FL_PERMANENT,				\
}

/* By its name in BTF, cpolc tells the module from the patched kernel. */
struct cache_ext_module_hook {
	struct ftrace_ops ops;
	const char *functions[2];
	bool on;
};

static struct cache_ext_module_hook hooks[] = {
	{ OPS(on_replaced),
	  { "mem_cgroup_migrate", "mem_cgroup_replace_folio" } },
	{ OPS(on_split), { STOCK_SPLIT_NAME } },
	{ OPS(on_offline), { "mem_cgroup_css_offline" } },
	{ OPS(on_accessed), { "folio_mark_accessed" } },
};

static void find_tracepoint(struct tracepoint *tp, void *data)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(points); i++)
		if (!strcmp(tp->name, points[i].name))
			points[i].tp = tp;
}

int __init cache_ext_hooks_init(void)
{
	int i, j, err;

	for_each_kernel_tracepoint(find_tracepoint, NULL);
	for (i = 0; i < ARRAY_SIZE(points); i++) {
		if (!points[i].tp) {
			pr_err("cache_ext: this kernel has no tracepoint %s\n",
			       points[i].name);
			return -ENOENT;
		}
	}
	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		for (j = 0; j < 2 && hooks[i].functions[j]; j++) {
			err = cache_ext_trace(&hooks[i].ops,
					      hooks[i].functions[j]);
			if (err)
				return err;
		}
	}
	return 0;
}

/* Removal first: a node whose folio's end is not seen would be left behind. */
int cache_ext_hooks_on(void)
{
	int i, err;

	err = tracepoint_probe_register(points[0].tp, points[0].probe, NULL);
	if (err)
		return err;
	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		err = register_ftrace_function(&hooks[i].ops);
		if (err) {
			pr_err_ratelimited("cache_ext: cannot hook %s: error %d (kernel.ftrace_enabled must be 1)\n",
			       hooks[i].functions[0], err);
			break;
		}
		hooks[i].on = true;
	}
	if (!err)
		err = tracepoint_probe_register(points[1].tp, points[1].probe,
						NULL);
	points[1].on = !err;
	if (err)
		cache_ext_hooks_off();
	return err;
}

void cache_ext_hooks_off(void)
{
	int i;

	if (points[1].on)
		tracepoint_probe_unregister(points[1].tp, points[1].probe,
					    NULL);
	points[1].on = false;
	for (i = ARRAY_SIZE(hooks) - 1; i >= 0; i--) {
		if (hooks[i].on)
			cache_ext_untrace(&hooks[i].ops);
		hooks[i].on = false;
	}
	tracepoint_probe_unregister(points[0].tp, points[0].probe, NULL);
	tracepoint_synchronize_unregister();
}

void cache_ext_hooks_exit(void)
{
	cancel_work_sync(&reap_work);
}
