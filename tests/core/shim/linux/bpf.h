/* SPDX-License-Identifier: GPL-2.0 */
/* Programs are C functions; what the verifier does is done by whoever writes them. */
#ifndef _LINUX_BPF_H
#define _LINUX_BPF_H

#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/ktime.h>

struct bpf_link {
	int unused;
};

struct bpf_insn {
	const void *closure;
};

struct bpf_prog {
	unsigned int (*bpf_func)(const void *ctx, const struct bpf_insn *insn);
	struct bpf_insn insnsi[1];
	u32 type, expected_attach_type;
	bool sleepable;
	struct {
		struct btf *attach_btf;
		u32 attach_btf_id;
	} *aux;
};

const struct bpf_prog *bpf_struct_ops_member_prog(const void *kdata,
						   u32 member);

/* References on the map that programs are of: as long as they may run. */
bool bpf_struct_ops_get(const void *kdata);
void bpf_struct_ops_put(const void *kdata);

#define bpf_prog_run(prog, args) ((prog)->bpf_func(args, (prog)->insnsi))

extern struct static_key_false bpf_stats_enabled_key;

#define __bpf_kfunc
#define __bpf_kfunc_start_defs() struct shim_nothing
#define __bpf_kfunc_end_defs() struct shim_nothing

#define BPF_PROG_TYPE_STRUCT_OPS 27
#define THIS_MODULE NULL

struct btf_id_set8 {
	int unused;
};

struct btf_id_set {
	int unused;
};

struct btf_kfunc_id_set {
	void *owner;
	struct btf_id_set8 *set;
	int (*filter)(const struct bpf_prog *prog, u32 id);
};

#define BTF_KFUNCS_START(name) static struct btf_id_set8 name __maybe_unused;
#define BTF_KFUNCS_END(name)
#define BTF_SET_START(name) static struct btf_id_set name;
#define BTF_SET_END(name)
#define BTF_ID(kind, name)
#define BTF_ID_FLAGS(kind, name, ...)

/* There are no ids: 0 is of no set, all others are of each. */
#define btf_id_set8_contains(set, id) ((void)(set), (id) != 0)
#define btf_id_set_contains(set, id) ((void)(set), (id) != 0)

extern const struct btf_kfunc_id_set *shim_kfuncs;

static inline int
register_btf_kfunc_id_set(int type __maybe_unused,
			  const struct btf_kfunc_id_set *set)
{
	shim_kfuncs = set;
	return set->filter ? 0 : -EINVAL;
}

#endif
