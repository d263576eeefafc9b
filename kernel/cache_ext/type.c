// SPDX-License-Identifier: GPL-2.0
/*
 * The struct_ops type cache_ext_ops, as BPF knows it: its members, what programs
 * of it may do, and its registration. ops.c has what attaching does.
 */
#include <linux/bpf_verifier.h>
#include <linux/cgroup.h>
#include <linux/ctype.h>
#include <linux/file.h>
#include <linux/kernfs.h>
#include <linux/magic.h>
#include <linux/module.h>
#include "cache_ext.h"
#include "glue.h"

/* The type in its BTF; written once when it is registered. */
static struct btf *ops_btf;
static u32 ops_btf_id;

bool cache_ext_is_ours(const struct bpf_prog *prog)
{
	return prog->type == BPF_PROG_TYPE_STRUCT_OPS &&
	       prog->aux->attach_btf == ops_btf &&
	       prog->aux->attach_btf_id == ops_btf_id;
}

static int cache_ext_init(struct btf *btf)
{
	s32 id = btf_find_by_name_kind(btf, "cache_ext_ops", BTF_KIND_STRUCT);

	if (id < 0)
		return id;
	ops_btf = btf;
	ops_btf_id = id;
	return 0;
}

/*
 * Most run where nothing may sleep. init and exit could, but who waits for a program
 * must not wait for what that would wait for.
 */
static int cache_ext_check_member(const struct btf_type *t,
				  const struct btf_member *member,
				  const struct bpf_prog *prog)
{
	u32 moff = __btf_member_bit_offset(t, member) / 8;

	if (moff == offsetof(struct cache_ext_ops, admit_folio) &&
	    !(cache_ext_glue_abilities() & CACHE_EXT_CAN_ADMIT)) {
		pr_notice_ratelimited("cache_ext: this kernel cannot refuse folios, so no policy may have admit_folio\n");
		return -EOPNOTSUPP;
	}
	if (moff == offsetof(struct cache_ext_ops, tick) &&
	    !IS_ENABLED(CONFIG_CACHE_EXT_TICK)) {
		pr_notice_ratelimited("cache_ext: this kernel has no ticks, so no policy may have tick\n");
		return -EOPNOTSUPP;
	}
	return prog->sleepable ? -EINVAL : 0;
}

/*
 * The id of the cgroup whose cgroup.procs is open for writing as @fd. Who may write that
 * may move processes there, and so is whom the cgroup was delegated to: neither BPF's
 * capabilities nor a cgroup's number say so. The file may have been opened by another,
 * as any descriptor that is handed on. 0, or -EBADF.
 */
int cache_ext_cgroup_of_procs(s32 fd, u64 *id)
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
	cgrp = rcu_dereference(*(void __rcu __force **)&kn->parent->priv);
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
int cache_ext_copy_name(char to[16], const char from[16])
{
	size_t i;

	for (i = 0; i < 16 && from[i]; i++) {
		if (!isalnum(from[i]) && !strchr("_-.", from[i]))
			return -EINVAL;
		to[i] = from[i];
	}
	return i == 16 ? -EINVAL : 0;
}

