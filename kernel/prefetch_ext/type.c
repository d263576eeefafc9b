// SPDX-License-Identifier: GPL-2.0
/*
 * The struct_ops type prefetch_ext_ops, as BPF knows it: its members, and its
 * registration. What programs of it may do is in ../policy_ext/members.c.
 * ops.c has what attaching does.
 */
#include <linux/bpf_verifier.h>
#include <linux/module.h>
#include "prefetch_ext.h"

static struct policy_ext_members members;

bool prefetch_ext_is_ours(const struct bpf_prog *prog)
{
	return policy_ext_is_of(&members, prog);
}

static int prefetch_ext_init(struct btf *btf)
{
	return policy_ext_members_init(&members, btf, "prefetch_ext_ops");
}

/*
 * They run in faults, opens, reads, writes, reclaim. init and exit could sleep, but
 * a task that waits for a program must not wait for what the program waits for.
 */
static int prefetch_ext_check_member(const struct btf_type *t,
				     const struct btf_member *member,
				     const struct bpf_prog *prog)
{
	return prog->sleepable ? -EINVAL : 0;
}

/* 1: handled here. 0: a program, or must be zero. */
static int prefetch_ext_init_member(const struct btf_type *t,
				    const struct btf_member *member,
				    void *kdata, const void *udata)
{
	const struct prefetch_ext_ops *from = udata;
	struct prefetch_ext_ops *to = kdata;

	switch (__btf_member_bit_offset(t, member) / 8) {
	case offsetof(struct prefetch_ext_ops, procs_fd):
		to->procs_fd = from->procs_fd;
		return policy_ext_cgroup_of_procs(from->procs_fd,
						  &to->cgroup_id) ?: 1;
	case offsetof(struct prefetch_ext_ops, flags):
		if (from->flags & ~PREFETCH_EXT_ONE_CALL)
			return -EINVAL;
		to->flags = from->flags;
		return 1;
	case offsetof(struct prefetch_ext_ops, waste_percent):
		if (from->waste_percent > 100)
			return -ERANGE;
		to->waste_percent = from->waste_percent;
		return 1;
	case offsetof(struct prefetch_ext_ops, keep_pages):
		to->keep_pages = from->keep_pages;
		return 1;
	case offsetof(struct prefetch_ext_ops, name):
		return policy_ext_copy_name(to->name, from->name) ?: 1;
	}
	return 0;
}

static int prefetch_ext_validate(void *kdata)
{
	struct prefetch_ext_ops *ops = kdata;

	if (ops->flags & PREFETCH_EXT_ONE_CALL &&
	    !(ops->swap_fault && ops->swap_prefetch))
		return -EINVAL;
	return ops->swap_fault || ops->swap_prefetch || ops->file_readahead ||
	       ops->file_opened || ops->file_read || ops->file_written ||
	       ops->swap_out ? 0 : -EINVAL;
}

static s32 stub_init(struct mem_cgroup *memcg)
{
	return 0;
}

static void stub_exit(struct mem_cgroup *memcg)
{
}

static void stub_fault(struct prefetch_ext_fault *fault,
		       struct mem_cgroup *memcg)
{
}

static void stub_readahead(struct prefetch_ext_readahead *ra,
			   struct mem_cgroup *memcg)
{
}

static void stub_range(struct prefetch_ext_range *range,
		       struct mem_cgroup *memcg)
{
}

static void stub_swap_out(struct prefetch_ext_swap_out *out,
			  struct mem_cgroup *memcg)
{
}

static struct prefetch_ext_ops prefetch_ext_stubs = {
	.init = stub_init,
	.exit = stub_exit,
	.swap_fault = stub_fault,
	.swap_prefetch = stub_fault,
	.file_readahead = stub_readahead,
	.file_opened = stub_range,
	.file_read = stub_range,
	.file_written = stub_range,
	.swap_out = stub_swap_out,
};

static struct bpf_struct_ops bpf_prefetch_ext_ops = {
	.verifier_ops = &policy_ext_verifier_ops,
	.init = prefetch_ext_init,
	.check_member = prefetch_ext_check_member,
	.init_member = prefetch_ext_init_member,
	.reg = prefetch_ext_reg,
	.unreg = prefetch_ext_unreg,
	.update = prefetch_ext_update,
	.validate = prefetch_ext_validate,
	.name = "prefetch_ext_ops",
	.cfi_stubs = &prefetch_ext_stubs,
	.owner = THIS_MODULE,
};

int __init prefetch_ext_type_init(void)
{
	return register_bpf_struct_ops(&bpf_prefetch_ext_ops, prefetch_ext_ops);
}
