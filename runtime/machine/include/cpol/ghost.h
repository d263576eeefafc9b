/* SPDX-License-Identifier: MIT */
/*
 * Ghosts on the host: a bounded FIFO of the names of removed folios, with an index. bpf_ghost.h is the same for BPF.
 *
 *     places[number] --> entry                       the index of a trace: by the numbers of objects
 *     buckets[hash & mask] --> entry <--> entry      the other: chains, doubly linked, so that forgetting never walks one
 *     entry 0 <--> oldest <--> … <--> newest <--> entry 0    the FIFO of live entries; a taken entry leaves it at once
 *     free --> entry --> …                           entries that were taken or forgotten
 *
 * All memory is flat and zero at first. 0 means no entry, also in a place or a bucket. There are capacity + 1 entries besides entry 0,
 * since one may be held (docs/semantics.md): it can be found, but is neither forgotten nor counted.
 *
 * Entry 0 is the head of the FIFO. Nobody reads its `before`, so what has no neighbour in a chain writes there; its `after` stays 0. So
 * no branch depends on neighbours, nor on which entry of a chain is the right one. Nobody could foretell these: they are as random as
 * hashes, and took a third of the time of a miss.
 *
 * A look-up tries CPOL_GHOST_PROBES entries of a chain. There are at least as many buckets as entries, so with a good hash no chain
 * comes near that, and few have more than two.
 */
#ifndef CPOL_GHOST_H
#define CPOL_GHOST_H

#include "cpol/types.h"

#define CPOL_GHOST_PROBES 64

/* In a trace of ids, ghosts of folios have places; those of files and threads (CPOL_OWNER_RECORDS) have chains. */
#if CPOL_GHOST_FILES
#define CPOL_GHOST_CHAINS 1
#define CPOL_GHOST_HAS_PLACES(ghost) false
#elif defined(CPOL_OWNER_RECORDS)
#define CPOL_GHOST_CHAINS 1
#define CPOL_GHOST_HAS_PLACES(ghost) ((ghost)->places != NULL)
#else
#define CPOL_GHOST_CHAINS 0
#define CPOL_GHOST_HAS_PLACES(ghost) true
#endif

struct cpol_ghost_key {
	u64 index; /* in a trace of ids the number of the object, or a hash */
#if CPOL_GHOST_FILES
	u64 file;
#endif
};

struct cpol_ghost_entry {
	struct cpol_ghost_key key;
	u32 newer, older;   /* in the FIFO; `newer` also links the free entries */
#if CPOL_GHOST_CHAINS
	u32 after, before;  /* in the chain */
#endif
#if CPOL_GHOST_FILES
	u64 hash;
#endif
};

#if CPOL_GHOST_FILES
#define CPOL_GHOST_HASH(entry) ((entry)->hash)
#else
#define CPOL_GHOST_HASH(entry) ((entry)->key.index) /* cpol_mix is a bijection, so the hash is the key, too */
#endif

struct cpol_ghost {
	struct cpol_ghost_entry *entries; /* capacity + 2; NULL: there is no memory yet */
#if CPOL_GHOST_CHAINS
	u32 *buckets;                     /* mask + 1, a power of two */
	u32 mask;
#endif
#if !CPOL_GHOST_FILES
	u32 *places;                      /* that of the first object; NULL: there are chains */
#endif
	u32 capacity;
	u32 count;                        /* live entries, without the held one */
	u32 free;
	u32 used;                         /* entries that were ever in use */
	u32 held;                         /* the entry of the name that is held; 0: it has none, or no name is held */
};

#define cpol_ghost_entry(ghost, number) (&(ghost)->entries[number])
#define cpol_ghost_bucket(ghost, hash) (&(ghost)->buckets[(u32)(hash) & (ghost)->mask])
#define cpol_ghost_place(ghost, key) (&(ghost)->places[(key)->index * CPOL_GHOST_APART])

CPOL_INLINE bool cpol_ghost_same(const struct cpol_ghost_key *a, const struct cpol_ghost_key *b)
{
#if CPOL_GHOST_FILES
	return a->index == b->index && a->file == b->file;
#else
	return a->index == b->index;
#endif
}

