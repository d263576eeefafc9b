/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory of a ghost in BPF (bpf_ghost.h): the ring of slots, runs of holes, heads of hash chains. */
#ifndef CPOL_BPF_GHOST_SLOTS_H
#define CPOL_BPF_GHOST_SLOTS_H

#include "bpf_kernel.h"
#include "ghost_sizes.h"
#include "math.h"

struct cpol_ghost {
	struct bpf_spin_lock lock;
	u32 count;          /* entries */
	u32 span;           /* bytes from the oldest to the end of the newest, holes included */
	u32 oldest, newest; /* slots of entries, if there are any */
	u32 cursor;         /* of the pass: an entry's slot; 0: no pass */
};

_Static_assert(offsetof(struct cpol_ghost, count) == CPOL_GHOST_COUNT, "the loader reads it");

/* The initial value. */
#define CPOL_GHOST_EMPTY(stride) { .oldest = (stride) }

struct cpol_ghost_slot {
	u32 tag;  /* 0: a hole, or never used */
	u32 next; /* the chain's next entry, or 0; in a hole at an end of its run, the run's length in bytes */
};

/* The blank slot, and the bytes from one slot to the next. A record, if entries have one, follows each slot. */
struct cpol_ghost_memory {
	char *blank;
	u64 stride;
	struct cpol_ghost_sizes sizes;
};

/* The slot at an offset. The opaque values keep clang from turning the rare branch into a conditional move. */
static __always_inline struct cpol_ghost_slot *cpol_ghost_slot(struct cpol_ghost_memory m, u64 offset)
{
	CPOL_OPAQUE(offset);
	if (__builtin_expect(offset > m.sizes.last, 0)) {
		offset = 0;
		CPOL_OPAQUE(offset);
	}
	return (struct cpol_ghost_slot *)(m.blank + offset);
}

/* The offset of the slot that is so many bytes newer, or older, on the ring. */
static __always_inline u64 cpol_ghost_newer(struct cpol_ghost_memory m, u64 offset, u64 bytes)
{
	CPOL_ADD_APART(offset, bytes);
	if (__builtin_expect(offset > m.sizes.last, 0)) {
		offset -= m.sizes.last;
		CPOL_OPAQUE(offset);
	}
	return offset;
}

static __always_inline u64 cpol_ghost_older(struct cpol_ghost_memory m, u64 offset, u64 bytes)
{
	if (__builtin_expect(offset <= bytes, 0)) {
		offset += m.sizes.last;
		CPOL_OPAQUE(offset);
	}
	return offset - bytes;
}

static __always_inline u64 cpol_ghost_tag(u64 file, u64 index)
{
	u64 hash = file + index * CPOL_RANDOM_STEP; /* a file's id is mixed already */

	hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93ULL >> 32;
	CPOL_OPAQUE(hash); /* keeps the comparison at 32 bits, which is faster */
	return hash ? hash : 1;
}

/* The head of the chain of a 32-bit tag. */
static __always_inline u32 *cpol_ghost_head(struct cpol_ghost_memory m, u64 tag)
{
	u64 bucket = tag * m.sizes.buckets >> 32;

	CPOL_OPAQUE(bucket);
	return (u32 *)(m.blank + m.sizes.last + m.stride) + bucket;
}

/*
 * Merges the `length` bytes from `first`, which have no entries any more, with adjacent runs into one run. Returns the slot of the entry
 * below it; 0: there is none.
 */
static __always_inline u64 cpol_ghost_vacate(struct cpol_ghost *ghost, struct cpol_ghost_memory m, u64 first, u64 length)
{
	u64 stride = m.stride, last = cpol_ghost_newer(m, first, length - stride), below;
	struct cpol_ghost_slot *beside;

	if (first != ghost->oldest) {
		beside = cpol_ghost_slot(m, cpol_ghost_older(m, first, stride));
		if (!beside->tag) {
			length += beside->next;
			first = cpol_ghost_older(m, first, beside->next);
		}
	}
	if (last != ghost->newest) {
		beside = cpol_ghost_slot(m, cpol_ghost_newer(m, last, stride));
		if (!beside->tag) {
			length += beside->next;
			last = cpol_ghost_newer(m, last, beside->next);
		}
	}

	if (first == ghost->oldest) {
		ghost->oldest = (u32)cpol_ghost_newer(m, last, stride);
		ghost->span -= (u32)length;
		return 0;
	}
	below = cpol_ghost_older(m, first, stride);
	if (last == ghost->newest) {
		ghost->newest = (u32)below;
		ghost->span -= (u32)length;
		return below;
	}
	cpol_ghost_slot(m, first)->next = (u32)length;
	cpol_ghost_slot(m, last)->next = (u32)length;
	return below;
}

#endif
