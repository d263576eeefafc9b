/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ghosts in BPF: a bounded FIFO of names of folios, found by hash (docs/semantics.md). ghost.h is the same for the host.
 *
 *     .data.ghost_NAME                  one BPF array map with one value, so that one spin lock can cover all of it
 *     +----------------------------+
 *     | lock, count, oldest, ...   |    struct cpol_ghost
 *     +----------------------------+
 *     | blank | slot | slot | ...  |    a ring in the order of the FIFO, named by their offsets
 *     +----------------------------+
 *     | head | head | head | ...   |    heads of the hash chains; the loader makes the map large enough (ghost_sizes.h)
 *     +----------------------------+
 *
 * Identity: an entry has a 32-bit tag, a hash of its (file, index). Names with the same tag are one entry, as in S3-FIFO (SOSP '23,
 * section 4.2). The tag also selects the chain, so an entry can leave without its name.
 *
 * Chains have the order of the FIFO, with new entries at the end. So the oldest entry is the first of its chain and leaves without a
 * search. No chain is longer than CPOL_GHOST_WALK: a longer one would lose its first entry (never seen at 4 entries per chain).
 *
 * Holes: an entry that is taken, or added again, leaves a hole. Adjacent holes form a run, and its first and last slot hold its length.
 * The ends of the ring, `oldest` and `newest`, are never holes: a run at an end becomes free. When free slots get few, a pass removes
 * the other holes. Its cursor goes down from `newest`. It moves each entry below a run to the upper end of that run. So the run goes
 * down with the cursor, merges with others, and becomes free at `oldest`.
 *
 * Locking: everything runs under the ghost's lock, where the verifier allows neither helpers nor kfuncs. Each index is checked before
 * use. Out-of-range indices cannot occur; if they did, they would hit the blank slot. Each operation is a global function, which the
 * verifier checks once, no matter how many paths lead to it.
 */
#ifndef CPOL_BPF_GHOST_H
#define CPOL_BPF_GHOST_H

#include "bpf_ghost_slots.h"

#define CPOL_GHOST_WALK 32

/* What a search found. */
struct cpol_ghost_found {
	u32 *link; /* the link to the entry; if there is none, the end of the chain */
	u32 slot;  /* the entry's slot; 0: none */
	bool full; /* there is none, and the chain has the greatest length */
};

/* The blank slot gets the tag as a sentinel, so that a step need not test for the end of the chain. */
static __always_inline struct cpol_ghost_found cpol_ghost_find(struct cpol_ghost_memory m, u64 tag)
{
	u32 *link = cpol_ghost_head(m, tag);
	int i;

	((struct cpol_ghost_slot *)m.blank)->tag = (u32)tag;
#pragma clang loop unroll_count(8)
	for (i = 0; i < CPOL_GHOST_WALK; i++) {
		struct cpol_ghost_slot *slot;
		u64 at = *link;

		if (at > m.sizes.last)
			break; /* cannot occur */
		CPOL_OPAQUE(at);
		slot = (struct cpol_ghost_slot *)(m.blank + at);
		if (slot->tag == tag)
			break;
		link = &slot->next;
	}
	/* Volatile: one load here saves a copy at each step. */
	return (struct cpol_ghost_found){ link, *(volatile u32 *)link, i == CPOL_GHOST_WALK };
}

/* The end of the chain from `link` on. */
static __always_inline u32 *cpol_ghost_end(struct cpol_ghost_memory m, u32 *link)
{
	for (int i = 0; i < CPOL_GHOST_WALK && *link; i++)
		link = &cpol_ghost_slot(m, *link)->next;
	return link;
}

/* Removes the entry that `link` points to. */
static __always_inline void cpol_ghost_remove(struct cpol_ghost *ghost, struct cpol_ghost_memory m, u32 *link)
{
	u64 gone = *link, below;
	struct cpol_ghost_slot *slot = cpol_ghost_slot(m, gone);

	*link = slot->next;
	slot->tag = 0;
	ghost->count--;
	below = cpol_ghost_vacate(ghost, m, gone, m.stride);
	if (ghost->cursor == gone)
		ghost->cursor = (u32)below;
}

