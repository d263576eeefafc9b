/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What happens to the page cache of a cgroup, told by tracing programs: they decide nothing and need neither module nor patch. record.c
 * loads them. libbpf relocates the kernel types below, which are declared by hand, against the running kernel's BTF.
 */
#include <stdbool.h>
#include <stdint.h>

#include "cpol/record.h"

#define SEC(name) __attribute__((section(name), used))
#define RING_BYTES (16 << 20) /* 230,000 events; the loader reads ten times a second */
#define WAKE_BYTES (RING_BYTES / 4)
#define MAX_DEPTH 64

#define MAPPING_FLAGS 3UL /* PAGE_MAPPING_FLAGS: not of a file */
#define MEMCG_FLAGS 3UL   /* the low bits of memcg_data: not page cache */

#define BPF_MAP_TYPE_ARRAY 2
#define BPF_MAP_TYPE_RINGBUF 27
#define BPF_RB_NO_WAKEUP 1
#define BPF_RB_FORCE_WAKEUP 2
#define BPF_RB_AVAIL_DATA 0

static void *(*const bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static uint64_t (*const bpf_ktime_get_ns)(void) = (void *)5;
static uint64_t (*const bpf_get_current_pid_tgid)(void) = (void *)14;
static long (*const bpf_get_current_comm)(void *buf, uint32_t size) = (void *)16;
static long (*const bpf_probe_read_kernel)(void *to, uint32_t size, const void *from) = (void *)113;
static void *(*const bpf_ringbuf_reserve)(void *ring, uint64_t size, uint64_t flags) = (void *)131;
static struct task_struct *(*const bpf_get_current_task_btf)(void) = (void *)158;
static void (*const bpf_ringbuf_submit)(void *data, uint64_t flags) = (void *)132;
static uint64_t (*const bpf_ringbuf_query)(void *ring, uint64_t flags) = (void *)134;

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

struct task_struct {
	struct css_set *cgroups;
};

struct mem_cgroup {
	struct cgroup_subsys_state css;
};

struct super_block {
	uint32_t s_dev;
};

struct inode {
	struct super_block *i_sb;
	unsigned long i_ino;
};

struct address_space {
	struct inode *host;
};

struct folio {
	unsigned long flags;
	struct address_space *mapping;
	unsigned long index;
	unsigned long memcg_data;
	unsigned int _folio_nr_pages;
};

struct file_ra_state {
	unsigned int size; /* pages */
};

struct readahead_control {
	struct address_space *mapping;
	unsigned long _index;
};

#pragma clang attribute pop

enum pageflags {
	PG_head = 6, PG_swapbacked = 16, /* relocated */
};

#define FLAG(name) (1UL << __builtin_preserve_enum_value(*(typeof(enum pageflags) *)name, 1))
#define TYPE_ID(type) __builtin_btf_type_id(*(type *)0, 1) /* in the kernel's BTF */

struct {
	int (*type)[BPF_MAP_TYPE_RINGBUF];
	int (*max_entries)[RING_BYTES];
} record_ring SEC(".maps");

const volatile struct record_options record_options = {};
struct {
	int (*type)[BPF_MAP_TYPE_ARRAY];
	int (*max_entries)[1];
	uint32_t *key;
	struct record_lost *value;
} record_lost SEC(".maps");

/* From the css of a cgroup, its own or that of its memory controller, to those of the cgroups above. */
static bool is_below(const struct cgroup_subsys_state *css)
{
	for (int depth = 0; css && depth < MAX_DEPTH; depth++) {
		if (css->cgroup->kn->id == record_options.cgroup)
			return true;
		css = css->parent;
	}
	return false;
}

/* Whether a folio is of a file, not of tmpfs, and charged to the recorded cgroup. This runs for all folios of the machine. */
static bool is_recorded(const struct folio *folio)
{
	unsigned long mapping = 0, memcg_data = folio->memcg_data;
	const struct mem_cgroup *memcg;

	if (!memcg_data || memcg_data & MEMCG_FLAGS || folio->flags & FLAG(PG_swapbacked))
		return false;
	memcg = bpf_rdonly_cast((void *)memcg_data, TYPE_ID(struct mem_cgroup));
	if (!is_below(&memcg->css))
		return false;
	/* As a number: the verifier allows no arithmetic on the pointer. */
	bpf_probe_read_kernel(&mapping, sizeof(mapping), &folio->mapping);
	return mapping && !(mapping & MAPPING_FLAGS);
}

static void count_lost(void)
{
	uint32_t key = 0;
	struct record_lost *lost = bpf_map_lookup_elem(&record_lost, &key);

	if (lost)
		__sync_fetch_and_add(&lost->events, 1);
}

static void tell(struct address_space *mapping, uint64_t page, uint32_t pages, enum record_event event)
{
	uint64_t task = bpf_get_current_pid_tgid();
	struct record *record;
	struct inode *inode;

	if (task >> 32 == record_options.recorder)
		return;
	record = bpf_ringbuf_reserve(&record_ring, sizeof(*record), 0);
	if (!record) {
		count_lost();
		return;
	}
	inode = mapping->host;
	record->ns = bpf_ktime_get_ns();
	record->inode = inode->i_ino;
	record->device = inode->i_sb->s_dev;
	record->page = page;
	record->pages = pages;
	record->thread = (uint32_t)task;
	record->process = task >> 32;
	record->event = event;
	record->unused = 0;
	__builtin_memset(record->comm, 0, sizeof(record->comm));
	if (record_options.comm)
		bpf_get_current_comm(record->comm, sizeof(record->comm));
	bpf_ringbuf_submit(record, bpf_ringbuf_query(&record_ring, BPF_RB_AVAIL_DATA) > WAKE_BYTES ? BPF_RB_FORCE_WAKEUP :
												     BPF_RB_NO_WAKEUP);
}

static int tell_folio(struct folio *folio, enum record_event event)
{
	if (is_recorded(folio))
		tell(folio->mapping, folio->index, folio->flags & FLAG(PG_head) ? folio->_folio_nr_pages : 1, event);
	return 0;
}

/* Readahead is charged to the cgroup of the task that reads. */
static int tell_readahead(struct readahead_control *control, uint64_t pages, enum record_event event)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (is_below(&task->cgroups->dfl_cgrp->self))
		tell(control->mapping, control->_index, pages > UINT32_MAX ? UINT32_MAX : pages, event);
	return 0;
}

