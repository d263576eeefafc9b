/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the module takes from the stock kernel without its leave. btf_table.c
 * looks each name up in the kernel's BTF when the module is built; prototypes.c
 * compares the result with the declarations that the compiler saw, and with the
 * BTF of the kernel that loads the module.
 */
#ifndef _CACHE_EXT_STOCK_LIST_H
#define _CACHE_EXT_STOCK_LIST_H

/* Called, though not exported. */
#define STOCK_FUNCTIONS(F)		\
	F(__count_memcg_events)		\
	F(__mod_lruvec_state)		\
	F(bpf_get_btf_vmlinux)		\
	F(btf_find_by_name_kind)	\
	F(btf_name_by_offset)		\
	F(evict_folios)			\
	F(folio_isolate_lru)		\
	F(folio_putback_lru)		\
	F(folio_referenced)		\
	F(kallsyms_lookup_name)		\
	F(kallsyms_lookup_size_offset)	\
	F(kallsyms_on_each_match_symbol) \
	F(kallsyms_on_each_symbol)	\
	F(lru_add_drain)		\
	F(lru_add_drain_all)		\
	F(lru_note_cost)		\
	F(lruvec_page_state_local)	\
	F(mem_cgroup_calculate_protection) \
	F(mem_cgroup_flush_stats)	\
	F(mem_cgroup_get_nr_swap_pages)	\
	F(mem_cgroup_iter)		\
	F(mem_cgroup_update_lru_size)	\
	F(memcg_page_state)		\
	F(move_folios_to_lru)		\
	F(obj_cgroup_charge)		\
	F(obj_cgroup_uncharge)		\
	F(shrink_folio_list)		\
	F(shrink_lruvec)		\
	F(wakeup_flusher_threads)

/*
 * Hooked, so that handlers read arguments by position; callsites.c has the
 * callers. (shrink_lruvec and evict_folios, too, which are above.)
 */
#define HOOKED_FUNCTIONS(F)						\
	F(folio_mark_accessed, void (struct folio *folio))		\
	F(mem_cgroup_css_offline, void (struct cgroup_subsys_state *css)) \
	F(mem_cgroup_migrate, void (struct folio *old, struct folio *new)) \
	F(mem_cgroup_replace_folio,					\
	  void (struct folio *old, struct folio *new))			\
	F(split_page_memcg,						\
	  void (struct page *head, int old_order, int new_order))

/* The type of a tracepoint's probe is in BTF as btf_trace_NAME. */
#define STOCK_TRACEPOINTS(F)						\
	F(btf_trace_mm_filemap_add_to_page_cache,			\
	  void (void *data, struct folio *folio))			\
	F(btf_trace_mm_filemap_delete_from_page_cache,			\
	  void (void *data, struct folio *folio))

/* Members of these are read or written, here or in inline functions. */
#define STOCK_LAYOUTS(F)	\
	F(address_space)	\
	F(bpf_prog)		\
	F(cgroup_subsys_state)	\
	F(folio)		\
	F(lru_gen_folio)	\
	F(lruvec)		\
	F(mem_cgroup)		\
	F(mem_cgroup_per_node)	\
	F(page)			\
	F(page_counter)		\
	F(pglist_data)		\
	F(reclaim_stat)		\
	F(reclaim_state)	\
	F(scan_control)		\
	F(task_struct)

#endif /* _CACHE_EXT_STOCK_LIST_H */
