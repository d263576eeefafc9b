/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prefetching in BPF: what handlers of fault, prefetch and readahead read of the event, and how they name targets; what those of
 * opened, read and written read of the range, and say of it; and the same of swap, for pages that go out. The kernel records that,
 * drops targets that are out of range, recorded already or too many, and does the rest after the program.
 */
#ifndef CPOL_BPF_PREFETCH_H
#define CPOL_BPF_PREFETCH_H

/* Opaque, as in cpol_folio_index(). */
#define CPOL_OF_FAULT(name)                                     \
	CPOL_RELOCATED u64 cpol_fault_##name(cpol_ctx *c)       \
	{                                                       \
		u64 value = c->fault->name;                     \
                                                                \
		CPOL_OPAQUE(value);                             \
		return value;                                   \
	}
CPOL_OF_FAULT(slot)
CPOL_OF_FAULT(slots)
CPOL_OF_FAULT(device)
CPOL_OF_FAULT(window)

/* Of a fault, or of pages that go out. Each entry sets one of the two, so no code chooses at run time. */
#define CPOL_OF_FAULT_OR_OUT(name)                                    \
	CPOL_RELOCATED u64 cpol_fault_##name(cpol_ctx *c)             \
	{                                                             \
		u64 value = c->out ? c->out->name : c->fault->name;   \
                                                                      \
		CPOL_OPAQUE(value);                                   \
		return value;                                         \
	}
CPOL_OF_FAULT_OR_OUT(page)
CPOL_OF_FAULT_OR_OUT(first)
CPOL_OF_FAULT_OR_OUT(last)
/* The area of a fault, as a key of records (bpf_ghost_define.h). */
CPOL_OF_FAULT_OR_OUT(area)

/* Opaque, as those of a fault. */
#define CPOL_OF_OUT(name)                                       \
	CPOL_RELOCATED u64 cpol_out_##name(cpol_ctx *c)         \
	{                                                       \
		u64 value = c->out->name;                       \
                                                                \
		CPOL_OPAQUE(value);                             \
		return value;                                   \
	}
CPOL_OF_OUT(pages)
CPOL_OF_OUT(process)
CPOL_OF_OUT(comm)
CPOL_OF_OUT(comm_rest)
#define cpol_fault_pages(c) cpol_out_pages(c)
#define cpol_fault_process(c) cpol_out_process(c)

/* As cpol_task_comm(). */
CPOL_RELOCATED u64 cpol_fault_comm(cpol_ctx *c)
{
	return cpol_comm_number(cpol_out_comm(c), cpol_out_comm_rest(c));
}

#define CPOL_OF_REQUEST(name)                                   \
	CPOL_RELOCATED u64 cpol_request_##name(cpol_ctx *c)     \
	{                                                       \
		u64 value = c->request->name;                   \
                                                                \
		CPOL_OPAQUE(value);                             \
		return value;                                   \
	}
CPOL_OF_REQUEST(wanted)
CPOL_OF_REQUEST(start)
CPOL_OF_REQUEST(window)

/* Of a request, or of the range in the place of one. Each entry sets one of the two, so no code chooses at run time. */
#define CPOL_OF_REQUEST_OR_RANGE(name)                                        \
	CPOL_RELOCATED u64 cpol_request_##name(cpol_ctx *c)                   \
	{                                                                     \
		u64 value = c->range ? c->range->name : c->request->name;     \
                                                                              \
		CPOL_OPAQUE(value);                                           \
		return value;                                                 \
	}
CPOL_OF_REQUEST_OR_RANGE(index)
CPOL_OF_REQUEST_OR_RANGE(size)

CPOL_RELOCATED u64 cpol_request_pages(cpol_ctx *c)
{
	u64 value = c->range->pages;

	CPOL_OPAQUE(value);
	return value;
}

#define CPOL_FLAG_OF(event, from, name, flag)                   \
	CPOL_RELOCATED bool cpol_##event##_##name(cpol_ctx *c)  \
	{                                                       \
		u32 flags = c->from->flags;                     \
                                                                \
		CPOL_OPAQUE(flags);                             \
		return flags & (flag);                          \
	}
