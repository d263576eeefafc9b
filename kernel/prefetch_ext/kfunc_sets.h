/* SPDX-License-Identifier: GPL-2.0 */
/* Made from compiler/contract.toml by scripts/contract.py. For kfuncs.c. */
#ifndef _MM_PREFETCH_EXT_KFUNC_SETS_H
#define _MM_PREFETCH_EXT_KFUNC_SETS_H

/* All of them, as BPF is told. */
BTF_KFUNCS_START(prefetch_ext_kfuncs)
BTF_ID_FLAGS(func, bpf_prefetch_ext_slot, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_prefetch_ext_page, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_prefetch_ext_default, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_prefetch_ext_file, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_prefetch_ext_default_file, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_prefetch_ext_window, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_prefetch_ext_leave, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_prefetch_ext_drop, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_prefetch_ext_flush, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_prefetch_ext_keep, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_prefetch_ext_error, KF_TRUSTED_ARGS)
BTF_KFUNCS_END(prefetch_ext_kfuncs)

/*
 * A module's .BTF_ids has no alignment of its own, but what looks a set up loads
 * words from it, which arm64 encodes with an offset in words.
 */
asm(".pushsection .BTF_ids, \"a\"; .balign 4; .popsection");

BTF_SET_START(prefetch_ext_kfuncs_0)
BTF_ID(func, bpf_prefetch_ext_slot)
BTF_ID(func, bpf_prefetch_ext_page)
BTF_ID(func, bpf_prefetch_ext_default)
BTF_SET_END(prefetch_ext_kfuncs_0)

BTF_SET_START(prefetch_ext_kfuncs_1)
BTF_ID(func, bpf_prefetch_ext_file)
BTF_ID(func, bpf_prefetch_ext_default_file)
BTF_SET_END(prefetch_ext_kfuncs_1)

BTF_SET_START(prefetch_ext_kfuncs_2)
BTF_ID(func, bpf_prefetch_ext_window)
BTF_SET_END(prefetch_ext_kfuncs_2)

BTF_SET_START(prefetch_ext_kfuncs_3)
BTF_ID(func, bpf_prefetch_ext_leave)
BTF_SET_END(prefetch_ext_kfuncs_3)

BTF_SET_START(prefetch_ext_kfuncs_4)
BTF_ID(func, bpf_prefetch_ext_drop)
BTF_SET_END(prefetch_ext_kfuncs_4)

BTF_SET_START(prefetch_ext_kfuncs_5)
BTF_ID(func, bpf_prefetch_ext_flush)
BTF_SET_END(prefetch_ext_kfuncs_5)

BTF_SET_START(prefetch_ext_kfuncs_6)
BTF_ID(func, bpf_prefetch_ext_keep)
BTF_SET_END(prefetch_ext_kfuncs_6)

BTF_SET_START(prefetch_ext_kfuncs_7)
BTF_ID(func, bpf_prefetch_ext_error)
BTF_SET_END(prefetch_ext_kfuncs_7)

/* Bits of enum prefetch_ext_member: whose programs may call it. */
static u32 prefetch_ext_kfunc_members(u32 id)
{
	if (btf_id_set_contains(&prefetch_ext_kfuncs_0, id))
		return 1U << PREFETCH_EXT_SWAP_PREFETCH;
	if (btf_id_set_contains(&prefetch_ext_kfuncs_1, id))
		return 1U << PREFETCH_EXT_FILE_READAHEAD;
	if (btf_id_set_contains(&prefetch_ext_kfuncs_2, id))
		return 1U << PREFETCH_EXT_FILE_OPENED;
	if (btf_id_set_contains(&prefetch_ext_kfuncs_3, id))
		return 1U << PREFETCH_EXT_FILE_OPENED |
		       1U << PREFETCH_EXT_FILE_READ |
		       1U << PREFETCH_EXT_FILE_WRITTEN;
	if (btf_id_set_contains(&prefetch_ext_kfuncs_4, id))
		return 1U << PREFETCH_EXT_FILE_READ |
		       1U << PREFETCH_EXT_FILE_WRITTEN;
	if (btf_id_set_contains(&prefetch_ext_kfuncs_5, id))
		return 1U << PREFETCH_EXT_FILE_WRITTEN;
	if (btf_id_set_contains(&prefetch_ext_kfuncs_6, id))
		return 1U << PREFETCH_EXT_SWAP_OUT;
	if (btf_id_set_contains(&prefetch_ext_kfuncs_7, id))
		return 1U << PREFETCH_EXT_SWAP_FAULT |
		       1U << PREFETCH_EXT_SWAP_PREFETCH |
		       1U << PREFETCH_EXT_FILE_READAHEAD |
		       1U << PREFETCH_EXT_FILE_OPENED |
		       1U << PREFETCH_EXT_FILE_READ |
		       1U << PREFETCH_EXT_FILE_WRITTEN |
		       1U << PREFETCH_EXT_SWAP_OUT;
	return ~0U;
}

#endif
