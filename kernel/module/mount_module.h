/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The mount on a stock kernel, as a module.
 *
 *   mount_module.c   policies of cgroups, life of the module
 *   mount_symbols.c  functions of the kernel that it does not export
 *   mount_hooks.c    tracepoints and ftrace: what happens to folios
 *   mount_shrink.c   ftrace: reclaim, which asks the policy first
 *   mount_reclaim.c  isolated folios, and the walk over the LRU at attach
 *   stock.h          included before every file: makes those functions
 *		      callable by their own names, so that the core is the same
 */
#ifndef _CACHE_EXT_MOUNT_MODULE_H
#define _CACHE_EXT_MOUNT_MODULE_H

struct ftrace_ops;
struct lruvec;
struct mem_cgroup;
struct scan_control;

/* mount_symbols.c */
int cache_ext_symbols_init(void);
unsigned long cache_ext_symbol(const char *name);

/* mount_hooks.c; caller: hooks_mutex */
int cache_ext_hooks_init(void);
int cache_ext_hooks_on(void);
void cache_ext_hooks_off(void);
void cache_ext_hooks_exit(void);

/* mount_shrink.c; caller: hooks_mutex */
int cache_ext_shrink_init(void);
int cache_ext_shrink_on(void);
void cache_ext_shrink_off(void);
void cache_ext_shrink_exit(void);

/* mount_module.c */
bool cache_ext_governs(struct mem_cgroup *memcg);
void cache_ext_reap(void);

#endif /* _CACHE_EXT_MOUNT_MODULE_H */