CPOL_FLAG_OF(fault, fault, cached, PREFETCH_EXT_CACHED)
CPOL_FLAG_OF(fault, fault, prefetched, PREFETCH_EXT_PREFETCHED)
CPOL_FLAG_OF(fault, fault, is_new, PREFETCH_EXT_NEW)
CPOL_FLAG_OF(fault, out, shared, PREFETCH_EXT_SHARED)
CPOL_FLAG_OF(fault, out, workingset, PREFETCH_EXT_WORKINGSET)
CPOL_FLAG_OF(request, request, sequential, PREFETCH_EXT_SEQUENTIAL)
CPOL_FLAG_OF(request, request, marker, PREFETCH_EXT_MARKER)
CPOL_FLAG_OF(request, request, mapped, PREFETCH_EXT_MAPPED)

CPOL_RELOCATED struct inode *cpol_request_inode(cpol_ctx *c)
{
	return c->range ? c->range->mapping->host : c->request->mapping->host;
}

/* As cpol_folio_file() and cpol_folio_device(). */
CPOL_RELOCATED u64 cpol_request_file(cpol_ctx *c)
{
	struct inode *inode = cpol_request_inode(c);

	return cpol_mix64(inode->i_ino + cpol_mix64((u64)inode->i_sb->s_dev << 32 | inode->i_generation));
}

CPOL_RELOCATED u64 cpol_request_device(cpol_ctx *c)
{
	u64 device = cpol_request_inode(c)->i_sb->s_dev;

	CPOL_OPAQUE(device);
	return device;
}

#if CPOL_USES_READERS
/* As cpol_folio_readers(). */
CPOL_RELOCATED u64 cpol_request_readers(cpol_ctx *c)
{
	u64 readers = (u32)cpol_request_inode(c)->i_readcount.counter;

	CPOL_OPAQUE(readers);
	return readers;
}
#endif

CPOL_PRIMITIVE u64 cpol_hash_request(cpol_ctx *c, u64 salt)
{
	return cpol_hash_name(cpol_request_file(c), cpol_request_index(c), salt);
}

/* The file of a request, as a key of records. */
#define cpol_area_key(c) cpol_fault_area(c), cpol_fault_first(c)
#define cpol_request_key(c) cpol_request_file(c), 0

#if CPOL_N_INPUTS
#define CPOL_INPUT_REQUEST(c, NAME) cpol_input_find__##NAME(cpol_request_file(c), cpol_request_index(c))
#define cpol_input_has_request(c, NAME) cpol_is_found(CPOL_INPUT_REQUEST(c, NAME))
#define cpol_input_get_request(c, NAME) CPOL_INPUT_VALUE(CPOL_INPUT_REQUEST(c, NAME), NAME)
#endif

/* Negative numbers are beyond the end for the kernel, which takes them as unsigned. */
CPOL_PRIMITIVE void cpol_prefetch_slot(cpol_ctx *c, s64 slot)
{
	bpf_prefetch_ext_slot(c->fault, (u64)slot);
}

CPOL_PRIMITIVE void cpol_prefetch_page(cpol_ctx *c, s64 page)
{
	bpf_prefetch_ext_page(c->fault, (u64)page);
}

CPOL_PRIMITIVE void cpol_prefetch_index(cpol_ctx *c, s64 first, u64 count, s64 stride)
{
	bpf_prefetch_ext_file(c->request, (u64)first, count ? count : 1, stride);
}

CPOL_PRIMITIVE void cpol_default(cpol_ctx *c)
{
	if (c->fault)
		bpf_prefetch_ext_default(c->fault);
	else
		bpf_prefetch_ext_default_file(c->request);
}

/* The kernel holds the policy to its quota. */
CPOL_PRIMITIVE void cpol_hold(cpol_ctx *c)
{
	bpf_prefetch_ext_keep(c->out);
}

CPOL_PRIMITIVE void cpol_drop(cpol_ctx *c)
{
	bpf_prefetch_ext_drop(c->range);
}

CPOL_PRIMITIVE void cpol_flush(cpol_ctx *c, bool wait)
{
	bpf_prefetch_ext_flush(c->range, wait);
}

CPOL_PRIMITIVE void cpol_leave_file(cpol_ctx *c)
{
	bpf_prefetch_ext_leave(c->range);
}

CPOL_PRIMITIVE void cpol_ahead(cpol_ctx *c, u64 pages)
{
	bpf_prefetch_ext_window(c->range, pages);
}

#endif