/* 1: handled here. 0: a program, or must be zero. */
static int cache_ext_init_member(const struct btf_type *t,
				 const struct btf_member *member,
				 void *kdata, const void *udata)
{
	const struct cache_ext_ops *from = udata;
	struct cache_ext_ops *to = kdata;

	switch (__btf_member_bit_offset(t, member) / 8) {
	case offsetof(struct cache_ext_ops, procs_fd):
		to->procs_fd = from->procs_fd;
		return cache_ext_cgroup_of_procs(from->procs_fd,
						 &to->cgroup_id) ?: 1;
	case offsetof(struct cache_ext_ops, folio_data_size):
		if (from->folio_data_size > CACHE_EXT_MAX_DATA)
			return -E2BIG;
		to->folio_data_size = from->folio_data_size;
		return 1;
	case offsetof(struct cache_ext_ops, flags):
		if (from->flags & ~(CACHE_EXT_DATA_ALIGN4 |
				    CACHE_EXT_ONLY_REUSES))
			return -EINVAL;
		to->flags = from->flags;
		return 1;
	case offsetof(struct cache_ext_ops, name):
		return cache_ext_copy_name(to->name, from->name) ?: 1;
	case offsetof(struct cache_ext_ops, tick_ms):
		if (from->tick_ms > CACHE_EXT_MAX_TICK_MS)
			return -ERANGE;
		to->tick_ms = from->tick_ms;
		return 1;
	case offsetof(struct cache_ext_ops, nr_lists):
		if (from->nr_lists > CACHE_EXT_MAX_LISTS)
			return -ENOSPC;
		to->nr_lists = from->nr_lists;
		return 1;
	case offsetof(struct cache_ext_ops, pin_pages):
		to->pin_pages = from->pin_pages;
		return 1;
	}
	return 0;
}

static int cache_ext_validate(void *kdata)
{
	struct cache_ext_ops *ops = kdata;

	if (!ops->folio_added || !ops->evict_folios)
		return -EINVAL;
	if (ops->tick_ms && !ops->tick)
		return -EINVAL;
	return 0;
}

static const struct bpf_func_proto *
cache_ext_func_proto(enum bpf_func_id func_id, const struct bpf_prog *prog)
{
	/* A tail call could carry a program where its kfuncs are refused. */
	if (func_id == BPF_FUNC_tail_call)
		return NULL;
	if (func_id == BPF_FUNC_get_current_comm)
		return &bpf_get_current_comm_proto;
	return bpf_base_func_proto(func_id, prog);
}

static bool cache_ext_is_valid_access(int off, int size,
				      enum bpf_access_type type,
				      const struct bpf_prog *prog,
				      struct bpf_insn_access_aux *info)
{
	return bpf_tracing_btf_ctx_access(off, size, type, prog, info);
}

/* Without btf_struct_access all of the kernel's structs are read-only. */
const struct bpf_verifier_ops cache_ext_verifier_ops = {
	.get_func_proto = cache_ext_func_proto,
	.is_valid_access = cache_ext_is_valid_access,
};

static s32 stub_init(struct mem_cgroup *memcg)
{
	return 0;
}

static void stub_exit(struct mem_cgroup *memcg)
{
}

static void stub_folio(struct folio *folio, struct mem_cgroup *memcg)
{
}

static void stub_removed(struct folio *folio, struct mem_cgroup *memcg,
			 u32 reason)
{
}

static void stub_evict(struct cache_ext_evict_ctx *ctx,
		       struct mem_cgroup *memcg)
{
}

static bool stub_admit(struct folio *folio, struct mem_cgroup *memcg)
{
	return true;
}

static void stub_tick(struct mem_cgroup *memcg)
{
}

static struct cache_ext_ops cache_ext_stubs = {
	.init = stub_init,
	.exit = stub_exit,
	.folio_added = stub_folio,
	.folio_accessed = stub_folio,
	.folio_evicted = stub_folio,
	.folio_removed = stub_removed,
	.evict_folios = stub_evict,
	.tick = stub_tick,
	.admit_folio = stub_admit,
};

static struct bpf_struct_ops bpf_cache_ext_ops = {
	.verifier_ops = &cache_ext_verifier_ops,
	.init = cache_ext_init,
	.check_member = cache_ext_check_member,
	.init_member = cache_ext_init_member,
	.reg = cache_ext_reg,
	.unreg = cache_ext_unreg,
	.update = cache_ext_update,
	.validate = cache_ext_validate,
	.name = "cache_ext_ops",
	.cfi_stubs = &cache_ext_stubs,
	.owner = THIS_MODULE,
};

int __init cache_ext_type_init(void)
{
	return register_bpf_struct_ops(&bpf_cache_ext_ops, cache_ext_ops);
}
