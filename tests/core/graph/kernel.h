/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What files that only run in a kernel use of it, so that they compile, for their symbols (../Makefile, target graph);
 * comes before each of them. shim/ has the rest. What is not declared here is called undeclared.
 */
#ifndef GRAPH_KERNEL_H
#define GRAPH_KERNEL_H

#include <linux/bpf.h>
#include <linux/cgroup.h>
#include <linux/memcontrol.h>
#include <linux/slab.h>
#include <linux/types.h>

struct xarray {
	int unused;
};
void *xa_load(struct xarray *xa, unsigned long index);

/* linux/file.h, linux/kernfs.h, linux/magic.h, and what linux/fs.h lacks here */
#include <linux/fs.h>

struct file {
	unsigned int f_mode;
};
struct file *fget(unsigned int fd);
void fput(struct file *file);
struct inode *file_inode(const struct file *file);
struct kernfs_node {
	struct kernfs_node *parent;
	void *priv;
};
#define FMODE_WRITE 2
#define CGROUP2_SUPER_MAGIC 0x63677270
#define __rcu
#define __force
u64 cgroup_id(const struct cgroup *cgrp);

#define CONFIG_PREFETCH_EXT 1

typedef unsigned long pgoff_t;
typedef struct { unsigned long val; } swp_entry_t;
typedef struct { long long counter; } atomic64_t;

/* Once a file, whatever the name. */
#define late_initcall(fn) int (*const initcall)(void) = fn
#define module_exit(fn) void (*const exitcall)(void) = fn
#define MODULE_LICENSE(text) struct shim_nothing
#define MODULE_DESCRIPTION(text) struct shim_nothing
#define __exit
#define EXPORT_SYMBOL(name) struct shim_nothing
#define pr_notice_ratelimited pr_warn_ratelimited

struct mm_struct {
	struct task_struct *owner;
};
struct vm_fault {
	struct vm_area_struct *vma;
};
struct cgroup_subsys_state *task_css(struct task_struct *task, int subsys);
#define DEFINE_XARRAY_ALLOC1(name) struct xarray name
#define XA_LIMIT(from, to) (to)

/* linux/bpf.h, linux/bpf_verifier.h, linux/btf.h */
enum bpf_func_id { BPF_FUNC_tail_call, BPF_FUNC_get_current_comm };
enum bpf_access_type { BPF_READ };
struct bpf_func_proto;
extern const struct bpf_func_proto bpf_get_current_comm_proto;
const struct bpf_func_proto *bpf_base_func_proto(enum bpf_func_id id, const struct bpf_prog *prog);
struct btf_type;
struct btf_member;
struct bpf_insn_access_aux;
enum { BTF_KIND_STRUCT };
u32 __btf_member_bit_offset(const struct btf_type *type, const struct btf_member *member);
struct bpf_verifier_ops {
	const struct bpf_func_proto *(*get_func_proto)(enum bpf_func_id id, const struct bpf_prog *prog);
	bool (*is_valid_access)(int off, int size, enum bpf_access_type type, const struct bpf_prog *prog,
				struct bpf_insn_access_aux *info);
};
struct bpf_struct_ops {
	const struct bpf_verifier_ops *verifier_ops;
	int (*init)(struct btf *btf);
	int (*check_member)(const struct btf_type *type, const struct btf_member *member, const struct bpf_prog *prog);
	int (*init_member)(const struct btf_type *type, const struct btf_member *member, void *kdata, const void *udata);
	int (*reg)(void *kdata, struct bpf_link *link);
	void (*unreg)(void *kdata, struct bpf_link *link);
	int (*update)(void *kdata, void *old_kdata, struct bpf_link *link);
	int (*validate)(void *kdata);
	const char *name;
	void *cfi_stubs, *owner;
};
#define register_bpf_struct_ops(ops, type) ((ops)->validate ? 0 : sizeof(struct type))

#endif