SEC("tp_btf/mm_filemap_add_to_page_cache")
int record_added(uint64_t *args)
{
	return tell_folio((struct folio *)args[0], RECORD_ADDED);
}

SEC("tp_btf/mm_filemap_delete_from_page_cache")
int record_removed(uint64_t *args)
{
	return tell_folio((struct folio *)args[0], RECORD_REMOVED);
}

SEC("fentry/folio_mark_accessed")
int record_accessed(uint64_t *args)
{
	return tell_folio((struct folio *)args[0], RECORD_ACCESSED);
}

/* A clean folio became dirty. */
SEC("tp_btf/writeback_dirty_folio")
int record_dirtied(uint64_t *args)
{
	return tell_folio((struct folio *)args[0], RECORD_DIRTIED);
}

/* A read misses, and asks for so many pages. */
SEC("fentry/page_cache_sync_ra")
int record_sync(uint64_t *args)
{
	return tell_readahead((struct readahead_control *)args[0], args[1], RECORD_MISSED);
}

/* A read comes to the marker that earlier readahead left. */
SEC("fentry/page_cache_async_ra")
int record_async(uint64_t *args)
{
	return tell_readahead((struct readahead_control *)args[0], args[2], RECORD_MARKED);
}

/* What the kernel reads then, or around a fault. */
SEC("fentry/page_cache_ra_order")
int record_window(uint64_t *args)
{
	return tell_readahead((struct readahead_control *)args[0], ((struct file_ra_state *)args[1])->size, RECORD_WINDOW);
}

char _license[] SEC("license") = "GPL";
