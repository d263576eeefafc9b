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

#include <linux/version.h>
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0) || \
	LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#error "the cache_ext module uses internals of Linux 6.12: build it for a 6.12 kernel"
#endif

#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/kallsyms.h>
#include <linux/memcontrol.h>
#include <linux/rmap.h>
#include <linux/static_call.h>
#include <linux/swap.h>
#include <linux/vmstat.h>
#include <linux/writeback.h>
#include "stock_list.h"

struct scan_control;

/* mm/internal.h and mm/vmscan.c, as of 6.12 */
bool folio_isolate_lru(struct folio *folio);
void folio_putback_lru(struct folio *folio);
unsigned int shrink_folio_list(struct list_head *folios,
			       struct pglist_data *pgdat,
			       struct scan_control *sc,
			       struct reclaim_stat *stat,
			       bool ignore_references);
unsigned int move_folios_to_lru(struct lruvec *lruvec, struct list_head *list);
void shrink_lruvec(struct lruvec *lruvec, struct scan_control *sc);
int evict_folios(struct lruvec *lruvec, struct scan_control *sc,
		 int swappiness);

#define STOCK_DECLARE(name) DECLARE_STATIC_CALL(stock_##name, name);
STOCK_FUNCTIONS(STOCK_DECLARE)

/* Data: pointers, set with the static calls, never changed after. */
extern const struct bpf_func_proto *stock_bpf_get_current_comm_proto;
extern int *stock_vm_swappiness;

#ifndef STOCK_DEFINE
#define __count_memcg_events static_call(stock___count_memcg_events)
#define __mod_lruvec_state static_call(stock___mod_lruvec_state)
#define bpf_get_btf_vmlinux static_call(stock_bpf_get_btf_vmlinux)
#define btf_find_by_name_kind static_call(stock_btf_find_by_name_kind)
#define btf_name_by_offset static_call(stock_btf_name_by_offset)
#define folio_isolate_lru static_call(stock_folio_isolate_lru)
#define folio_putback_lru static_call(stock_folio_putback_lru)
#define folio_referenced static_call(stock_folio_referenced)
#define kallsyms_lookup_size_offset \
	static_call(stock_kallsyms_lookup_size_offset)
#define kallsyms_on_each_symbol static_call(stock_kallsyms_on_each_symbol)
#define lru_add_drain static_call(stock_lru_add_drain)
#define lru_add_drain_all static_call(stock_lru_add_drain_all)
#define lru_note_cost static_call(stock_lru_note_cost)
#define lruvec_page_state_local static_call(stock_lruvec_page_state_local)
#define mem_cgroup_calculate_protection \
	static_call(stock_mem_cgroup_calculate_protection)
#define mem_cgroup_flush_stats static_call(stock_mem_cgroup_flush_stats)
#define mem_cgroup_get_nr_swap_pages \
	static_call(stock_mem_cgroup_get_nr_swap_pages)
#define mem_cgroup_iter static_call(stock_mem_cgroup_iter)
#define mem_cgroup_update_lru_size static_call(stock_mem_cgroup_update_lru_size)
#define memcg_page_state static_call(stock_memcg_page_state)
#define move_folios_to_lru static_call(stock_move_folios_to_lru)
#define obj_cgroup_charge static_call(stock_obj_cgroup_charge)
#define obj_cgroup_uncharge static_call(stock_obj_cgroup_uncharge)
#define shrink_folio_list static_call(stock_shrink_folio_list)
#define shrink_lruvec static_call(stock_shrink_lruvec)
#define wakeup_flusher_threads static_call(stock_wakeup_flusher_threads)

#define bpf_get_current_comm_proto (*stock_bpf_get_current_comm_proto)
#define vm_swappiness (*stock_vm_swappiness)
#endif

#endif /* _CACHE_EXT_STOCK_H */
