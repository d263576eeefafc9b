/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ghosts in BPF: a bounded FIFO of (file, index), found by hash. Meaning: docs/semantics.md; ghost.h is the host's twin.
 *
 *     .data.ghost_NAME                  one BPF array map with one value, so that one spin lock can cover all of it
 *     +----------------------------+
 *     | lock, count, newest, ...   |    struct cpol_ghost
 *     +----------------------------+
 *     | slot | slot | slot | ...   |    as many as the capacity: the loader resizes the map before it loads
 *     +----------------------------+
 *
 * A slot is an entry, and, independently, the head of a hash chain: slot h heads the chain of all entries whose key hashes
 * to h. Entries are linked twice, into their chain and into the FIFO (or the list of free ones), by slot number plus one; 0
 * is none. Everything happens under the lock, where the verifier allows neither helpers nor kfuncs: plain C, each slot
 * number checked before use. A chain is followed for CPOL_GHOST_WALK entries; an entry beyond that (at one entry a
 * slot: never seen) is not found, but still linked, and leaves when it is the oldest.
 *
 * Each operation is a global function, which the verifier checks once, whatever number of paths lead to it.
 */
#ifndef CPOL_BPF_GHOST_H
#define CPOL_BPF_GHOST_H

#include "bpf_kernel.h"

#define CPOL_GHOST_WALK 32

struct cpol_ghost {
	struct bpf_spin_lock lock;
	u32 count;  /* entries */
	u32 used;   /* slots ever used: those from here on are free and blank */
	u32 free;   /* list of slots that were used and are free, linked by older */
	u32 newest; /* the FIFO's ends */
	u32 oldest;
};

struct cpol_ghost_slot {
	u64 file;
	u64 index;
	u32 newer, older; /* FIFO */
	u32 next, prev;   /* chain */
	u32 head;         /* of the chain of the keys that hash to this slot's number */
	u32 pad;
};