/* The entries of the FIFO, held or not: the first one, or 0, is followed by its `newer`. */
#define cpol_ghost_first(ghost) ((ghost)->entries[0].newer)
#define cpol_ghost_newest(ghost) ((ghost)->entries[0].older)

/* `number` if it is that of the entry of `key`, else 0. */
CPOL_INLINE u32 cpol_ghost_if_same(struct cpol_ghost *ghost, u32 number, const struct cpol_ghost_key *key)
{
	return number & -(u32)cpol_ghost_same(&cpol_ghost_entry(ghost, number)->key, key);
}

#if CPOL_GHOST_CHAINS
CPOL_INLINE u32 cpol_ghost_find_in_chain(struct cpol_ghost *ghost, const struct cpol_ghost_key *key, u64 hash)
{
	u32 first = *cpol_ghost_bucket(ghost, hash);
	u32 second = cpol_ghost_entry(ghost, first)->after;
	u32 number = cpol_ghost_entry(ghost, second)->after;
	u32 found = cpol_ghost_if_same(ghost, first, key) | cpol_ghost_if_same(ghost, second, key);

	if (__builtin_expect(number == 0, 1))
		return found;
	for (u32 probes = 2; !found && number != 0 && probes < CPOL_GHOST_PROBES; probes++) {
		found = cpol_ghost_if_same(ghost, number, key);
		number = cpol_ghost_entry(ghost, number)->after;
	}
	return found;
}

CPOL_INLINE void cpol_ghost_chain(struct cpol_ghost *ghost, u32 number, struct cpol_ghost_entry *entry)
{
	u32 *bucket = cpol_ghost_bucket(ghost, CPOL_GHOST_HASH(entry));

	entry->before = 0;
	entry->after = *bucket;
	cpol_ghost_entry(ghost, *bucket)->before = number;
	*bucket = number;
}

CPOL_INLINE void cpol_ghost_unchain(struct cpol_ghost *ghost, struct cpol_ghost_entry *entry)
{
	u32 *bucket = cpol_ghost_bucket(ghost, CPOL_GHOST_HASH(entry));
	u32 *behind = &cpol_ghost_entry(ghost, entry->before)->after;

	*(entry->before ? behind : bucket) = entry->after;
	cpol_ghost_entry(ghost, entry->after)->before = entry->before;
}
#endif

/* The number of the entry of `key`, or 0. */
CPOL_INLINE u32 cpol_ghost_find(struct cpol_ghost *ghost, const struct cpol_ghost_key *key, u64 hash)
{
	(void)hash;
#if !CPOL_GHOST_FILES
	if (CPOL_GHOST_HAS_PLACES(ghost))
		return *cpol_ghost_place(ghost, key);
#endif
#if CPOL_GHOST_CHAINS
	return cpol_ghost_find_in_chain(ghost, key, hash);
#endif
}

/* Makes an entry that is new one that can be found. */
CPOL_INLINE void cpol_ghost_insert(struct cpol_ghost *ghost, u32 number, struct cpol_ghost_entry *entry)
{
#if !CPOL_GHOST_FILES
	if (CPOL_GHOST_HAS_PLACES(ghost)) {
		*cpol_ghost_place(ghost, &entry->key) = number;
		return;
	}
#endif
#if CPOL_GHOST_CHAINS
	cpol_ghost_chain(ghost, number, entry);
#endif
}

CPOL_INLINE void cpol_ghost_delete(struct cpol_ghost *ghost, struct cpol_ghost_entry *entry)
{
#if !CPOL_GHOST_FILES
	if (CPOL_GHOST_HAS_PLACES(ghost)) {
		*cpol_ghost_place(ghost, &entry->key) = 0;
		return;
	}
#endif
#if CPOL_GHOST_CHAINS
	cpol_ghost_unchain(ghost, entry);
#endif
}

