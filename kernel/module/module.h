/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The glue on a stock kernel, as a module. Calls between files make no cycle.
 *
 *   glue_module.c  hooks on and off, life of the module
 *   use.c	    users of the module
 *   policies.c	    which cgroups a policy governs
 *   changes.c	    around a change of that
 *   symbols.c      functions of the kernel that it does not export
 *   prototypes.c   their prototypes, and layouts, compared with the kernel's BTF
 *   callsites.c    whether the kernel calls what is hooked
 *   hooks.c        tracepoints and ftrace: what happens to folios
 *   shrink.c       ftrace: reclaim, which asks the policy first
 *   gen.c	    the same of MGLRU
 *   evict_lruvec.c what both ask a policy for
 *   pin_hook.c     ftrace: the kernel's own scan passes pinned folios by
 *   reclaim.c      isolated folios, and the walk over the LRU at attach
 *   prefetch.c     hooks of prefetching, which have nothing to do with the others
 *   prefetch_find.c
 *		    whom a prefetching policy governs
 *   prefetch_files.c
 *		    what the kernel would read ahead of a file
 *   prefetch_marks.c
 *		    pages that are used, or go
 *   prefetch_ranges.c
 *		    opened files, and ranges that are read or written
 *   kfunc_both.c   kfuncs of both cores made known to BPF
 *   kfunc_ids.c    their ids as the cores know them
 *   redirect.c     functions of ours in place of the kernel's, for whom a policy governs
 *   swap_out_hook.c
 *		    anonymous folios that are about to be swapped out
 *   trace.c	    hooks by ftrace: set and taken off
 *   governed.c     whether any policy governs a folio's cgroup: the last answer
 *   stock.h        included before every file: makes those functions
 *		    callable by their own names, so that the core is the same
 *   stock_list.h   which functions, which layouts
 *   compat/        what kernels differ in, a file for each subject; tests/ and probe
 *		    tell at build which of them this one is
 *   btf_text.h     types of BTF as text
 *   btf_table.c    a program of the build: makes a table of such texts
 *   btf_declare.c  another one: declares some functions for compat/tests
 */
#ifndef _CACHE_EXT_MODULE_H
#define _CACHE_EXT_MODULE_H

struct btf;
struct folio;
struct ftrace_ops;
struct lruvec;
struct readahead_control;
struct scan_control;

/* symbols.c */
int cache_ext_symbols_init(void);
unsigned long cache_ext_symbol(const char *name);

/* prototypes.c, callsites.c: -EOPNOTSUPP after a message that says what differs */
int cache_ext_prototypes_init(void);
int cache_ext_callsites_init(void);

/* kfunc_ids.c */
u32 cache_ext_built_kfunc_id(const struct btf *btf, u32 id);

/* hooks.c; caller: hooks_mutex */
int cache_ext_hooks_init(void);
int cache_ext_hooks_on(void);
void cache_ext_hooks_off(void);
void cache_ext_hooks_exit(void);

/* shrink.c; caller: hooks_mutex */
int cache_ext_shrink_init(void);
int cache_ext_shrink_on(void);
void cache_ext_shrink_off(void);

/* shrink.c, for swap_out_hook.c */
int cache_ext_priority(const struct scan_control *sc);

/* gen.c; caller: none of MGLRU's locks held */
bool cache_ext_evict_gen(unsigned long nr, struct lruvec *lruvec,
			 struct scan_control *sc, int swappiness, int *scanned);

/* trace.c; the second's caller may wait */
int cache_ext_trace(struct ftrace_ops *ops, const char *name);
void cache_ext_untrace(struct ftrace_ops *ops);

/* prefetch_marks.c; caller of the last two: hooks_mutex */
int cache_ext_marks_init(void);
int cache_ext_marks_on(void);
void cache_ext_marks_off(void);

/* prefetch_ranges.c; caller of the last two: hooks_mutex */
int cache_ext_ranges_init(void);
int cache_ext_ranges_on(void);
void cache_ext_ranges_off(void);

/* swap_out_hook.c; caller of the last two: hooks_mutex */
int cache_ext_swap_out_init(void);
int cache_ext_swap_out_on(void);
void cache_ext_swap_out_off(void);

/* pin_hook.c */
int cache_ext_pin_init(void);

/* prefetch.c, prefetch_files.c */
int cache_ext_prefetch_init(void);
void cache_ext_prefetch_exit(void);
bool cache_ext_prefetch_sync(struct readahead_control *ractl,
			     unsigned long wanted);
bool cache_ext_prefetch_async(struct readahead_control *ractl,
			      struct folio *folio, unsigned long wanted);

#endif /* _CACHE_EXT_MODULE_H */
