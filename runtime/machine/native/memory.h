/* SPDX-License-Identifier: MIT */
/* The simulator's memory: zeroed, in huge pages where possible, grown as a trace needs it. */
#ifndef CPOL_MEMORY_H
#define CPOL_MEMORY_H

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if CPOL_EVENTS
#include "table.h"
#else
#include "objects.h"
#endif

/* Under a sanitizer, memory comes from malloc, which the sanitizer checks. */
#if __has_feature(address_sanitizer)
#define CPOL_MALLOC 1
#else
#define CPOL_MALLOC 0
#endif

#define CPOL_MAX_SLOTS 0xfffffff0u

#define CPOL_HUGE (1ULL << 21) /* a huge page */

/* The bytes that are taken for an array: whole huge pages, from an eighth of one on. In small ones many accesses miss the TLB. */
static u64 cpol_rounded(u64 items, u64 size)
{
	u64 bytes = items * size;

	return bytes < CPOL_HUGE / 8 || CPOL_MALLOC ? bytes : (bytes + CPOL_HUGE - 1) / CPOL_HUGE * CPOL_HUGE;
}

static void *cpol_alloc(u64 items, u64 size)
{
	u64 bytes = cpol_rounded(items, size);
	void *memory;

	if (items > (1ULL << 47) / size)
		return NULL;
	if (CPOL_MALLOC) { /* aligned to cache lines, since buckets are loaded whole */
		memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
		return memory ? memset(memory, 0, bytes) : NULL;
	}
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	if (bytes >= CPOL_HUGE)
		madvise(memory, bytes, MADV_HUGEPAGE);
	return memory;
}

static void cpol_release(void *memory, u64 items, u64 size)
{
	if (CPOL_MALLOC)
		free(memory);
	else if (memory)
		munmap(memory, cpol_rounded(items, size));
}

/* Grows `*memory` from `old` to `items` items, and keeps the content. */
static bool cpol_grow(void **memory, u64 old, u64 items, u64 size)
{
	void *grown = cpol_alloc(items, size);

	if (!grown)
		return false;
	if (*memory) {
		memcpy(grown, *memory, old * size);
		cpol_release(*memory, old, size);
	}
	*memory = grown;
	return true;
}

#if CPOL_USES_READERS
CPOL_EXPORT bool cpol_sim_readers(struct cpol_sim *sim, u64 file, u64 readers);

/* A file is open for reading so often from now on. Returns whether there was memory. */
CPOL_EXPORT bool cpol_sim_readers(struct cpol_sim *sim, u64 file, u64 readers)
{
	u64 at = 0;

	while (at < sim->n_opened && sim->opened[at].file != file)
		at++;
	if (at == sim->n_opened) {
		if (!cpol_grow((void **)&sim->opened, at, at + 1, sizeof(*sim->opened)))
			return false;
		sim->n_opened++;
	}
	sim->opened[at] = (struct cpol_open){ file, readers };
	return true;
}
#endif

/* The smallest power of two that is at least 2 * items and 64. */
CPOL_INLINE u64 cpol_table_size(u64 items)
{
	u64 size = 64;

	while (size < 2 * items)
		size *= 2;
	return size;
}

#if CPOL_N_GHOSTS
#if CPOL_USES_RECORDS
static const u8 cpol_record_sizes[] = CPOL_RECORD_SIZES; /* bytes, by ghost; 0: no records */
#endif

static u64 cpol_ghost_limit(struct cpol_sim *sim, u32 number, u64 requests)
{
	u64 capacity = 0, most = sim->size + requests + 1, now = sim->capacity;

	sim->capacity = sim->attached;
	switch (number) {
#define X(name)                                           \
	case GHOST_##name:                                \
		capacity = cpol_ghost_capacity_##name(sim); \
		break;
	CPOL_GHOSTS(X)
#undef X
	}
	sim->capacity = now;
	if (!CPOL_IS_OF_FOLIOS(number))
		return capacity;
	/* Each entry is a folio that came before, so there are never more entries than that. */
	most += sim->ghosts[number].count + (sim->ghosts[number].held != 0);
	return capacity < most ? capacity : most;
}

#if CPOL_GHOST_CHAINS
/* Makes buckets for the entries that the ghost has room for, and chains those it has. */
static bool cpol_ghost_rechain(struct cpol_ghost *ghost)
{
	u64 buckets = cpol_table_size(ghost->capacity / 2 + 1);
	u32 *memory = cpol_alloc(buckets, sizeof(u32));

	if (!memory)
		return false;
	if (ghost->buckets)
		cpol_release(ghost->buckets, (u64)ghost->mask + 1, sizeof(u32));
	ghost->buckets = memory;
	ghost->mask = (u32)(buckets - 1);
	for (u32 entry = cpol_ghost_first(ghost); entry; entry = ghost->entries[entry].newer)
		cpol_ghost_chain(ghost, entry, &ghost->entries[entry]);
	return true;
}
#endif

static bool cpol_ghost_reserve(struct cpol_sim *sim, u32 number, u64 requests)
{
	struct cpol_ghost *ghost = &sim->ghosts[number];
	u64 capacity = cpol_ghost_limit(sim, number, requests), old;

	if (ghost->entries && capacity <= ghost->capacity)
		return true;
	if (capacity + 2 > CPOL_MAX_SLOTS)
		return false;
	old = ghost->entries ? (u64)ghost->capacity + 2 : 0;
	if (!cpol_grow((void **)&ghost->entries, old, capacity + 2, sizeof(*ghost->entries)))
		return false;
#if CPOL_USES_RECORDS
	if (cpol_record_sizes[number] && !cpol_grow(&sim->records[number], old, capacity + 2, cpol_record_sizes[number])) {
		/* The entries have grown already, and cpol_sim_free would free them with the old size. */
		cpol_release(ghost->entries, capacity + 2, sizeof(*ghost->entries));
		ghost->entries = NULL;
		return false;
	}
#endif
	ghost->capacity = (u32)capacity;
#if !CPOL_GHOST_FILES
	if (CPOL_IS_OF_FOLIOS(number))
		return true;
#endif
#if CPOL_GHOST_CHAINS
	return cpol_ghost_rechain(ghost);
#endif
}
#endif

