/* SPDX-License-Identifier: GPL-2.0 */
/* Made from compiler/contract.toml by scripts/contract.py. For kfuncs.c. */
#ifndef _MM_CACHE_EXT_KFUNC_SETS_H
#define _MM_CACHE_EXT_KFUNC_SETS_H

/* All of them, as BPF is told. */
BTF_KFUNCS_START(cache_ext_kfuncs)
BTF_ID_FLAGS(func, bpf_cache_ext_list_add, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_cache_ext_list_add_tail, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_cache_ext_list_move, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_cache_ext_list_del, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_cache_ext_evict, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_cache_ext_offer, KF_TRUSTED_ARGS)
#ifdef CONFIG_CACHE_EXT_SELECT
BTF_ID_FLAGS(func, bpf_cache_ext_select, KF_TRUSTED_ARGS)
#endif
BTF_ID_FLAGS(func, bpf_cache_ext_take_offers, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_cache_ext_folio_data, KF_TRUSTED_ARGS | KF_RET_NULL)
BTF_ID_FLAGS(func, bpf_cache_ext_folio_list, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_cache_ext_folio_executable, KF_TRUSTED_ARGS)
#ifdef CONFIG_CACHE_EXT_PIN
BTF_ID_FLAGS(func, bpf_cache_ext_pin, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_cache_ext_unpin, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_cache_ext_folio_pinned, KF_TRUSTED_ARGS)
#endif
BTF_ID_FLAGS(func, bpf_cache_ext_list_size, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_cache_ext_size, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_cache_ext_capacity, KF_TRUSTED_ARGS)
#ifdef CONFIG_CACHE_EXT_TICK
BTF_ID_FLAGS(func, bpf_cache_ext_tick, KF_TRUSTED_ARGS)
#endif
#ifdef CONFIG_CACHE_EXT_RECLAIM
BTF_ID_FLAGS(func, bpf_cache_ext_gone, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_cache_ext_reclaim, KF_TRUSTED_ARGS)
#endif
BTF_ID_FLAGS(func, bpf_cache_ext_error, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_iter_cache_ext_list_new, KF_ITER_NEW | KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_iter_cache_ext_list_next, KF_ITER_NEXT | KF_RET_NULL)
BTF_ID_FLAGS(func, bpf_iter_cache_ext_list_destroy, KF_ITER_DESTROY)
BTF_ID_FLAGS(func, bpf_iter_cache_ext_scan_new, KF_ITER_NEW | KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_iter_cache_ext_scan_next, KF_ITER_NEXT | KF_RET_NULL)
BTF_ID_FLAGS(func, bpf_iter_cache_ext_scan_destroy, KF_ITER_DESTROY)
BTF_KFUNCS_END(cache_ext_kfuncs)

/*
 * A module's .BTF_ids has no alignment of its own, but what looks a set up loads
 * words from it, which arm64 encodes with an offset in words.
 */
asm(".pushsection .BTF_ids, \"a\"; .balign 4; .popsection");

BTF_SET_START(cache_ext_kfuncs_0)
BTF_ID(func, bpf_cache_ext_list_add)
BTF_ID(func, bpf_cache_ext_list_add_tail)
BTF_SET_END(cache_ext_kfuncs_0)

BTF_SET_START(cache_ext_kfuncs_1)
BTF_ID(func, bpf_cache_ext_evict)
BTF_ID(func, bpf_cache_ext_offer)
#ifdef CONFIG_CACHE_EXT_SELECT
BTF_ID(func, bpf_cache_ext_select)
#endif
BTF_ID(func, bpf_cache_ext_take_offers)
BTF_ID(func, bpf_iter_cache_ext_list_new)
BTF_ID(func, bpf_iter_cache_ext_list_next)
BTF_ID(func, bpf_iter_cache_ext_list_destroy)
BTF_SET_END(cache_ext_kfuncs_1)

BTF_SET_START(cache_ext_kfuncs_2)
BTF_ID(func, bpf_cache_ext_folio_executable)
#ifdef CONFIG_CACHE_EXT_PIN
BTF_ID(func, bpf_cache_ext_pin)
BTF_ID(func, bpf_cache_ext_unpin)
BTF_ID(func, bpf_cache_ext_folio_pinned)
#endif
BTF_ID(func, bpf_iter_cache_ext_scan_new)
BTF_ID(func, bpf_iter_cache_ext_scan_next)
BTF_ID(func, bpf_iter_cache_ext_scan_destroy)
BTF_SET_END(cache_ext_kfuncs_2)

BTF_SET_START(cache_ext_kfuncs_3)
#ifdef CONFIG_CACHE_EXT_TICK
BTF_ID(func, bpf_cache_ext_tick)
#endif
BTF_ID(func, bpf_cache_ext_error)
BTF_SET_END(cache_ext_kfuncs_3)

BTF_SET_START(cache_ext_kfuncs_4)
#ifdef CONFIG_CACHE_EXT_RECLAIM
BTF_ID(func, bpf_cache_ext_gone)
BTF_ID(func, bpf_cache_ext_reclaim)
#endif
BTF_SET_END(cache_ext_kfuncs_4)

/* Bits of enum cache_ext_member: whose programs may call it. */
static u32 cache_ext_kfunc_members(u32 id)
{
	if (btf_id_set_contains(&cache_ext_kfuncs_0, id))
		return 1U << CACHE_EXT_ADDED;
	if (btf_id_set_contains(&cache_ext_kfuncs_1, id))
		return 1U << CACHE_EXT_EVICT;
	if (btf_id_set_contains(&cache_ext_kfuncs_2, id))
		return 1U << CACHE_EXT_ADDED |
		       1U << CACHE_EXT_ACCESSED |
		       1U << CACHE_EXT_GONE |
		       1U << CACHE_EXT_REMOVED |
		       1U << CACHE_EXT_EVICT |
		       1U << CACHE_EXT_TICK;
	if (btf_id_set_contains(&cache_ext_kfuncs_3, id))
		return 1U << CACHE_EXT_ADDED |
		       1U << CACHE_EXT_ACCESSED |
		       1U << CACHE_EXT_GONE |
		       1U << CACHE_EXT_REMOVED |
		       1U << CACHE_EXT_EVICT |
		       1U << CACHE_EXT_TICK |
		       1U << CACHE_EXT_ADMIT;
	if (btf_id_set_contains(&cache_ext_kfuncs_4, id))
		return 1U << CACHE_EXT_ADDED |
		       1U << CACHE_EXT_ACCESSED |
		       1U << CACHE_EXT_TICK;
	return ~0U;
}

#endif
