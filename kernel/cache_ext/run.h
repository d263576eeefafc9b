/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Running the programs of events: without the trampoline of struct_ops, where
 * the kernel tells which program is behind it, and with a hint for kfuncs.
 *
 * These programs do not sleep, and run with RCU and preemption off. They get
 * their arguments as the trampoline would give them: an array of u64. What else
 * the trampoline does (a run context) is for helpers that they do not get.
 */
#ifndef _MM_CACHE_EXT_RUN_H
#define _MM_CACHE_EXT_RUN_H

#include <linux/filter.h>
#include "cache_ext.h"

/*
 * May iterators set the hint for what follows? An evict program runs long, so
 * preemption stays as it is: only where RCU readers cannot be preempted.
 */
#define ITERATORS_HINT (!IS_ENABLED(CONFIG_PREEMPT_RCU))

static __always_inline void hint_set(struct cache_ext_node *node)
{
	this_cpu_write(cache_ext_hint, node);
}

static __always_inline void hint_begin(struct cache_ext_node *node)
{
	preempt_disable();
	hint_set(node);
}

/* A program that this one interrupted searches from now on. */
static __always_inline void hint_end(void)
{
	hint_set(&cache_ext_no_node);
	preempt_enable();
}

static __always_inline void
cache_ext_run_prog(const struct bpf_prog *prog, struct cache_ext_policy *p,
		   struct cache_ext_node *node, struct folio *folio)
{
	u64 args[] = { (unsigned long)folio, (unsigned long)p->memcg };

	hint_begin(node);
	cache_ext_timed(p, bpf_prog_run(prog, args));
	hint_end();
}

/* Through the trampoline. */
static __maybe_unused noinline void
cache_ext_call(void (*fn)(struct folio *folio, struct mem_cgroup *memcg),
	       struct cache_ext_policy *p, struct cache_ext_node *node,
	       struct folio *folio)
{
	hint_begin(node);
	cache_ext_timed(p, fn(folio, p->memcg));
	hint_end();
}

/* A member of cache_ext_ops, by number and name, with (folio, memcg), if set. */
#define cache_ext_run(p, nr, name, node, folio) do {			\
	const struct bpf_prog *__prog = (p)->progs[nr];			\
									\
	if (likely(__prog))						\
		cache_ext_run_prog(__prog, p, node, folio);		\
	else if ((p)->ops->name)					\
		cache_ext_call((p)->ops->name, p, node, folio);		\
} while (0)

#endif /* _MM_CACHE_EXT_RUN_H */
