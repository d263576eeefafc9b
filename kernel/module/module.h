/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The glue on a stock kernel, as a module.
 *
 *   glue_module.c  policies of cgroups, life of the module
 *   symbols.c      functions of the kernel that it does not export
 *   prototypes.c   their prototypes, and layouts, compared with the kernel's BTF
 *   callsites.c    whether the kernel calls what is hooked
 *   hooks.c        tracepoints and ftrace: what happens to folios
 *   shrink.c       ftrace: reclaim, which asks the policy first
 *   gen.c	    the same of MGLRU
 *   reclaim.c      isolated folios, and the walk over the LRU at attach
 *   stock.h        included before every file: makes those functions
 *		    callable by their own names, so that the core is the same
 *   stock_list.h   which functions, which layouts
 *   btf_text.h     types of BTF as text
 *   btf_table.c    a program of the build: makes a table of such texts
 */
#ifndef _CACHE_EXT_MODULE_H
#define _CACHE_EXT_MODULE_H

struct ftrace_ops;
struct lruvec;
struct mem_cgroup;
struct scan_control;

/* symbols.c */
int cache_ext_symbols_init(void);
unsigned long cache_ext_symbol(const char *name);

/* prototypes.c, callsites.c: -EOPNOTSUPP after a message that says what differs */
int cache_ext_prototypes_init(void);
int cache_ext_callsites_init(void);

/* hooks.c; caller: hooks_mutex */
int cache_ext_hooks_init(void);
int cache_ext_hooks_on(void);
void cache_ext_hooks_off(void);
void cache_ext_hooks_exit(void);

/* shrink.c; caller: hooks_mutex */
int cache_ext_shrink_init(void);
int cache_ext_shrink_on(void);
void cache_ext_shrink_off(void);
void cache_ext_shrink_exit(void);

/* shrink.c, for gen.c */
unsigned long cache_ext_ask(struct lruvec *lruvec, struct scan_control *sc,
			    unsigned long want);
bool cache_ext_own_limit(struct lruvec *lruvec, struct scan_control *sc);

/* gen.c; caller: none of MGLRU's locks held */
bool cache_ext_evict_gen(struct lruvec *lruvec, struct scan_control *sc,
			 int swappiness, int *scanned);

/* glue_module.c */
bool cache_ext_governs(struct mem_cgroup *memcg);
void cache_ext_reap(void);

#endif /* _CACHE_EXT_MODULE_H */
