/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel as tracing programs see it: helpers, and types that libbpf relocates against the running kernel's BTF. */
#ifndef TRACING_KERNEL_H
#define TRACING_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEC(name) __attribute__((section(name), used))

#define MAPPING_FLAGS 3UL /* PAGE_MAPPING_FLAGS: not of a file */
#define MEMCG_FLAGS 3UL   /* the low bits of memcg_data: not page cache */
#define PAGE_SHIFT 12

#define BPF_MAP_TYPE_HASH 1
#define BPF_MAP_TYPE_ARRAY 2
#define BPF_MAP_TYPE_PERCPU_HASH 5
#define BPF_MAP_TYPE_PERCPU_ARRAY 6
#define BPF_MAP_TYPE_LRU_HASH 9
#define BPF_MAP_TYPE_RINGBUF 27
#define BPF_MAP_TYPE_TASK_STORAGE 29
#define BPF_F_NO_PREALLOC 1
#define BPF_F_MMAPABLE 1024
#define BPF_LOCAL_STORAGE_GET_F_CREATE 1
#define BPF_ANY 0
#define BPF_NOEXIST 1
#define BPF_RB_NO_WAKEUP 1
#define BPF_RB_FORCE_WAKEUP 2
#define BPF_RB_AVAIL_DATA 0

struct task_struct;

static void *(*const bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static long (*const bpf_map_update_elem)(void *map, const void *key, const void *value, uint64_t flags) = (void *)2;
static long (*const bpf_map_delete_elem)(void *map, const void *key) = (void *)3;
static uint64_t (*const bpf_ktime_get_ns)(void) = (void *)5;
static uint64_t (*const bpf_get_current_pid_tgid)(void) = (void *)14;
static long (*const bpf_get_current_comm)(void *buf, uint32_t size) = (void *)16;
static long (*const bpf_probe_read_kernel)(void *to, uint32_t size, const void *from) = (void *)113;
static long (*const bpf_probe_read_kernel_str)(void *to, uint32_t size, const void *from) = (void *)115;
static void *(*const bpf_ringbuf_reserve)(void *ring, uint64_t size, uint64_t flags) = (void *)131;
static void (*const bpf_ringbuf_submit)(void *data, uint64_t flags) = (void *)132;
static void (*const bpf_ringbuf_discard)(void *data, uint64_t flags) = (void *)133;
static uint64_t (*const bpf_ringbuf_query)(void *ring, uint64_t flags) = (void *)134;
static void *(*const bpf_task_storage_get)(void *map, struct task_struct *task, void *value, uint64_t flags) = (void *)156;
static struct task_struct *(*const bpf_get_current_task_btf)(void) = (void *)158;
static long (*const bpf_loop)(uint32_t times, void *callback, void *context, uint64_t flags) = (void *)181;

extern void *bpf_rdonly_cast(const void *object, uint32_t btf_id) __attribute__((section(".ksyms")));

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct kernfs_node {
	uint64_t id;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
};

struct cgroup {
	struct cgroup_subsys_state self;
	struct kernfs_node *kn;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct mm_struct;

struct file;

struct vm_area_struct {
	unsigned long vm_start, vm_end;
	struct mm_struct *vm_mm;
	struct file *vm_file;
};

struct task_struct {
	struct css_set *cgroups;
	struct mm_struct *mm;
};

typedef struct {
	int64_t counter;
} atomic64_t;

struct page_counter {
	atomic64_t usage; /* atomic_long_t */
};

struct mem_cgroup {
	struct cgroup_subsys_state css; /* the first member */
	struct page_counter memory;
};

struct super_block {
	uint32_t s_dev;
	unsigned long s_magic;
};

struct hlist_node {
	struct hlist_node *next;
};

struct hlist_head {
	struct hlist_node *first;
};

struct inode {
	struct super_block *i_sb;
	unsigned long i_ino;
	uint32_t i_generation;
	struct hlist_head i_dentry;
};

struct qstr {
	const unsigned char *name;
};

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
	union {
		struct hlist_node d_alias;
	} d_u;
};

struct address_space {
	struct inode *host;
};

struct file {
	struct address_space *f_mapping;
};

struct kiocb {
	struct file *ki_filp;
	int64_t ki_pos;
};

struct vm_fault {
	struct vm_area_struct *vma;
	unsigned long pgoff;
};

typedef struct {
	unsigned long val;
} swp_entry_t;

struct folio {
	unsigned long flags;
	struct address_space *mapping;
	unsigned long index;
	unsigned long memcg_data;
	unsigned int _folio_nr_pages;
	swp_entry_t swap;
};

struct file_ra_state {
	unsigned int size; /* pages */
};

struct readahead_control {
	struct file *file;
	struct address_space *mapping;
	unsigned long _index;
};

#pragma clang attribute pop

enum pageflags {
	PG_head = 6, PG_swapbacked = 16, PG_referenced = 1, PG_active = 8, PG_workingset = 9, /* relocated */
};

#define FLAG(name) (1UL << __builtin_preserve_enum_value(*(typeof(enum pageflags) *)name, 1))
#define TYPE_ID(type) __builtin_btf_type_id(*(type *)0, 1) /* in the kernel's BTF */

#endif
