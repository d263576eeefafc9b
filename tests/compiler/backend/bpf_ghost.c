/* SPDX-License-Identifier: GPL-2.0-only */
/* bpf_ghost.h on the host, where memory can be looked at: as a shared object for test_bpf_ghost.py. */
#include <stdio.h>
#include <stdlib.h>

#define CPOL_BPF_KERNEL_H /* this, instead of the kernel's side: */
#include "cpol/types.h"
#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#define CPOL_OPAQUE(value) ((void)(value))

struct bpf_spin_lock {
	u32 val;
};

static void bpf_spin_lock(struct bpf_spin_lock *lock)
{
	if (lock->val++)
		abort();
}

static void bpf_spin_unlock(struct bpf_spin_lock *lock)
{
	if (--lock->val)
		abort();
}

#define __noinline
#include "cpol/bpf_ghost.h"

/* A slot with a record of two words, as that of a ghost that has fields. */
struct recorded_slot {
	struct cpol_ghost_slot slot;
	u64 words[2];
};


struct tested {
	struct cpol_ghost head;
	u64 capacity;
	struct recorded_slot slots[];
};

struct tested *ghost_new(u64 capacity)
{
	struct tested *ghost = calloc(1, sizeof(*ghost) + capacity * sizeof(*ghost->slots));

	if (ghost)
		ghost->capacity = capacity;
	return ghost;
}

void ghost_free(struct tested *ghost)
{
	free(ghost);
}

bool ghost_do(struct tested *ghost, u64 file, u64 index, int op, u64 *words)
{
	struct cpol_ghost_memory m = { &ghost->slots[0].slot, ghost->capacity, sizeof(struct recorded_slot) };
	struct cpol_ghost_words record = { words[0], words[1] };
	bool found = ghost->capacity && cpol_ghost_do(&ghost->head, m, file, index, (enum cpol_ghost_op)op, &record);

	words[0] = record.first;
	words[1] = record.last;
	return found;
}

/* 0: both orders of links agree, and what is on no list is free. Else the number of the complaint. */
int ghost_check(const struct tested *ghost)
{
	u64 entries = 0, chained = 0, unused = 0;
	u32 before = 0;

	for (u32 link = ghost->head.oldest; link; before = link, link = ghost->slots[link - 1].slot.newer) {
		if (link > ghost->capacity || ++entries > ghost->capacity || ghost->slots[link - 1].slot.older != before)
			return 1;
	}
	if (before != ghost->head.newest || entries != ghost->head.count)
		return 2;
	for (u64 slot = 0; slot < ghost->capacity; slot++) {
		before = 0;
		for (u32 link = ghost->slots[slot].slot.head; link; before = link, link = ghost->slots[link - 1].slot.next)
			if (link > ghost->capacity || ++chained > entries || ghost->slots[link - 1].slot.prev != before)
				return 3;
	}
	for (u32 link = ghost->head.free; link; link = ghost->slots[link - 1].slot.older)
		if (link > ghost->capacity || ++unused > ghost->capacity)
			return 4;
	return chained == entries && entries + unused == ghost->head.used && ghost->head.used <= ghost->capacity ? 0 : 5;
}
