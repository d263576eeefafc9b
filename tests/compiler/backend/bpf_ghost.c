/* SPDX-License-Identifier: GPL-2.0-only */
/* bpf_ghost.h as a shared object for test_bpf_ghost.py, which inspects its memory on the host. */
#include <stdio.h>
#include <stdlib.h>

#define CPOL_BPF_KERNEL_H /* the following replaces the kernel's side: */
#include "cpol/types.h"
#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#define CPOL_OPAQUE(value) ((void)(value))
#define CPOL_ADD_APART(value, amount) ((value) += (amount))

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

/* A slot with a record of two words, as in a ghost with fields. */
struct recorded_slot {
	struct cpol_ghost_slot slot;
	u64 words[2];
};

struct tested {
	struct cpol_ghost head;
	struct cpol_ghost_memory m;
	u64 late;     /* adds that found no free slot */
	bool no_pass; /* simulates passes that come too late, as with many processors */
};

/* The loader's layout, in separate memory, so that AddressSanitizer detects overruns. */
struct tested *ghost_new(u64 capacity)
{
	u64 stride = sizeof(struct recorded_slot);
	struct cpol_ghost_sizes sizes = cpol_ghost_sizes_of(capacity, stride);
	struct tested *ghost = calloc(1, sizeof(*ghost));

	if (!ghost)
		return NULL;
	ghost->m = (struct cpol_ghost_memory){ calloc(cpol_ghost_elements(sizes, stride), stride), stride, sizes };
	ghost->head = (struct cpol_ghost)CPOL_GHOST_EMPTY(stride);
	if (ghost->m.blank)
		return ghost;
	free(ghost);
	return NULL;
}

void ghost_free(struct tested *ghost)
{
	free(ghost->m.blank);
	free(ghost);
}

/* As the global functions of bpf_ghost_define.h. */
bool ghost_do(struct tested *ghost, u64 file, u64 index, int op, u64 *words)
{
	struct cpol_ghost_words record = { .first = words[0], .last = words[1] };
	bool found;

	if (!ghost->m.sizes.capacity)
		return false;
	ghost->late += op == CPOL_GHOST_ADD && ghost->head.span >= ghost->m.sizes.last;
	found = cpol_ghost_do(&ghost->head, ghost->m, file, index, (enum cpol_ghost_op)op, &record);
	words[0] = record.first;
	words[1] = record.last;
	if (op == CPOL_GHOST_ADD && ghost->head.cursor && !ghost->no_pass)
		for (int i = 0; i < CPOL_GHOST_STEPS / CPOL_GHOST_STEPS_LOCKED; i++)
			cpol_ghost_pass(&ghost->head, ghost->m);
	return found;
}

/* As cpol_record_set__NAME(): changes the bits of a mask in one word. `words` are those of a new record. */
bool ghost_set(struct tested *ghost, u64 file, u64 word, u64 mask, u64 bits, u64 *words)
{
	struct cpol_ghost_words record = { .first = words[0], .last = words[1], .bits = bits };

	if (!ghost->m.sizes.capacity)
		return false;
	record.first_mask = mask & (word - 1);
	record.last_mask = mask & -word;
	bool found = cpol_ghost_do(&ghost->head, ghost->m, file, 0, CPOL_GHOST_SET, &record);
	for (int i = 0; ghost->head.cursor && i < CPOL_GHOST_STEPS / CPOL_GHOST_STEPS_LOCKED; i++)
		cpol_ghost_pass(&ghost->head, ghost->m);
	return found;
}

u32 ghost_tag(u64 file, u64 index)
{
	return (u32)cpol_ghost_tag(file, index);
}

u32 ghost_bucket(const struct tested *ghost, u64 file, u64 index)
{
	return (u32)(cpol_ghost_head(ghost->m, cpol_ghost_tag(file, index)) - cpol_ghost_head(ghost->m, 0));
}

u32 ghost_count(const struct tested *ghost)
{
	return ghost->head.count;
}

u64 ghost_bytes_of(u64 capacity, u64 stride)
{
	return cpol_ghost_elements(cpol_ghost_sizes_of(capacity, stride), stride) * stride;
}

u64 ghost_most(u64 room, u64 stride)
{
	return cpol_ghost_most(room, stride);
}

void ghost_hold_passes(struct tested *ghost, bool hold)
{
	ghost->no_pass = hold;
}

bool ghost_passes(const struct tested *ghost)
{
	return ghost->head.cursor != 0;
}

u64 ghost_late(const struct tested *ghost)
{
	return ghost->late;
}

/* The slot that is @slots slots newer than the oldest. */
static u32 slot_at(const struct tested *ghost, u32 slots)
{
	return (u32)cpol_ghost_newer(ghost->m, ghost->head.oldest, slots * (u32)ghost->m.stride);
}

/* The tags, oldest first. */
u32 ghost_tags(const struct tested *ghost, u32 *tags)
{
	u32 n = 0;

	for (u32 i = 0; i < ghost->head.span / ghost->m.stride; i++) {
		u32 tag = cpol_ghost_slot(ghost->m, slot_at(ghost, i))->tag;

		if (tag && n < ghost->head.count)
			tags[n++] = tag;
	}
	return n;
}

/* Whether the chain of `tag` has this slot once and is sorted by age. */
static bool is_in_its_chain(const struct tested *ghost, u32 slot, u32 tag)
{
	u64 last = ghost->m.sizes.last, before = 0, found = 0, length = 0;

	for (u32 link = *cpol_ghost_head(ghost->m, tag); link; link = cpol_ghost_slot(ghost->m, link)->next) {
		u64 age = (link + last - ghost->head.oldest) % last;

		if (link > last || ++length > CPOL_GHOST_WALK || age >= ghost->head.span || (length > 1 && age <= before))
			return false;
		before = age;
		found += link == slot;
	}
	return found == 1;
}

/* Return 0 if the invariants of bpf_ghost.h hold, else the number of the broken one. */
int ghost_check(const struct tested *ghost)
{
	const struct cpol_ghost *head = &ghost->head;
	u64 stride = ghost->m.stride, last = ghost->m.sizes.last, entries = 0, chained = 0, run = 0, first = 0;
	bool has_cursor = head->cursor == 0;

	if (cpol_ghost_slot(ghost->m, 0)->next || head->count > ghost->m.sizes.capacity)
		return 1;
	if (head->span > last || head->span % stride || head->count > head->span / stride || !head->span != !head->count)
		return 2;
	for (u32 i = 0; i < head->span / stride; i++) {
		u32 at = slot_at(ghost, i);
		const struct cpol_ghost_slot *slot = cpol_ghost_slot(ghost->m, at);
		bool is_end = i == 0 || i == head->span / stride - 1;

		if (at < stride || at > last || at % stride || (is_end && at != (i ? head->newest : head->oldest)))
			return 3;
		if (!slot->tag) {
			if (is_end)
				return 4;
			if (!run)
				first = slot->next;
			run += stride;
			continue;
		}
		if (run && (first != run || cpol_ghost_slot(ghost->m, cpol_ghost_older(ghost->m, at, (u32)stride))->next != run))
			return 5;
		run = 0;
		entries++;
		has_cursor |= at == head->cursor;
		if (!is_in_its_chain(ghost, at, slot->tag))
			return 6;
	}
	for (u64 bucket = 0; bucket < ghost->m.sizes.buckets; bucket++)
		for (u32 link = cpol_ghost_head(ghost->m, 0)[bucket]; link; link = cpol_ghost_slot(ghost->m, link)->next)
			if (++chained > entries)
				return 7;
	return entries != head->count || chained != entries ? 8 : has_cursor ? 0 : 9;
}