/*
 * Removes the oldest entry, which is the first of its chain. There must be one. Returns the end of the chain that ended at `end`, which
 * changes if the removed entry held it.
 */
static __always_inline u32 *cpol_ghost_remove_oldest(struct cpol_ghost *ghost, struct cpol_ghost_memory m, u32 *end)
{
	u64 gone = ghost->oldest, stride = m.stride, length = stride, next = cpol_ghost_newer(m, gone, stride);
	struct cpol_ghost_slot *slot = cpol_ghost_slot(m, gone), *beside = cpol_ghost_slot(m, next);
	u32 *head = cpol_ghost_head(m, slot->tag);

	*head = slot->next;
	ghost->count--;
	if (gone != ghost->newest && !beside->tag) {
		length += beside->next;
		next = cpol_ghost_newer(m, next, beside->next);
	}
	ghost->oldest = (u32)next;
	ghost->span -= (u32)length;
	if (ghost->cursor == gone)
		ghost->cursor = 0;
	return end == &slot->next ? head : end;
}

/* Makes `tag` the newest entry and returns its slot; NULL: no slot is free. */
static __always_inline struct cpol_ghost_slot *cpol_ghost_insert(struct cpol_ghost *ghost, struct cpol_ghost_memory m, u64 tag,
								 struct cpol_ghost_found found)
{
	u64 span, newest;
	u32 *end = found.link;
	struct cpol_ghost_slot *slot;

	/* At most one entry leaves: that of the tag, or the first of a full chain, or the oldest. */
	if (found.slot || found.full) {
		cpol_ghost_remove(ghost, m, found.full ? cpol_ghost_head(m, tag) : found.link);
		end = cpol_ghost_end(m, end);
	} else if (ghost->count >= m.sizes.capacity || ghost->span >= m.sizes.last) {
		end = cpol_ghost_remove_oldest(ghost, m, end);
	}
	span = ghost->span;
	if (span >= m.sizes.last)
		return NULL; /* only if the passes of concurrent adds are late (ghost_sizes.h) */

	span += m.stride;
	newest = cpol_ghost_newer(m, ghost->newest, m.stride);
	ghost->newest = (u32)newest;
	ghost->span = (u32)span;
	ghost->count++;
	*end = (u32)newest;
	slot = cpol_ghost_slot(m, newest);
	slot->tag = (u32)tag;
	slot->next = 0;
	if (span >= m.sizes.crowded && !ghost->cursor)
		ghost->cursor = (u32)newest;
	return slot;
}

/* One step of the pass. */
static __always_inline void cpol_ghost_pass_entry(struct cpol_ghost *ghost, struct cpol_ghost_memory m)
{
	u64 words = (m.stride - sizeof(struct cpol_ghost_slot)) / sizeof(u64);
	u64 at = *(volatile u32 *)&ghost->cursor, gap = 0, below = 0, to; /* volatile: the verifier starts afresh at each entry */
	u32 *link;
	struct cpol_ghost_slot *slot, *beside;

	if (!at)
		return;
	slot = cpol_ghost_slot(m, at);
	if (at != ghost->newest) {
		beside = cpol_ghost_slot(m, cpol_ghost_newer(m, at, m.stride));
		if (!beside->tag)
			gap = beside->next;
	}
	if (gap) {
		link = cpol_ghost_head(m, slot->tag);
		for (int i = 0; i < CPOL_GHOST_WALK && *link != at; i++)
			link = &cpol_ghost_slot(m, *link)->next;
		if (*link == at) { /* always */
			to = cpol_ghost_newer(m, at, gap);
			beside = cpol_ghost_slot(m, to);
			*link = (u32)to;
			beside->tag = slot->tag;
			beside->next = slot->next;
			if (words != 0) {
				((u64 *)(beside + 1))[0] = ((u64 *)(slot + 1))[0];
				((u64 *)(beside + 1))[words - 1] = ((u64 *)(slot + 1))[words - 1];
			}
			slot->tag = 0;
			below = cpol_ghost_vacate(ghost, m, at, gap);
		}
	} else if (at != ghost->oldest) {
		below = cpol_ghost_older(m, at, m.stride);
		beside = cpol_ghost_slot(m, below);
		if (!beside->tag)
			below = cpol_ghost_older(m, below, beside->next);
	}
	ghost->cursor = (u32)below;
}

