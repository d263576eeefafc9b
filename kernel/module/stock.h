/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Comes before every source file of the module (-include).
 *
 * The core and the glue call some functions that the stock kernel has but does
 * not export. Here each of their names becomes a static call of the same type,
 * which symbols.c points at the function before anything runs. A static
 * call is a direct call: it needs no ENDBR at its target (IBT) and costs what
 * the call costs in a patched kernel.
 *
 * The headers that declare the functions are included first, so that the names
 * below replace uses and not declarations. To add one: stock_list.h and a
 * #define.
 */
#ifndef _CACHE_EXT_STOCK_H
#define _CACHE_EXT_STOCK_H

#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/blk-cgroup.h>
#include <linux/kallsyms.h>
#include <linux/filelock.h>
#include <linux/fs.h>
#include <linux/huge_mm.h>
#include <linux/iomap.h>
#include <linux/memcontrol.h>
#include <linux/mempolicy.h>
#include <linux/pagemap.h>
#include <linux/pipe_fs_i.h>
#include <linux/rmap.h>
#include <linux/static_call.h>
#include <linux/swap.h>
#include <linux/swapops.h>
/*
 * For all files, though few use it: where pahole does not find the kernel's own struct
 * folio to be the same as ours, files that see all of userfaultfd_ctx get another struct
 * folio in the module's BTF than files that do not. Then the verifier takes a program's
 * folio for none of those that our kfuncs want.
 */
#include <linux/userfaultfd_k.h>
#include <linux/vmstat.h>
#include <linux/writeback.h>
#ifdef CONFIG_PREFETCH_EXT
#include <linux/swap_cgroup.h>
#endif

struct scan_control;

#include "stock_list.h"
#include "compat/bpf.h"
#include "compat/charge.h"

/* mm/internal.h and mm/vmscan.c; more in compat/reclaim.h */
bool folio_isolate_lru(struct folio *folio);
void folio_putback_lru(struct folio *folio);
void shrink_lruvec(struct lruvec *lruvec, struct scan_control *sc);

/* mm/internal.h */
pmd_t *mm_find_pmd(struct mm_struct *mm, unsigned long address);

#ifdef CONFIG_PREFETCH_EXT
/* mm/internal.h and fs/open.c, as of 6.12 */
long mapping_evict_folio(struct address_space *mapping, struct folio *folio);
int do_dentry_open(struct file *f,
		   int (*open)(struct inode *inode, struct file *file));

/* mm/internal.h and mm/swap.h, as of 6.12 */
struct swap_iocb;
vm_fault_t do_swap_page(struct vm_fault *vmf);
bool add_to_swap(struct folio *folio);
struct folio *swapin_readahead(swp_entry_t entry, gfp_t flag,
			       struct vm_fault *vmf);
struct folio *__read_swap_cache_async(swp_entry_t entry, gfp_t gfp_flags,
				      struct mempolicy *mpol, pgoff_t ilx,
				      bool *new_page_allocated,
				      bool skip_if_exists);
void swap_read_folio(struct folio *folio, struct swap_iocb **plug);
void __swap_read_unplug(struct swap_iocb *plug);
#endif

#define STOCK_DECLARE(name) DECLARE_STATIC_CALL(stock_##name, name);
STOCK_FUNCTIONS(STOCK_DECLARE)

/* Data: pointers, set with the static calls, never changed after. */
extern const struct bpf_func_proto *stock_bpf_get_current_comm_proto;
extern int *stock_vm_swappiness;
#ifdef CONFIG_PREFETCH_EXT
extern int *stock_page_cluster;
extern struct address_space **stock_swapper_spaces;
#endif

#ifndef STOCK_DEFINE
#define __pte_offset_map static_call(stock___pte_offset_map)
#define bpf_get_btf_vmlinux static_call(stock_bpf_get_btf_vmlinux)
#define bpf_struct_ops_get static_call(stock_bpf_struct_ops_get)
#define bpf_struct_ops_put static_call(stock_bpf_struct_ops_put)
#define btf_find_by_name_kind static_call(stock_btf_find_by_name_kind)
#define btf_name_by_offset static_call(stock_btf_name_by_offset)
#define folio_isolate_lru static_call(stock_folio_isolate_lru)
#define folio_lock_anon_vma_read static_call(stock_folio_lock_anon_vma_read)
#define folio_putback_lru static_call(stock_folio_putback_lru)
#define folio_referenced static_call(stock_folio_referenced)
#define kallsyms_lookup_size_offset \
	static_call(stock_kallsyms_lookup_size_offset)
