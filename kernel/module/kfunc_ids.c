// SPDX-License-Identifier: GPL-2.0
/*
 * The ids of kfuncs. A module's .BTF_ids has them as they were when it was built. If it
 * has .BTF.base, too, BPF numbers its types anew when it is loaded: all of them are moved
 * by the same number. BPF does so in its own copy of a set, and asks filters by the new
 * ids; the cores know the old ones.
 */
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include "module.h"

/* As in kfunc_sets.h: what is read by words has to be aligned. */
asm(".pushsection .BTF_ids, \"a\"; .balign 4; .popsection");
BTF_ID_LIST_SINGLE(built, func, bpf_cache_ext_size)

/* @id in @btf, the module's, as it stands in .BTF_ids. 0: there is none. */
u32 cache_ext_built_kfunc_id(const struct btf *btf, u32 id)
{
	static s32 loaded; /* what @built has become; the same whoever finds it */
	s32 now = READ_ONCE(loaded);

	if (!now) {
		now = btf_find_by_name_kind(btf, "bpf_cache_ext_size",
					    BTF_KIND_FUNC);
		if (now <= 0)
			return 0;
		WRITE_ONCE(loaded, now);
	}
	return id - now + built[0];
}
