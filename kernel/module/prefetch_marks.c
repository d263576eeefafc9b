// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that are used, or go, on a stock kernel: on while a policy prefetches.
 *
 *   used	ftrace on folio_mark_accessed() and set_pte_range(); for shmem, on
 *		swap_cache_get_folio()
 *   gone	ftrace on __delete_from_swap_cache(); tracepoint
 *		mm_filemap_delete_from_page_cache
 */
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/tracepoint.h>
#include <linux/prefetch_ext.h>
#include "module.h"
#include "governed.h"

static __always_inline void used(struct folio *folio)
{
	bool nobodys;

	preempt_disable_notrace();
	nobodys = cache_ext_folio_ungoverned(CACHE_EXT_LOOKUP_PREFETCHING, folio);
	preempt_enable_notrace();
	if (!nobodys)
		__prefetch_ext_file_used(folio);
}

static void on_accessed(unsigned long ip, unsigned long parent_ip,
			struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	used((void *)ftrace_regs_get_argument(fregs, 0));
}

static void on_mapped(unsigned long ip, unsigned long parent_ip,
		      struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	used((void *)ftrace_regs_get_argument(fregs, 1));
}

/* Faults are told by swap_page(). */
static void on_lookup(unsigned long ip, unsigned long parent_ip,
		      struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	swp_entry_t entry = { .val = ftrace_regs_get_argument(fregs, 0) };

	if (!ftrace_regs_get_argument(fregs, 1))
		__prefetch_ext_swap_used(entry);
}

static void on_swap_gone(unsigned long ip, unsigned long parent_ip,
			 struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	swp_entry_t entry = { .val = ftrace_regs_get_argument(fregs, 1) };

	__prefetch_ext_swap_gone((void *)ftrace_regs_get_argument(fregs, 0),
				 entry);
}

static void on_file_gone(void *data, struct folio *folio)
{
	if (!cache_ext_folio_ungoverned(CACHE_EXT_LOOKUP_PREFETCHING, folio))
		__prefetch_ext_file_gone(folio);
}

/* As in hooks.c, and none of these runs a program. */
#define OPS(handler) {							\
	.func = handler,						\
	.flags = FTRACE_OPS_FL_PERMANENT,				\
}

static struct {
	struct ftrace_ops ops;
	const char *function;
	bool on;
} hooks[] = {
	/* First: a mark whose page's end is not seen would be left behind. */
	{ OPS(on_swap_gone), "__delete_from_swap_cache" },
	{ OPS(on_accessed), "folio_mark_accessed" },
	{ OPS(on_mapped), "set_pte_range" },
	{ OPS(on_lookup), "swap_cache_get_folio" },
};

static struct tracepoint *file_gone;
static bool file_gone_on;

void cache_ext_marks_off(void)
{
	int i;

	for (i = ARRAY_SIZE(hooks) - 1; i >= 0; i--) {
		if (hooks[i].on)
			cache_ext_untrace(&hooks[i].ops);
		hooks[i].on = false;
	}
	if (file_gone_on)
		tracepoint_probe_unregister(file_gone, on_file_gone, NULL);
	file_gone_on = false;
	tracepoint_synchronize_unregister();
}

int cache_ext_marks_on(void)
{
	int i, err;

	err = tracepoint_probe_register(file_gone, on_file_gone, NULL);
	file_gone_on = !err;
	for (i = 0; !err && i < ARRAY_SIZE(hooks); i++) {
		err = register_ftrace_function(&hooks[i].ops);
		hooks[i].on = !err;
	}
	if (err)
		cache_ext_marks_off();
	return err;
}

static void find_tracepoint(struct tracepoint *tp, void *data)
{
	if (!strcmp(tp->name, "mm_filemap_delete_from_page_cache"))
		file_gone = tp;
}

int __init cache_ext_marks_init(void)
{
	int i, err = 0;

	for_each_kernel_tracepoint(find_tracepoint, NULL);
	if (!file_gone)
		return -ENOENT;
	for (i = 0; !err && i < ARRAY_SIZE(hooks); i++)
		err = cache_ext_trace(&hooks[i].ops, hooks[i].function);
	return err;
}