#define kallsyms_on_each_symbol static_call(stock_kallsyms_on_each_symbol)
#define lru_add_drain static_call(stock_lru_add_drain)
#define lru_add_drain_all static_call(stock_lru_add_drain_all)
#define lruvec_page_state_local static_call(stock_lruvec_page_state_local)
#define mem_cgroup_calculate_protection \
	static_call(stock_mem_cgroup_calculate_protection)
#define mem_cgroup_flush_stats static_call(stock_mem_cgroup_flush_stats)
#define mem_cgroup_get_nr_swap_pages \
	static_call(stock_mem_cgroup_get_nr_swap_pages)
#define mem_cgroup_iter static_call(stock_mem_cgroup_iter)
#define mem_cgroup_update_lru_size static_call(stock_mem_cgroup_update_lru_size)
#define memcg_page_state static_call(stock_memcg_page_state)
#define mm_find_pmd static_call(stock_mm_find_pmd)
#define move_folios_to_lru static_call(stock_move_folios_to_lru)
#define obj_cgroup_charge static_call(stock_obj_cgroup_charge)
#define obj_cgroup_uncharge static_call(stock_obj_cgroup_uncharge)
/* Not the struct of that name. */
#define page_vma_mapped_walk(walk) static_call(stock_page_vma_mapped_walk)(walk)
#define rmap_walk static_call(stock_rmap_walk)
#define shrink_folio_list static_call(stock_shrink_folio_list)
#define shrink_lruvec static_call(stock_shrink_lruvec)
#define vma_interval_tree_iter_first \
	static_call(stock_vma_interval_tree_iter_first)
#define vma_interval_tree_iter_next static_call(stock_vma_interval_tree_iter_next)
#define wakeup_flusher_threads static_call(stock_wakeup_flusher_threads)

#define bpf_get_current_comm_proto (*stock_bpf_get_current_comm_proto)
#define vm_swappiness (*stock_vm_swappiness)

/* Inline functions of the kernel's headers, which call what is above. */
#define pte_offset_map(pmd, addr) __pte_offset_map(pmd, addr, NULL)

#ifdef CONFIG_PREFETCH_EXT
#define __mpol_put static_call(stock___mpol_put)
#define __read_swap_cache_async static_call(stock___read_swap_cache_async)
#define __swap_count static_call(stock___swap_count)
#define __swap_read_unplug static_call(stock___swap_read_unplug)
#define add_to_swap static_call(stock_add_to_swap)
#define blk_cgroup_congested static_call(stock_blk_cgroup_congested)
#define can_split_folio static_call(stock_can_split_folio)
#define do_dentry_open static_call(stock_do_dentry_open)
#define do_swap_page static_call(stock_do_swap_page)
#define get_swap_device static_call(stock_get_swap_device)
#define get_vma_policy static_call(stock_get_vma_policy)
#define locks_remove_file static_call(stock_locks_remove_file)
#define lookup_swap_cgroup_id static_call(stock_lookup_swap_cgroup_id)
#define mapping_evict_folio static_call(stock_mapping_evict_folio)
#define mem_cgroup_from_id static_call(stock_mem_cgroup_from_id)
#define swap_read_folio static_call(stock_swap_read_folio)
#define swapin_readahead static_call(stock_swapin_readahead)
#define swp_swap_info static_call(stock_swp_swap_info)
#define page_cluster (*stock_page_cluster)
#define swapper_spaces stock_swapper_spaces

/* mm/swap.h, as of 6.12: the swap cache is in parts of 64 MiB of the device. */
#define STOCK_SWAP_SHIFT	14
#define swap_address_space(entry) \
	(&swapper_spaces[swp_type(entry)][swp_offset(entry) >> STOCK_SWAP_SHIFT])
#define swap_cache_index(entry) \
	(swp_offset(entry) & ((1UL << STOCK_SWAP_SHIFT) - 1))

static inline void swap_read_unplug(struct swap_iocb *plug)
{
	if (unlikely(plug))
		__swap_read_unplug(plug);
}
#endif

#define STOCK_CALLS
#include "compat/counters.h"
#include "compat/reclaim.h"
#endif

#endif /* _CACHE_EXT_STOCK_H */
