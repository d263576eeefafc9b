// SPDX-License-Identifier: GPL-2.0
/*
 * A struct_ops type of policies, as BPF knows it: which one it is, members that both have,
 * and what programs of both may do. type.c of each has the rest.
 */
#include <linux/bpf_verifier.h>
#include <linux/btf.h>
#include <linux/cgroup.h>
#include <linux/ctype.h>
#include <linux/file.h>
#include <linux/kernfs.h>
#include <linux/magic.h>
#include "policy_ext.h"

/* Its BTF comes. 0, or an error. */
int policy_ext_members_init(struct policy_ext_members *of, struct btf *btf,
			    const char *name)
{
	s32 id = btf_find_by_name_kind(btf, name, BTF_KIND_STRUCT);

	if (id < 0)
		return id;
	of->btf = btf;
	of->id = id;
	return 0;
}

/* Is @prog a program of this type? */
bool policy_ext_is_of(const struct policy_ext_members *of,
		      const struct bpf_prog *prog)
{
	return prog->type == BPF_PROG_TYPE_STRUCT_OPS &&
	       prog->aux->attach_btf == of->btf &&
	       prog->aux->attach_btf_id == of->id;
}

/*
 * The id of the cgroup whose cgroup.procs is open for writing as @fd. The right to
 * write that file is the right to move processes there, which delegation gives. Neither
 * BPF's capabilities nor a cgroup's number give it. The file may have been opened by another,
 * as any descriptor that is handed on. 0, or -EBADF.
 */
int policy_ext_cgroup_of_procs(s32 fd, u64 *id)
{
	struct file *file = fget(fd);
	struct kernfs_node *kn;
	struct cgroup *cgrp;
	int ret = -EBADF;

	if (!file)
		return -EBADF;
	if (!(file->f_mode & FMODE_WRITE) ||
	    file_inode(file)->i_sb->s_magic != CGROUP2_SUPER_MAGIC ||
	    !S_ISREG(file_inode(file)->i_mode))
		goto out;
	/* As cgroup_get_from_id(): the folder forgets its cgroup when that is gone. */
	kn = file_inode(file)->i_private;
	rcu_read_lock();
	cgrp = rcu_dereference(*(void __rcu __force **)&policy_ext_kernfs_parent(kn)->priv);
	if (cgrp && READ_ONCE(cgrp->procs_file.kn) == kn) {
		*id = cgroup_id(cgrp);
		ret = 0;
	}
	rcu_read_unlock();
out:
	fput(file);
	return ret;
}

/* A name goes into a line of key=value pairs. 0, or -EINVAL. */
int policy_ext_copy_name(char to[16], const char from[16])
{
	size_t i;

	for (i = 0; i < 16 && from[i]; i++) {
		if (!isalnum(from[i]) && !strchr("_-.", from[i]))
			return -EINVAL;
		to[i] = from[i];
	}
	return i == 16 ? -EINVAL : 0;
}

static const struct bpf_func_proto *
func_proto(enum bpf_func_id func_id, const struct bpf_prog *prog)
{
	/* A tail call could carry a program where its kfuncs are refused. */
	if (func_id == BPF_FUNC_tail_call)
		return NULL;
	if (func_id == BPF_FUNC_get_current_comm)
		return &bpf_get_current_comm_proto;
	return bpf_base_func_proto(func_id, prog);
}

static bool is_valid_access(int off, int size, enum bpf_access_type type,
			    const struct bpf_prog *prog,
			    struct bpf_insn_access_aux *info)
{
	return bpf_tracing_btf_ctx_access(off, size, type, prog, info);
}

/* Without btf_struct_access all of the kernel's structs are read-only. */
const struct bpf_verifier_ops policy_ext_verifier_ops = {
	.get_func_proto = func_proto,
	.is_valid_access = is_valid_access,
};