CPOL_INLINE void cpol_ghost_unlink(struct cpol_ghost *ghost, struct cpol_ghost_entry *entry)
{
	cpol_ghost_entry(ghost, entry->older)->newer = entry->newer;
	cpol_ghost_entry(ghost, entry->newer)->older = entry->older;
}

CPOL_INLINE void cpol_ghost_link_newest(struct cpol_ghost *ghost, u32 number, struct cpol_ghost_entry *entry)
{
	u32 newest = cpol_ghost_newest(ghost);

	entry->newer = 0;
	entry->older = newest;
	cpol_ghost_entry(ghost, newest)->newer = number;
	cpol_ghost_newest(ghost) = number;
}

CPOL_INLINE void cpol_ghost_drop(struct cpol_ghost *ghost, u32 number)
{
	struct cpol_ghost_entry *entry = cpol_ghost_entry(ghost, number);

	cpol_ghost_unlink(ghost, entry);
	cpol_ghost_delete(ghost, entry);
	entry->newer = ghost->free;
	ghost->free = number;
	if (number == ghost->held)
		ghost->held = 0;
	else
		ghost->count--;
}

/* The oldest entry that is not held, or 0. */
CPOL_INLINE u32 cpol_ghost_oldest(struct cpol_ghost *ghost)
{
	u32 number = cpol_ghost_first(ghost);

	return number == ghost->held ? cpol_ghost_entry(ghost, number)->newer : number;
}

/* Forgets the oldest entry that is not held. */
CPOL_INLINE void cpol_ghost_forget(struct cpol_ghost *ghost)
{
	u32 number = cpol_ghost_oldest(ghost);

	if (number)
		cpol_ghost_drop(ghost, number);
}

/* `ghost.take(f)` */
CPOL_INLINE bool cpol_ghost_take_name(struct cpol_ghost *ghost, const struct cpol_ghost_key *key, u64 hash)
{
	u32 number = cpol_ghost_find(ghost, key, hash);

	if (number)
		cpol_ghost_drop(ghost, number);
	return number != 0;
}

/* `ghost.add(f)`: the number of its entry; 0: the capacity is 0. `is_held`: this is the name that is held. */
CPOL_INLINE u32 cpol_ghost_add_name(struct cpol_ghost *ghost, const struct cpol_ghost_key *key, u64 hash, bool is_held)
{
	u32 number = cpol_ghost_find(ghost, key, hash);
	struct cpol_ghost_entry *entry = cpol_ghost_entry(ghost, number);

	if (number) { /* it becomes the newest */
		cpol_ghost_unlink(ghost, entry);
		cpol_ghost_link_newest(ghost, number, entry);
		return number;
	}
	if (!is_held) {
		if (ghost->capacity == 0)
			return 0;
		if (ghost->count >= ghost->capacity)
			cpol_ghost_forget(ghost);
	}
	number = ghost->free;
	if (number == 0)
		number = ghost->used + 1;
	entry = cpol_ghost_entry(ghost, number);
	if (ghost->free)
		ghost->free = entry->newer;
	else
		ghost->used = number;
	entry->key = *key;
#if CPOL_GHOST_FILES
	entry->hash = hash;
#endif
	cpol_ghost_link_newest(ghost, number, entry);
	cpol_ghost_insert(ghost, number, entry);
	if (is_held)
		ghost->held = number;
	else
		ghost->count++;
	return number;
}

/* Ends a hold. The entry counts again, so the ghost may have to forget the oldest. */
CPOL_INLINE void cpol_ghost_release(struct cpol_ghost *ghost)
{
	if (ghost->held == 0)
		return;
	ghost->held = 0;
	ghost->count++;
	if (ghost->count > ghost->capacity)
		cpol_ghost_forget(ghost);
}

/* At `missed`: holds the entry of this name, if there is one, until `cpol_ghost_release`. */
CPOL_INLINE void cpol_ghost_hold(struct cpol_ghost *ghost, const struct cpol_ghost_key *key, u64 hash)
{
	cpol_ghost_release(ghost);
	ghost->held = cpol_ghost_find(ghost, key, hash);
	if (ghost->held)
		ghost->count--;
}

#endif
