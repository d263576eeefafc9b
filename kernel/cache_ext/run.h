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

static __always_inline void hint_set(struct folio *folio,
				     struct cache_ext_node *node)
{
	this_cpu_write(cache_ext_hint.folio, folio);
	this_cpu_write(cache_ext_hint.node, node);
}

static __always_inline struct cache_ext_hint
hint_begin(struct folio *folio, struct cache_ext_node *node)
{
	struct cache_ext_hint outer;

	preempt_disable();
	outer.folio = this_cpu_read(cache_ext_hint.folio);
	outer.node = this_cpu_read(cache_ext_hint.node);
	hint_set(folio, node);
	return outer;
}

static __always_inline void hint_end(struct cache_ext_hint outer)
{
	hint_set(outer.folio, outer.node);
	preempt_enable();
}

/* @fn, which is @prog if that is not NULL, with (folio, memcg). May be NULL. */
static __always_inline void
cache_ext_run(const struct bpf_prog *prog,
	      void (*fn)(struct folio *folio, struct mem_cgroup *memcg),
	      struct cache_ext_policy *p, struct cache_ext_node *node,
	      struct folio *folio)
{
	struct cache_ext_hint outer;

	if (likely(prog)) {
		u64 args[] = { (unsigned long)folio, (unsigned long)p->memcg };

		outer = hint_begin(folio, node);
		cache_ext_timed(p, bpf_prog_run(prog, args));
		hint_end(outer);
	} else if (fn) {
		outer = hint_begin(folio, node);
		cache_ext_timed(p, fn(folio, p->memcg));
		hint_end(outer);
	}
}

#endif /* _MM_CACHE_EXT_RUN_H */
