/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the module takes from the stock kernel without its leave. btf_table.c
 * looks each name up in the kernel's BTF when the module is built; prototypes.c
 * compares the result with the declarations that the compiler saw, and with the
 * BTF of the kernel that loads the module.
 */
#ifndef _CACHE_EXT_STOCK_LIST_H
#define _CACHE_EXT_STOCK_LIST_H

#include "compat/found.h" /* made by compat/probe */
#include "compat/counters.h"
#include "compat/folio.h"
#include "compat/reclaim.h"

/* Called, though not exported; some by prefetching only. */
#ifdef CONFIG_PREFETCH_EXT
#define STOCK_PREFETCH_FUNCTIONS(F)	\
	F(__mpol_put)			\
	F(__read_swap_cache_async)	\
	F(__swap_count)			\
	F(__swap_read_unplug)		\
	F(add_to_swap)			\
	F(blk_cgroup_congested)		\
	F(can_split_folio)		\
	F(do_dentry_open)		\
	F(do_swap_page)			\
	F(get_swap_device)		\
	F(get_vma_policy)		\
	F(locks_remove_file)		\
	F(lookup_swap_cgroup_id)	\
	F(mapping_evict_folio)		\
	F(mem_cgroup_from_id)		\
	F(swap_read_folio)		\
	F(swapin_readahead)		\
	F(swp_swap_info)
#else
#define STOCK_PREFETCH_FUNCTIONS(F)
#endif
#define STOCK_FUNCTIONS(F)		\
	F(__pte_offset_map)		\
	F(bpf_get_btf_vmlinux)		\
	F(bpf_struct_ops_get)		\
	F(bpf_struct_ops_put)		\
	F(btf_find_by_name_kind)	\
	F(btf_name_by_offset)		\
	F(evict_folios)			\
	F(folio_isolate_lru)		\
	F(folio_lock_anon_vma_read)	\
	F(folio_putback_lru)		\
	F(folio_referenced)		\
	F(kallsyms_lookup_name)		\
	F(kallsyms_lookup_size_offset)	\
	F(kallsyms_on_each_match_symbol)	\
	F(kallsyms_on_each_symbol)	\
	F(lru_add_drain)		\
	F(lru_add_drain_all)		\
	F(lruvec_page_state_local)	\
	F(mem_cgroup_calculate_protection)	\
	F(mem_cgroup_flush_stats)	\
	F(mem_cgroup_get_nr_swap_pages)	\
	F(mem_cgroup_iter)		\
	F(mem_cgroup_update_lru_size)	\
	F(memcg_page_state)		\
	F(mm_find_pmd)			\
	F(move_folios_to_lru)		\
	F(obj_cgroup_charge)		\
	F(obj_cgroup_uncharge)		\
	F(page_vma_mapped_walk)		\
	F(rmap_walk)			\
	F(shrink_folio_list)		\
	F(shrink_lruvec)		\
	F(vma_interval_tree_iter_first)	\
	F(vma_interval_tree_iter_next)	\
	F(wakeup_flusher_threads)	\
	STOCK_COUNTERS(F)		\
	STOCK_RECLAIM(F)		\
	STOCK_PREFETCH_FUNCTIONS(F)

/*
 * Hooked, so that handlers read arguments by position; callsites.c has the
 * callers. (shrink_lruvec and evict_folios, too, which are above.)
 */
#ifdef CONFIG_PREFETCH_EXT
#define PREFETCH_HOOKED_FUNCTIONS(F)					\
	F(__delete_from_swap_cache,					\
	  void (struct folio *folio, swp_entry_t entry, void *shadow))	\
	F(filemap_read,							\
	  ssize_t (struct kiocb *iocb, struct iov_iter *to,		\
	  ssize_t already_read))					\
	F(filemap_splice_read,						\
	  ssize_t (struct file *in, loff_t *ppos,			\
	  struct pipe_inode_info *pipe, size_t len,			\
	  unsigned int flags))						\
	F(generic_perform_write,					\
	  ssize_t (struct kiocb *iocb, struct iov_iter *from))		\
	F(iomap_file_buffered_write,					\
	  ssize_t (struct kiocb *iocb, struct iov_iter *from,		\
	  const struct iomap_ops *ops, void *private))			\
	F(page_cache_async_ra,						\
	  void (struct readahead_control *ractl, struct folio *folio,	\
	  unsigned long req_count))					\
	F(page_cache_sync_ra,						\
	  void (struct readahead_control *ractl, unsigned long req_count))	\
	F(set_pte_range,						\
	  void (struct vm_fault *vmf, struct folio *folio,		\
	  struct page *page, unsigned int nr, unsigned long addr))	\
	F(swap_cache_get_folio,						\
	  struct folio *(swp_entry_t entry,				\
	  struct vm_area_struct *vma, unsigned long addr))
#else
#define PREFETCH_HOOKED_FUNCTIONS(F)
#endif
#define HOOKED_FUNCTIONS(F)						\
	F(folio_mark_accessed, void (struct folio *folio))		\
	F(mem_cgroup_css_offline, void (struct cgroup_subsys_state *css))	\
	F(mem_cgroup_migrate, void (struct folio *old, struct folio *new))	\
	F(mem_cgroup_replace_folio,					\
	  void (struct folio *old, struct folio *new))			\
	STOCK_SPLIT(F) PREFETCH_HOOKED_FUNCTIONS(F)

/* The type of a tracepoint's probe is in BTF as btf_trace_NAME. */
#define STOCK_TRACEPOINTS(F)						\
	F(btf_trace_mm_filemap_add_to_page_cache,			\
	  void (void *data, struct folio *folio))			\
	F(btf_trace_mm_filemap_delete_from_page_cache,			\
	  void (void *data, struct folio *folio))

/* Members of these are read or written, here or in inline functions. */
#define STOCK_LAYOUTS(F)	\
	F(address_space)	\
	F(backing_dev_info)	\
	F(bpf_prog)		\
	F(cgroup)		\
	F(cgroup_subsys_state)	\
	F(file)			\
	F(file_ra_state)	\
	F(folio)		\
	F(inode)		\
	F(iov_iter)		\
	F(kernfs_node)		\
	F(kiocb)		\
	F(lru_gen_folio)	\
	F(lruvec)		\
	F(mem_cgroup)		\
	F(mem_cgroup_per_node)	\
	F(mempolicy)		\
	F(mm_struct)		\
	F(page)			\
	F(page_counter)		\
	F(path)			\
	F(pglist_data)		\
	F(pipe_inode_info)	\
	F(readahead_control)	\
	F(reclaim_stat)		\
	F(reclaim_state)	\
	F(scan_control)		\
	F(super_block)		\
	F(swap_info_struct)	\
	F(task_struct)		\
	F(vm_area_struct)	\
	F(vm_fault)		\
	F(writeback_control)

#endif /* _CACHE_EXT_STOCK_LIST_H */