#if CPOL_EVENTS
static void cpol_table_free(struct cpol_sim *sim)
{
	cpol_release(sim->cells, (sim->mask + 1) * CPOL_BUCKET, sizeof(u64));
	cpol_release(sim->cell_slots, (sim->mask + 1) * CPOL_BUCKET, sizeof(u32));
}

/* Makes the index anew, for so many folios. */
static bool cpol_table_grow(struct cpol_sim *sim, u64 folios)
{
	struct cpol_sim old = *sim;
	u64 cells = cpol_table_size(folios);

	sim->cells = cpol_alloc(cells, sizeof(u64));
	sim->cell_slots = cpol_alloc(cells, sizeof(u32));
	if (!sim->cells || !sim->cell_slots) {
		cpol_release(sim->cells, cells, sizeof(u64));
		cpol_release(sim->cell_slots, cells, sizeof(u32));
		sim->cells = old.cells;
		sim->cell_slots = old.cell_slots;
		return false;
	}
	sim->mask = cells / CPOL_BUCKET - 1;
	if (!old.cells)
		return true;
	for (u64 cell = 0; cell < (old.mask + 1) * CPOL_BUCKET; cell++) {
		u64 next = (cell / CPOL_BUCKET + 1) & old.mask;

		if (old.cells[cell])
			cpol_index_insert(sim, old.cells[cell] ^ next, old.cell_slots[cell]);
	}
	cpol_table_free(&old);
	return true;
}
#else
#define CPOL_OBJECTS_AT_ONCE (1ULL << 22) /* room that a trace of so many requests gets at once; what is never used takes no memory */

/* Makes room for so many objects of a trace; at least doubles it. */
static bool cpol_objects_reserve(struct cpol_sim *sim, u64 objects)
{
	u64 least = 2 * sim->n_objects > 1 << 12 ? 2 * sim->n_objects : 1 << 12;

	if (objects <= sim->n_objects)
		return true;
	if (objects < least)
		objects = least;
	if (!cpol_grow((void **)&sim->objects, sim->n_objects, objects, sizeof(*sim->objects)))
		return false;
	sim->n_objects = objects;
#if CPOL_N_GHOSTS
	for (u32 number = 0; number < CPOL_N_GHOSTS; number++)
		sim->ghosts[number].places = CPOL_IS_OF_FOLIOS(number) ? &sim->objects->entries[number] : NULL;
#endif
	return true;
}

/* Makes room for whether readahead brought each of so many objects, and nobody has read it. */
static bool cpol_fresh_reserve(struct cpol_sim *sim, u64 objects)
{
	if (objects <= sim->n_fresh)
		return true;
	if (!cpol_grow((void **)&sim->fresh, sim->n_fresh, objects, sizeof(*sim->fresh)))
		return false;
	sim->n_fresh = objects;
	return true;
}
#endif

static bool cpol_slots_reserve(struct cpol_sim *sim, u64 folios)
{
	u64 slots = folios + CPOL_HEADS(sim) + 1, old = sim->slots;

	if (slots <= old)
		return true;
	if (slots > CPOL_MAX_SLOTS)
		return false;
	if (!cpol_grow((void **)&sim->links, old, slots, sizeof(*sim->links)) ||
	    !cpol_grow((void **)&sim->where, old, slots, sizeof(*sim->where)) ||
#if CPOL_HAS_META
	    !cpol_grow((void **)&sim->meta, old, slots, sizeof(*sim->meta)) ||
#endif
#if CPOL_USES_PINS
	    !cpol_grow((void **)&sim->pinned, old, slots, sizeof(*sim->pinned)) ||
#endif
#if CPOL_USES_FLAGS
	    !cpol_grow((void **)&sim->flags, old, slots, sizeof(*sim->flags)) ||
#endif
#if CPOL_USES_ORIGIN
	    !cpol_grow((void **)&sim->origins, old, slots, sizeof(*sim->origins)) ||
#endif
#if CPOL_EVENTS
	    !cpol_grow((void **)&sim->names, old, slots, sizeof(*sim->names)) ||
	    !cpol_grow((void **)&sim->pages, old, slots, sizeof(*sim->pages)) ||
	    !cpol_grow((void **)&sim->was_read, old, slots, sizeof(*sim->was_read)) ||
	    !cpol_table_grow(sim, folios) ||
#endif
#if CPOL_HAS_IDS
	    !cpol_grow((void **)&sim->ids, old, slots, sizeof(*sim->ids)) ||
#endif
	    !cpol_grow((void **)&sim->keys, old, slots, sizeof(*sim->keys)))
		return false;
	sim->slots = (u32)slots;
	return true;
}

/* Makes room for all that the next `requests` requests may add. After a failure the simulator can only be freed. */
static bool cpol_reserve(struct cpol_sim *sim, u64 requests, u64 folios)
{
#if CPOL_N_GHOSTS
	for (u32 number = 0; number < CPOL_N_GHOSTS; number++)
		if (!cpol_ghost_reserve(sim, number, requests))
			return false;
#endif
	(void)requests;
	return cpol_slots_reserve(sim, folios);
}

#endif
