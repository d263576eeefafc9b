/* SPDX-License-Identifier: MIT */
/* Memory of a simulator: zeroed, in huge pages where the kernel has them, and grown to what a trace may need. */
#ifndef CPOL_MEMORY_H
#define CPOL_MEMORY_H

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Under a sanitizer memory comes from malloc, which it watches. */
#if __has_feature(address_sanitizer)
#define CPOL_MALLOC 1
#else
#define CPOL_MALLOC 0
#endif

#define CPOL_MAX_SLOTS 0xfffffff0u

static void *cpol_alloc(u64 items, u64 size)
{
	u64 bytes = items * size;
	void *memory;

	if (items > (1ULL << 47) / size)
		return NULL;
	if (CPOL_MALLOC)
		return calloc(items, size);
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	if (bytes >= 1 << 21)
		madvise(memory, bytes, MADV_HUGEPAGE);
	return memory;
}

static void cpol_release(void *memory, u64 items, u64 size)
{
	if (CPOL_MALLOC)
		free(memory);
	else if (memory)
		munmap(memory, items * size);
}

/* Memory of `items` in place of `*memory`, of `old` items; what was there is kept. */
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

/* A power of two, at least 2 * items and 64. */
static u64 cpol_table_size(u64 items)
{
	u64 size = 64;

	while (size < 2 * items)
		size *= 2;
	return size;
}

#if CPOL_N_GHOSTS
static u64 cpol_ghost_limit(struct cpol_sim *sim, u32 number, u64 requests)
{
	u64 capacity = 0, most = sim->size + requests + 1;

	switch (number) {
#define X(name)                                           \
	case GHOST_##name:                                \
		capacity = cpol_ghost_capacity_##name(sim); \
		break;
	CPOL_GHOSTS(X)
#undef X
	}
	/* One that is never full may as well be smaller: each entry is a folio that came before. */
	most += sim->ghosts[number].count + sim->ghosts[number].holding;
	return capacity < most ? capacity : most;
}

static bool cpol_ghost_reserve(struct cpol_sim *sim, u32 number, u64 requests)
{
	struct cpol_ghost_at *at = &sim->ghosts_at[number];
	struct cpol_ghost *ghost = &sim->ghosts[number];
	u64 capacity = cpol_ghost_limit(sim, number, requests);
	u64 buckets = cpol_table_size(capacity / 2 + 1);
	u32 *memory;

	if (at->ghost && capacity <= at->capacity)
		return true;
	if (capacity + 2 > CPOL_MAX_SLOTS)
		return false;
	memory = cpol_alloc(buckets, sizeof(u32));
	if (!memory)
		return false;
	if (!cpol_grow((void **)&at->entries, at->ghost ? (u64)at->capacity + 2 : 0, capacity + 2, sizeof(*at->entries))) {
		cpol_release(memory, buckets, sizeof(u32));
		return false;
	}
	if (at->ghost)
		cpol_release(at->buckets, (u64)at->mask + 1, sizeof(u32));
	at->ghost = ghost;
	at->buckets = memory;
	at->capacity = (u32)capacity;
	at->mask = (u32)(buckets - 1);
	for (u32 entry = ghost->oldest; entry; entry = at->entries[entry].newer)
		cpol_ghost_chain(*at, entry, &at->entries[entry]);
	return true;
}
#endif

static bool cpol_slots_reserve(struct cpol_sim *sim, u64 folios)
{
	u64 slots = folios + CPOL_N_LISTS + 1, cells = cpol_table_size(folios), old = sim->slots;
	u64 *new_cells;
	u32 *new_slots;

	if (slots <= old)
		return true;
	if (slots > CPOL_MAX_SLOTS)
		return false;
	if (!cpol_grow((void **)&sim->links, old, slots, sizeof(*sim->links)) ||
	    !cpol_grow((void **)&sim->where, old, slots, sizeof(*sim->where)) ||
#if CPOL_HAS_META
	    !cpol_grow((void **)&sim->meta, old, slots, sizeof(*sim->meta)) ||
#endif
#if CPOL_EVENTS
	    !cpol_grow((void **)&sim->names, old, slots, sizeof(*sim->names)) ||
	    !cpol_grow((void **)&sim->pages, old, slots, sizeof(*sim->pages)) ||
	    !cpol_grow((void **)&sim->was_read, old, slots, sizeof(*sim->was_read)) ||
#endif
	    !cpol_grow((void **)&sim->ids, old, slots, sizeof(*sim->ids)))
		return false;
	new_cells = cpol_alloc(cells, sizeof(u64));
	new_slots = cpol_alloc(cells, sizeof(u32));
	if (!new_cells || !new_slots)
		return false;
	for (u64 cell = 0; sim->cells && cell <= sim->mask; cell++) {
		u64 hash = sim->cells[cell] ^ ((cell + 1) & sim->mask), at;

		if (sim->cells[cell] == 0)
			continue;
		for (at = hash & (cells - 1); new_cells[at] != 0;)
			at = (at + 1) & (cells - 1);
		new_cells[at] = hash ^ ((at + 1) & (cells - 1));
		new_slots[at] = sim->cell_slots[cell];
	}
	if (sim->cells) {
		cpol_release(sim->cells, sim->mask + 1, sizeof(u64));
		cpol_release(sim->cell_slots, sim->mask + 1, sizeof(u32));
	}
	sim->cells = new_cells;
	sim->cell_slots = new_slots;
	sim->mask = cells - 1;
	sim->slots = (u32)slots;
	return true;
}

/* Makes room for what the next `requests` requests may bring in. After a failure the simulator can only be freed. */
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
