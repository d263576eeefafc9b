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
#include "math.h"

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

/* The slots, how many there are, and bytes from one to the next: its record, if it has one, follows each. */
struct cpol_ghost_memory {
	struct cpol_ghost_slot *slots;
	u64 capacity, stride;
};

/* The slot `link` refers to, or NULL. `slots` is opaque, so that the compiler cannot know that it was declared with one element. */
static __always_inline struct cpol_ghost_slot *cpol_ghost_slot(struct cpol_ghost_memory m, u32 link)
{
	u64 number = (u64)link - 1;

	if (number >= m.capacity)
		return NULL;
	CPOL_OPAQUE(number);
	return (struct cpol_ghost_slot *)((char *)m.slots + number * m.stride);
}

static __always_inline u32 cpol_ghost_bucket(u64 capacity, u64 file, u64 index)
{
	u64 hash = cpol_mix64(file + cpol_mix64(index)) >> 32;

	return (u32)(hash * capacity >> 32) + 1;
}

/* The entry's link, or 0. */
static __always_inline u32 cpol_ghost_find(struct cpol_ghost_memory m, u64 file, u64 index)
{
	struct cpol_ghost_slot *slot = cpol_ghost_slot(m, cpol_ghost_bucket(m.capacity, file, index));
	u32 link;

	if (!slot)
		return 0;
	link = slot->head;
	for (int i = 0; i < CPOL_GHOST_WALK; i++) {
		slot = cpol_ghost_slot(m, link);
		if (!slot)
			return 0;
		if (slot->index == index && slot->file == file)
			return link;
		link = slot->next;
	}
	return 0;
}

/* Takes an entry out of its chain and out of the FIFO, and puts its slot on the free list. */
static __always_inline void cpol_ghost_unlink(struct cpol_ghost *ghost, struct cpol_ghost_memory m, u32 link)
{
	struct cpol_ghost_slot *slot = cpol_ghost_slot(m, link), *other;

	if (!slot)
		return;

	other = cpol_ghost_slot(m, slot->next);
	if (other)
		other->prev = slot->prev;
	other = cpol_ghost_slot(m, slot->prev);
	if (other) {
		other->next = slot->next;
	} else {
		other = cpol_ghost_slot(m, cpol_ghost_bucket(m.capacity, slot->file, slot->index));
		if (other)
			other->head = slot->next;
	}

	other = cpol_ghost_slot(m, slot->newer);
	if (other)
		other->older = slot->older;
	else
		ghost->newest = slot->older;
	other = cpol_ghost_slot(m, slot->older);
	if (other)
		other->newer = slot->newer;
	else
		ghost->oldest = slot->newer;

	slot->older = ghost->free;
	ghost->free = link;
	ghost->count--;
}

/* A free slot's link; there is one whenever count is below capacity. */
static __always_inline u32 cpol_ghost_free(struct cpol_ghost *ghost, struct cpol_ghost_memory m)
{
	u32 link = ghost->free;
	struct cpol_ghost_slot *slot = cpol_ghost_slot(m, link);

	if (slot) {
		ghost->free = slot->older;
		return link;
	}
	return ++ghost->used;
}

/* The slot of a new entry; NULL: there is none. */
static __always_inline struct cpol_ghost_slot *cpol_ghost_insert(struct cpol_ghost *ghost, struct cpol_ghost_memory m, u64 file,
								 u64 index)
{
	u32 link = cpol_ghost_free(ghost, m);
	struct cpol_ghost_slot *slot = cpol_ghost_slot(m, link), *bucket, *other;

	if (!slot)
		return NULL;
	bucket = cpol_ghost_slot(m, cpol_ghost_bucket(m.capacity, file, index));
	if (!bucket)
		return NULL;

	slot->file = file;
	slot->index = index;
	slot->prev = 0;
	slot->next = bucket->head;
	other = cpol_ghost_slot(m, slot->next);
	if (other)
		other->prev = link;
	bucket->head = link;

	slot->newer = 0;
	slot->older = ghost->newest;
	other = cpol_ghost_slot(m, slot->older);
	if (other)
		other->newer = link;
	else
		ghost->oldest = link;
	ghost->newest = link;
	ghost->count++;
	return slot;
}

enum cpol_ghost_op { CPOL_GHOST_HAS, CPOL_GHOST_TAKE, CPOL_GHOST_ADD, CPOL_GHOST_LOAD, CPOL_GHOST_FORGET };

/* The words of a record: to be stored by ADD, or what LOAD gives. */
struct cpol_ghost_words {
	u64 first, last;
};

/* Whether there was an entry; of FORGET: whether there was any. */
static __always_inline bool cpol_ghost_do(struct cpol_ghost *ghost, struct cpol_ghost_memory m, u64 file, u64 index,
					  enum cpol_ghost_op op, struct cpol_ghost_words *words)
{
	u64 n_words = (m.stride - sizeof(struct cpol_ghost_slot)) / sizeof(u64), *record;
	struct cpol_ghost_slot *slot = NULL;
	u32 link;

	bpf_spin_lock(&ghost->lock);
	link = op == CPOL_GHOST_FORGET ? ghost->oldest : cpol_ghost_find(m, file, index);
	if (op == CPOL_GHOST_LOAD)
		slot = cpol_ghost_slot(m, link);
	if (op != CPOL_GHOST_HAS && op != CPOL_GHOST_LOAD && link)
		cpol_ghost_unlink(ghost, m, link);
	if (op == CPOL_GHOST_ADD) {
		if (ghost->count >= m.capacity)
			cpol_ghost_unlink(ghost, m, ghost->oldest);
		slot = cpol_ghost_insert(ghost, m, file, index);
	}
	if (slot && n_words != 0) {
		record = (u64 *)(slot + 1);
		if (op == CPOL_GHOST_ADD) {
			record[0] = words->first;
			record[n_words - 1] = words->last;
		} else {
			words->first = record[0];
			words->last = record[n_words - 1];
		}
	}
	bpf_spin_unlock(&ghost->lock);
	return link != 0;
}

#endif
