// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of the kernel in whose place one of ours is called, for whom a policy governs.
 * For all others they are left alone: their callers neither take our way around them, nor
 * hold the module, whose counter all CPUs share.
 *
 * A task without a policy pays for ftrace's trampoline and for this handler, so the
 * handler calls nothing. Its answer may be stale, or name a policy that is ending: the
 * replacement asks again, under RCU, and calls the kernel's function if none governs.
 */
#include <linux/ftrace.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include "module.h"
#include "redirect.h"
#include "use.h"
#include "governed.h"

/* NULL: of none. Caller: preemption is off, which is a read side of RCU. */
static __always_inline struct mem_cgroup *memcg_of(struct ftrace_regs *fregs,
						   enum cache_ext_subject subject)
{
	unsigned int nr = subject == CACHE_EXT_FAULT_3RD ? 2 : 0;
	void *argument = (void *)ftrace_regs_get_argument(fregs, nr);
	struct task_struct *task = current;
	struct vm_fault *vmf = argument;

	if (subject == CACHE_EXT_FOLIO)
		return folio_memcg(argument);
	if (subject != CACHE_EXT_CURRENT)
		task = rcu_dereference_sched(vmf->vma->vm_mm->owner);
	if (!task)
		return NULL;
	return mem_cgroup_from_css(task_css(task, memory_cgrp_id));
}

static __always_inline bool governs(struct ftrace_regs *fregs,
				    enum cache_ext_subject subject)
{
	enum cache_ext_lookup lookup = subject == CACHE_EXT_FOLIO ?
		CACHE_EXT_LOOKUP_PREFETCHING : CACHE_EXT_LOOKUP_PREFETCHED_TASK;
	struct mem_cgroup *memcg;
	bool ret;

	preempt_disable_notrace();
	memcg = memcg_of(fregs, subject);
	ret = memcg && !cache_ext_ungoverned(lookup, memcg);
	preempt_enable_notrace();
	return ret;
}

/* Entry of the kernel's functions. When we call them ourselves, they go on. */
void cache_ext_redirect(const struct cache_ext_redirected *to, unsigned int nr,
			unsigned long ip, unsigned long parent_ip,
			struct ftrace_regs *fregs)
{
	const struct cache_ext_redirected *end = to + nr;

	while (ip - to->address >= 16)
		if (++to == end)
			return;
	if (!governs(fregs, to->subject) || cache_ext_calls(parent_ip))
		return;
	cache_ext_enter();
	ftrace_regs_set_instruction_pointer(fregs, (unsigned long)to->instead);
}

int __init cache_ext_redirect_init(struct ftrace_ops *ops,
				   struct cache_ext_redirected *from,
				   unsigned int nr)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < nr; i++) {
		from[i].address = cache_ext_symbol(from[i].name);
		err = cache_ext_trace(ops, from[i].name);
	}
	return err;
}