/* Steps of the pass per hold of the lock: few, so that the verifier has fewer paths and other CPUs wait for a shorter time. */
#define CPOL_GHOST_STEPS_LOCKED 4

static __always_inline void cpol_ghost_pass(struct cpol_ghost *ghost, struct cpol_ghost_memory m)
{
	bpf_spin_lock(&ghost->lock);
	for (int i = 0; i < CPOL_GHOST_STEPS_LOCKED; i++)
		cpol_ghost_pass_entry(ghost, m);
	bpf_spin_unlock(&ghost->lock);
}

enum cpol_ghost_op { CPOL_GHOST_HAS, CPOL_GHOST_TAKE, CPOL_GHOST_ADD, CPOL_GHOST_LOAD, CPOL_GHOST_FORGET, CPOL_GHOST_PASS, CPOL_GHOST_SET, CPOL_GHOST_OLDEST };

/*
 * The words of a record: ADD stores them, LOAD sets them. SET starts from those of the entry, if there is one, and changes the bits of the
 * masks in them.
 */
struct cpol_ghost_words {
	u64 first, last;
	u64 first_mask, last_mask, bits;
};

static __always_inline void cpol_ghost_merge(struct cpol_ghost_words *words, u64 *record, u64 n_words)
{
	if (record) {
		words->first = record[0];
		words->last = record[n_words - 1];
	}
	words->first = (words->first & ~words->first_mask) | (words->bits & words->first_mask);
	words->last = (words->last & ~words->last_mask) | (words->bits & words->last_mask);
}

/* Returns whether there was an entry of that name; FORGET and OLDEST return whether there was any. */
static __always_inline bool cpol_ghost_do(struct cpol_ghost *ghost, struct cpol_ghost_memory m, u64 file, u64 index,
					  enum cpol_ghost_op op, struct cpol_ghost_words *words)
{
	u64 n_words = (m.stride - sizeof(struct cpol_ghost_slot)) / sizeof(u64), *record;
	struct cpol_ghost_found found = {};
	struct cpol_ghost_slot *slot = NULL;
	u64 tag = cpol_ghost_tag(file, index);
	bool known;

	CPOL_OPAQUE(tag); /* compute it before taking the lock */
	bpf_spin_lock(&ghost->lock);
	if (op == CPOL_GHOST_FORGET) {
		known = ghost->count != 0;
		if (known)
			cpol_ghost_remove_oldest(ghost, m, NULL);
	} else if (op == CPOL_GHOST_OLDEST) {
		known = ghost->count != 0;
		if (known)
			slot = cpol_ghost_slot(m, ghost->oldest);
	} else {
		found = cpol_ghost_find(m, tag);
		known = found.slot != 0;
		if (op == CPOL_GHOST_TAKE && known)
			cpol_ghost_remove(ghost, m, found.link);
		if (op == CPOL_GHOST_LOAD && known)
			slot = cpol_ghost_slot(m, found.slot);
		if (op == CPOL_GHOST_SET && known) {
			slot = cpol_ghost_slot(m, found.slot);
			cpol_ghost_merge(words, (u64 *)(slot + 1), n_words);
		} else if (op == CPOL_GHOST_SET) {
			cpol_ghost_merge(words, NULL, n_words);
		}
		/* The newest entry stays where it is: most writes to a file's record follow another one. */
		if (op == CPOL_GHOST_ADD || (op == CPOL_GHOST_SET && (!known || found.slot != ghost->newest)))
			slot = cpol_ghost_insert(ghost, m, tag, found);
	}
	if (slot && n_words != 0) {
		record = (u64 *)(slot + 1);
		if (op == CPOL_GHOST_ADD || op == CPOL_GHOST_SET) {
			record[0] = words->first;
			record[n_words - 1] = words->last;
		} else {
			words->first = record[0];
			words->last = record[n_words - 1];
		}
	}
	bpf_spin_unlock(&ghost->lock);
	return known;
}

#endif
