/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of folios, clock, time, task, random numbers, hashes and the answer of admit in BPF, for both kernel interfaces. */
#ifndef CPOL_BPF_READ_H
#define CPOL_BPF_READ_H

/*
 * Opaque: in a choice between this and a state, clang would choose between the two addresses and read once. The verifier refuses one
 * instruction that reads the kernel's memory on one path and a map on another.
 */
CPOL_RELOCATED u64 cpol_folio_index(cpol_ctx *c, cpol_folio f)
{
	u64 index = f->index;

	CPOL_OPAQUE(index);
	return index;
}

/* docs/semantics.md, Identity. A folio that was just truncated has no mapping; the reads below then give 0. */
CPOL_RELOCATED u64 cpol_folio_file(cpol_ctx *c, cpol_folio f)
{
	struct inode *inode = f->mapping->host;

	return cpol_mix64(inode->i_ino + cpol_mix64((u64)inode->i_sb->s_dev << 32 | inode->i_generation));
}

#if CPOL_USES_ORIGIN
/* The kernel's own form of its number: that of the file system's superblock. */
CPOL_RELOCATED u64 cpol_folio_device(cpol_ctx *c, cpol_folio f)
{
	u64 device = f->mapping->host->i_sb->s_dev;

	CPOL_OPAQUE(device); /* as in cpol_folio_index() */
	return device;
}
#endif

#if CPOL_USES_READERS && !defined(CPOL_UPSTREAM)
/* Files that are open for reading only; the kernel counts them for leases. */
CPOL_RELOCATED u64 cpol_folio_readers(cpol_ctx *c, cpol_folio f)
{
	u64 readers = (u32)f->mapping->host->i_readcount.counter;

	CPOL_OPAQUE(readers); /* as in cpol_folio_index() */
	return readers;
}
#endif

#if CPOL_USES_CGROUP && !defined(CPOL_UPSTREAM)
/* The id of the memory cgroup that pays for the folio. Of what is no memory cgroup, the reads give 0. */
CPOL_RELOCATED u64 cpol_folio_cgroup(cpol_ctx *c, cpol_folio f)
{
	unsigned long tagged = f->memcg_data;
	struct mem_cgroup *memcg;
	u64 id;

	CPOL_OPAQUE(tagged);
	memcg = bpf_rdonly_cast((const void *)tagged, __builtin_btf_type_id(*(struct mem_cgroup *)0, CPOL_BTF_TYPE_OF_KERNEL));
	id = memcg->css.cgroup->kn->id;
	CPOL_OPAQUE(id);
	return id;
}
#endif

#if CPOL_USES_FLAGS
#ifndef CPOL_FOLIO_FLAGS
#define CPOL_FOLIO_FLAGS(f) ((f)->flags)
#endif
#define CPOL_FLAG(name) (1UL << __builtin_preserve_enum_value(*(typeof(enum pageflags) *)name, 1))

CPOL_RELOCATED bool cpol_folio_dirty(cpol_ctx *c, cpol_folio f)
{
	unsigned long flags = CPOL_FOLIO_FLAGS(f);

	CPOL_OPAQUE(flags); /* as in cpol_folio_index() */
	return flags & CPOL_FLAG(PG_dirty);
}

CPOL_RELOCATED bool cpol_folio_writeback(cpol_ctx *c, cpol_folio f)
{
	unsigned long flags = CPOL_FOLIO_FLAGS(f);

	CPOL_OPAQUE(flags);
	return flags & CPOL_FLAG(PG_writeback);
}

#ifndef CPOL_UPSTREAM
/* As folio_mapped() in the kernel; counts of mappings begin at -1. */
CPOL_RELOCATED bool cpol_folio_mapped(cpol_ctx *c, cpol_folio f)
{
	s32 mappings = CPOL_FOLIO_FLAGS(f) & CPOL_FLAG(PG_head) ? f->_large_mapcount.counter : f->_mapcount.counter;

	CPOL_OPAQUE(mappings);
	return mappings >= 0;
}

CPOL_PRIMITIVE bool cpol_folio_executable(cpol_ctx *c, cpol_folio f)
{
	return bpf_cache_ext_folio_executable(f);
}
#endif
#endif

#if CPOL_USES_CLOCK
__hidden u64 cpol_clock; /* added and accessed events; counted by the programs (bpf_every.h) */

CPOL_PRIMITIVE u64 cpol_cache_clock(cpol_ctx *c)
{
	return *(volatile u64 *)&cpol_clock;
}
#endif

#if CPOL_USES_TIME
#define CPOL_NS_A_MS 1000000

__hidden u64 cpol_attached_ns; /* time of `init` */

CPOL_PRIMITIVE u64 cpol_ms_since_attach(void)
{
	return (bpf_ktime_get_ns() - cpol_attached_ns) / CPOL_NS_A_MS;
}

CPOL_PRIMITIVE u64 cpol_cache_time(cpol_ctx *c)
{
	return cpol_ms_since_attach();
}
#endif

CPOL_PRIMITIVE void cpol_time_begin(void)
{
#if CPOL_USES_TIME
	cpol_attached_ns = bpf_ktime_get_ns();
#endif
}

CPOL_PRIMITIVE u64 cpol_task_thread(cpol_ctx *c)
{
	return (u32)bpf_get_current_pid_tgid();
}

CPOL_PRIMITIVE u64 cpol_task_process(cpol_ctx *c)
{
	return bpf_get_current_pid_tgid() >> 32;
}

#if CPOL_USES_WRITES
#error "task.writes: no kernel tells it (kernel/profiles)"
#endif

/* When the thread started: its record must not go on with the next thread of the same number. */
CPOL_RELOCATED u64 cpol_task_start(cpol_ctx *c)
{
	u64 start = bpf_get_current_task_btf()->start_time;

	CPOL_OPAQUE(start); /* as in cpol_folio_index() */
	return start;
}

/* The kernel fills the name up with zeros. To read it takes half as many instructions as bpf_get_current_comm(). */
CPOL_RELOCATED u64 cpol_task_comm(cpol_ctx *c)
{
	const u64 *name = (const u64 *)&bpf_get_current_task_btf()->comm;
	u64 first = name[0], second = name[1];

	CPOL_OPAQUE(first); /* as in cpol_folio_index() */
	CPOL_OPAQUE(second);
	return cpol_comm_number(first, second);
}

#if CPOL_USES_RANDOM
__hidden u64 cpol_random_state = 1;

CPOL_PRIMITIVE u64 cpol_random(cpol_ctx *c, u64 bound)
{
	u64 before = __sync_fetch_and_add(&cpol_random_state, CPOL_RANDOM_STEP);

	return cpol_random_below(before + CPOL_RANDOM_STEP, bound);
}
#endif

CPOL_PRIMITIVE u64 cpol_hash(cpol_ctx *c, cpol_folio f, u64 salt)
{
	return cpol_hash_name(cpol_folio_file(c, f), cpol_folio_index(c, f), salt);
}

#if CPOL_HAS_ADMIT
CPOL_PRIMITIVE void cpol_refuse(cpol_ctx *c, cpol_folio f)
{
	c->refuses = true;
}
#endif

/* The kernel keeps a folio that is placed on no list, so there is nothing to do. */
CPOL_PRIMITIVE void cpol_leave(cpol_ctx *c, cpol_folio f)
{
}

#endif
