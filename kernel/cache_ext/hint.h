/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whose program runs here, and which node its kfuncs look at first: see
 * cache_ext_hint in index.h. Set around all programs.
 */
#ifndef _MM_CACHE_EXT_HINT_H
#define _MM_CACHE_EXT_HINT_H

#include <linux/percpu.h>
#include <linux/preempt.h>
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

static __always_inline void hint_end(void)
{
	hint_set(&cache_ext_no_node);
	preempt_enable();
}

#endif /* _MM_CACHE_EXT_HINT_H */