static __always_inline u64 cpol_mix64(u64 x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/* The slot `link` refers to, or NULL. `slots` is opaque, so that the compiler cannot know that it was declared with one element. */
static __always_inline struct cpol_ghost_slot *cpol_ghost_slot(struct cpol_ghost_slot *slots, u64 capacity, u32 link)
{
	u64 number = (u64)link - 1;

	if (number >= capacity)
		return NULL;
	CPOL_OPAQUE(number);
	return slots + number;
}

static __always_inline u32 cpol_ghost_bucket(u64 capacity, u64 file, u64 index)
{
	u64 hash = cpol_mix64(file + cpol_mix64(index)) >> 32;

	return (u32)(hash * capacity >> 32) + 1;
}

/* The entry's link, or 0. */
static __always_inline u32 cpol_ghost_find(struct cpol_ghost_slot *slots, u64 capacity, u64 file, u64 index)
{
	struct cpol_ghost_slot *slot = cpol_ghost_slot(slots, capacity, cpol_ghost_bucket(capacity, file, index));
	u32 link;

	if (!slot)
		return 0;
	link = slot->head;
	for (int i = 0; i < CPOL_GHOST_WALK; i++) {
		slot = cpol_ghost_slot(slots, capacity, link);
		if (!slot)
			return 0;
		if (slot->index == index && slot->file == file)
			return link;
		link = slot->next;
	}
	return 0;
}

/* Takes an entry out of its chain and out of the FIFO, and puts its slot on the free list. */
static __always_inline void cpol_ghost_unlink(struct cpol_ghost *ghost, struct cpol_ghost_slot *slots, u64 capacity, u32 link)
{
	struct cpol_ghost_slot *slot = cpol_ghost_slot(slots, capacity, link), *other;

	if (!slot)
		return;

	other = cpol_ghost_slot(slots, capacity, slot->next);
	if (other)
		other->prev = slot->prev;
	other = cpol_ghost_slot(slots, capacity, slot->prev);
	if (other) {
		other->next = slot->next;
	} else {
		other = cpol_ghost_slot(slots, capacity, cpol_ghost_bucket(capacity, slot->file, slot->index));
		if (other)
			other->head = slot->next;
	}

	other = cpol_ghost_slot(slots, capacity, slot->newer);
	if (other)
		other->older = slot->older;
	else
		ghost->newest = slot->older;
	other = cpol_ghost_slot(slots, capacity, slot->older);
	if (other)
		other->newer = slot->newer;
	else
		ghost->oldest = slot->newer;

	slot->older = ghost->free;
	ghost->free = link;
	ghost->count--;
}

/* A free slot's link; there is one whenever count is below capacity. */
static __always_inline u32 cpol_ghost_free(struct cpol_ghost *ghost, struct cpol_ghost_slot *slots, u64 capacity)
{
	u32 link = ghost->free;
	struct cpol_ghost_slot *slot = cpol_ghost_slot(slots, capacity, link);

	if (slot) {
		ghost->free = slot->older;
		return link;
	}
	return ++ghost->used;
}

static __always_inline void cpol_ghost_insert(struct cpol_ghost *ghost, struct cpol_ghost_slot *slots, u64 capacity, u64 file,
					      u64 index)
{
	u32 link = cpol_ghost_free(ghost, slots, capacity);
	struct cpol_ghost_slot *slot = cpol_ghost_slot(slots, capacity, link), *bucket, *other;

	if (!slot)
		return;
	bucket = cpol_ghost_slot(slots, capacity, cpol_ghost_bucket(capacity, file, index));
	if (!bucket)
		return;

	slot->file = file;
	slot->index = index;
	slot->prev = 0;
	slot->next = bucket->head;
	other = cpol_ghost_slot(slots, capacity, slot->next);
	if (other)
		other->prev = link;
	bucket->head = link;

	slot->newer = 0;
	slot->older = ghost->newest;
	other = cpol_ghost_slot(slots, capacity, slot->older);
	if (other)
		other->newer = link;
	else
		ghost->oldest = link;
	ghost->newest = link;
	ghost->count++;
}

enum cpol_ghost_op { CPOL_GHOST_HAS, CPOL_GHOST_TAKE, CPOL_GHOST_ADD };

static __always_inline bool cpol_ghost_do(struct cpol_ghost *ghost, struct cpol_ghost_slot *slots, u64 capacity, u64 file,
					  u64 index, enum cpol_ghost_op op)
{
	u32 link;

	bpf_spin_lock(&ghost->lock);
	link = cpol_ghost_find(slots, capacity, file, index);
	if (op != CPOL_GHOST_HAS && link)
		cpol_ghost_unlink(ghost, slots, capacity, link);
	if (op == CPOL_GHOST_ADD) {
		if (ghost->count >= capacity)
			cpol_ghost_unlink(ghost, slots, capacity, ghost->oldest);
		cpol_ghost_insert(ghost, slots, capacity, file, index);
	}
	bpf_spin_unlock(&ghost->lock);
	return link != 0;
}

/*
 * Defines the ghost NAME. Hidden variables make libbpf not map them into user space, which a map with a lock does not allow.
 * The loader sets cpol_ghost_limit__NAME and the size of the map together; slots must stay the last variable.
 */
#define CPOL_BPF_GHOST(NAME)                                                                                                   \
	const volatile u64 cpol_ghost_limit__##NAME SEC(".rodata") = 0;                                                      \
	__hidden struct cpol_ghost cpol_ghost_head__##NAME SEC(".data.ghost_" #NAME) = {};                                           \
	__hidden struct cpol_ghost_slot cpol_ghost_slots__##NAME[1] SEC(".data.ghost_" #NAME) = {};                             \
	static __always_inline bool cpol_ghost_do__##NAME(u64 file, u64 index, enum cpol_ghost_op op)                           \
	{                                                                                                                      \
		struct cpol_ghost_slot *slots = cpol_ghost_slots__##NAME;                                                       \
		u64 capacity = cpol_ghost_limit__##NAME;                                                                     \
                                                                                                                               \
		CPOL_OPAQUE(slots);                                                                                            \
		return capacity && cpol_ghost_do(&cpol_ghost_head__##NAME, slots, capacity, file, index, op);                        \
	}                                                                                                                      \
	__noinline int cpol_ghost_has__##NAME(u64 file, u64 index)                                                              \
	{                                                                                                                      \
		return cpol_ghost_do__##NAME(file, index, CPOL_GHOST_HAS);                                                      \
	}                                                                                                                      \
	__noinline int cpol_ghost_take__##NAME(u64 file, u64 index)                                                             \
	{                                                                                                                      \
		return cpol_ghost_do__##NAME(file, index, CPOL_GHOST_TAKE);                                                     \
	}                                                                                                                      \
	__noinline int cpol_ghost_add__##NAME(u64 file, u64 index)                                                              \
	{                                                                                                                      \
		return cpol_ghost_do__##NAME(file, index, CPOL_GHOST_ADD);                                                      \
	}

#endif
