/* SPDX-License-Identifier: MIT */
/* Single events, requests by name, the log and a dump of the state: the build that tests and replays use. */
#ifndef CPOL_EVENTS_H
#define CPOL_EVENTS_H

CPOL_EXPORT int cpol_sim_event(struct cpol_sim *sim, const struct cpol_row *row);
CPOL_EXPORT int cpol_sim_request(struct cpol_sim *sim, u64 file, u64 index);
CPOL_EXPORT int cpol_sim_read_ahead(struct cpol_sim *sim, u64 file, u64 index);
CPOL_EXPORT int cpol_sim_wrote(struct cpol_sim *sim, u64 file, u64 index);
CPOL_EXPORT int cpol_sim_room(struct cpol_sim *sim, u64 pages);
CPOL_EXPORT u64 cpol_sim_pages(struct cpol_sim *sim, u64 file, u64 index);
CPOL_EXPORT const struct cpol_row *cpol_sim_log(const struct cpol_sim *sim, u64 *rows);
CPOL_EXPORT void cpol_sim_log_clear(struct cpol_sim *sim);
CPOL_EXPORT u64 cpol_sim_dump(struct cpol_sim *sim, u64 *out, u64 size);

void cpol_log_row(struct cpol_sim *sim, u64 op, struct cpol_name name, u64 a, u64 b)
{
	if (sim->log_rows == sim->log_size) {
		u64 size = sim->log_size ? 2 * sim->log_size : 1024;

		if (!cpol_grow((void **)&sim->log, sim->log_size, size, sizeof(*sim->log))) {
			sim->log_failed = true;
			return;
		}
		sim->log_size = size;
	}
	sim->log[sim->log_rows++] = (struct cpol_row){ op, name.file, name.index, a, b };
}

#if CPOL_PREFETCHES
#include "asks_events.h"
#endif

static u64 cpol_name_hash(struct cpol_name name)
{
	return cpol_mix(name.index ^ (name.file ? cpol_mix(name.file) : 0));
}

/* The slot of a folio in the cache, or 0. */
static u32 cpol_lookup(struct cpol_sim *sim, struct cpol_name name)
{
	return cpol_index_find(sim, cpol_name_hash(name), name);
}

/* Makes room for one more folio; full arrays double. */
static bool cpol_reserve_one(struct cpol_sim *sim)
{
	u64 used = sim->used_slots - CPOL_HEADS(sim), slots = sim->slots - CPOL_HEADS(sim) - 1;

	return cpol_reserve(sim, 2 * used + 64, used < slots ? slots : 2 * used + 64);
}

static int cpol_event_added(struct cpol_sim *sim, struct cpol_name name, u64 pages)
{
	u64 hash = cpol_name_hash(name);
	u32 slot;

	if (!cpol_reserve_one(sim))
		return CPOL_NO_MEMORY;
	slot = cpol_slot_new(sim, hash);
	sim->names[slot] = name;
	sim->pages[slot] = pages;
	sim->was_read[slot] = false;
	cpol_index_insert(sim, hash, slot);
	cpol_log_row(sim, CPOL_OP_ADDED, name, pages, 0);
	cpol_asked(sim, hash, name);
	cpol_machine_count(sim);
	cpol_machine_announce_once(sim, name);
	cpol_machine_added(sim, slot);
	return cpol_on_list(sim, slot) || cpol_is_left(sim, slot) ? CPOL_OK : CPOL_NOT_PLACED;
}

static void cpol_event_first_accessed(struct cpol_sim *sim, u32 slot)
{
	CPOL_LOG(sim, CPOL_OP_FIRST_ACCESSED, slot, 0, 0);
	sim->was_read[slot] = true;
	cpol_machine_first_accessed(sim, slot);
}

static void cpol_event_accessed(struct cpol_sim *sim, u32 slot)
{
	CPOL_LOG(sim, CPOL_OP_ACCESSED, slot, 0, 0);
	cpol_machine_accessed(sim, slot);
}

static void cpol_event_missed(struct cpol_sim *sim, struct cpol_name name)
{
	cpol_log_row(sim, CPOL_OP_MISSED, name, 0, 0);
	cpol_machine_missed(sim, cpol_name_hash(name), name);
}

#if CPOL_HAS_ADMIT
/* Runs the handler of admit for a folio that may come in. */
static bool cpol_event_admit(struct cpol_sim *sim, struct cpol_name name)
{
	cpol_log_row(sim, CPOL_OP_ADMIT, name, 0, 0);
	cpol_asked(sim, cpol_name_hash(name), name);
	cpol_machine_announce_once(sim, name);
	return cpol_machine_admits(sim);
}
#endif

/* Events that do not name a folio. */
static int cpol_event_of_none(struct cpol_sim *sim, const struct cpol_row *row)
{
	const struct cpol_name none = { 0, 0 };

	switch (row->op) {
	case CPOL_OP_EVICT:
		if (row->a < 1 || row->a > CPOL_MAX_BATCH)
			return CPOL_BAD_WANTED;
		cpol_log_row(sim, CPOL_OP_EVICT, none, row->a, 0);
		cpol_machine_evict(sim, row->a);
		return CPOL_OK;
	case CPOL_OP_TICK:
		if (row->a < sim->ms)
			return CPOL_TIME_GOES_BACK;
		cpol_log_row(sim, CPOL_OP_TICK, none, row->a, 0);
		cpol_machine_tick(sim, row->a);
		return CPOL_OK;
	case CPOL_OP_ROOM:
		if (row->a < 1)
			return CPOL_BAD_ROOM;
		cpol_log_row(sim, CPOL_OP_ROOM, none, row->a, 0);
		cpol_machine_room(sim, row->a);
		return CPOL_OK;
	case CPOL_OP_RW:
		if (row->a > 1)
			return CPOL_NOT_AN_EVENT;
		cpol_log_row(sim, CPOL_OP_RW, none, row->a, 0);
#if CPOL_USES_WRITES
		sim->writes = row->a;
#endif
		return CPOL_OK;
	case CPOL_OP_READERS:
		cpol_log_row(sim, CPOL_OP_READERS, (struct cpol_name){ row->file, 0 }, row->a, 0);
#if CPOL_USES_READERS
		if (!cpol_sim_readers(sim, row->file, row->a))
			return CPOL_NO_MEMORY;
#endif
		return CPOL_OK;
	case CPOL_OP_ORIGIN:
		cpol_log_row(sim, CPOL_OP_ORIGIN, none, row->a, row->b);
#if CPOL_USES_ORIGIN
		sim->origin = (struct cpol_origin){ row->a, row->b };
#endif
		return CPOL_OK;
	default:
		cpol_log_row(sim, CPOL_OP_TASK, (struct cpol_name){ row->file, row->index }, row->a, row->b);
#if CPOL_USES_TASK
		sim->comm = cpol_comm_number(row->file, row->index);
		sim->thread = row->a;
		sim->process = row->b;
#endif
		return CPOL_OK;
	}
}

/* Returns the folio to the far end of the scan that proposed it. */
static void cpol_event_refused(struct cpol_sim *sim, u32 slot)
{
	u32 list = cpol_list_of(sim, slot);
	bool tail = sim->where[slot] & CPOL_FAR_TAIL;

	CPOL_LOG(sim, CPOL_OP_REFUSED, slot, 0, 0);
	CPOL_LOG(sim, CPOL_OP_MOVE, slot, list, tail);
	sim->refused++;
	cpol_link(sim, slot, list, tail);
}

static int cpol_event(struct cpol_sim *sim, const struct cpol_row *row)
{
	struct cpol_name name = { row->file, row->index };
	bool of_none = row->op == CPOL_OP_EVICT || row->op == CPOL_OP_TICK || row->op == CPOL_OP_TASK ||
		       row->op == CPOL_OP_ORIGIN || row->op == CPOL_OP_RW || row->op == CPOL_OP_ROOM ||
		       row->op == CPOL_OP_READERS;
	u32 slot = of_none ? 0 : cpol_lookup(sim, name);
	bool left = slot && cpol_is_left(sim, slot), proposed = slot && !left && !cpol_on_list(sim, slot);

#if CPOL_PREFETCHES
	if (row->op >= CPOL_OP_AREA && row->op != CPOL_OP_LEAVE_FILE && row->op != CPOL_OP_RECLAIM &&
	    row->op != CPOL_OP_READERS && row->op < CPOL_OPS)
		return cpol_event_asks(sim, row);
#endif
	if (!CPOL_EVICTS && (!of_none || row->op == CPOL_OP_EVICT))
		return row->op >= CPOL_OP_MISSED && row->op <= CPOL_OP_ROOM ? CPOL_NO_FOLIOS : CPOL_NOT_AN_EVENT;
	if (of_none)
		return cpol_event_of_none(sim, row);
	switch (row->op) {
	case CPOL_OP_MISSED:
		if (slot)
			return CPOL_IS_CACHED;
		cpol_event_missed(sim, name);
		return CPOL_OK;
	case CPOL_OP_ADDED:
		if (slot)
			return CPOL_IS_CACHED;
		return row->a >= 1 ? cpol_event_added(sim, name, row->a) : CPOL_BAD_PAGES;
	case CPOL_OP_ADMIT:
		if (slot)
			return CPOL_IS_CACHED;
#if CPOL_HAS_ADMIT
		cpol_event_admit(sim, name);
		return CPOL_OK;
#else
		return CPOL_NO_ADMIT;
#endif
	}
	if ((row->op < CPOL_OP_MISSED || row->op > CPOL_OP_FALLBACK) && row->op != CPOL_OP_FLAGS)
		return CPOL_NOT_AN_EVENT;
	if (!slot)
		return CPOL_NOT_CACHED;
	if (left && row->op != CPOL_OP_REMOVED && row->op != CPOL_OP_FALLBACK)
		return CPOL_IS_LEFT;
	switch (row->op) {
	case CPOL_OP_FIRST_ACCESSED:
		if (sim->was_read[slot])
			return CPOL_WAS_READ;
		cpol_event_first_accessed(sim, slot);
		return CPOL_OK;
	case CPOL_OP_ACCESSED:
		if (!sim->was_read[slot])
			return CPOL_NOT_READ;
		cpol_event_accessed(sim, slot);
		return CPOL_OK;
	case CPOL_OP_REMOVED:
		if (row->a > CPOL_DELETED)
			return CPOL_BAD_REASON;
		CPOL_LOG(sim, CPOL_OP_REMOVED, slot, row->a, 0);
		sim->evicted += proposed && row->a == CPOL_EVICTED;
		cpol_machine_removed(sim, slot, (u32)row->a);
		return CPOL_OK;
	case CPOL_OP_REFUSED:
		if (!proposed)
			return CPOL_NOT_PROPOSED;
		cpol_event_refused(sim, slot);
		return CPOL_OK;
	case CPOL_OP_FLAGS:
		if (row->a >= CPOL_FLAGS_END)
			return CPOL_BAD_FLAGS;
		CPOL_LOG(sim, CPOL_OP_FLAGS, slot, row->a, 0);
#if CPOL_USES_FLAGS
		sim->flags[slot] = (u8)row->a;
#endif
		return CPOL_OK;
	default: /* fallback */
		if (proposed)
			return CPOL_IS_PROPOSED;
		CPOL_LOG(sim, CPOL_OP_FALLBACK, slot, 0, 0);
		sim->fallback++;
		cpol_machine_removed(sim, slot, CPOL_EVICTED);
		return CPOL_OK;
	}
}

/* Applies one event. An error leaves the state unchanged, except CPOL_NO_MEMORY and CPOL_NOT_PLACED. */
CPOL_EXPORT int cpol_sim_event(struct cpol_sim *sim, const struct cpol_row *row)
{
	int error = cpol_event(sim, row);

	return error == CPOL_OK && sim->log_failed ? CPOL_NO_MEMORY : error;
}

/* A folio comes in that is not cached, and that nobody has read. `slot` is 0 if the policy refuses it. */
static int cpol_event_comes(struct cpol_sim *sim, struct cpol_name name, u32 *slot)
{
	int error;

	*slot = 0;
	cpol_event_missed(sim, name);
#if CPOL_HAS_ADMIT
	if (!cpol_event_admit(sim, name))
		return CPOL_OK;
#endif
	if (cpol_occupied(sim) >= sim->capacity)
		cpol_machine_make_room(sim);
	error = cpol_event_added(sim, name, 1);
	if (!error)
		*slot = cpol_lookup(sim, name);
	return error;
}

/* Readahead brings a page, unless it is cached, as cpol_sim_run does. */
CPOL_EXPORT int cpol_sim_read_ahead(struct cpol_sim *sim, u64 file, u64 index)
{
	struct cpol_name name = { file, index };
	u32 slot;
	int error;

	if (!CPOL_EVICTS)
		return CPOL_NO_FOLIOS;
	cpol_machine_reclaim(sim);
	error = cpol_lookup(sim, name) ? CPOL_OK : cpol_event_comes(sim, name, &slot);
	cpol_machine_reclaim(sim);
	return !error && sim->log_failed ? CPOL_NO_MEMORY : error;
}

/* Makes one request of a trace, as cpol_sim_run does. */
CPOL_EXPORT int cpol_sim_request(struct cpol_sim *sim, u64 file, u64 index)
{
	struct cpol_name name = { file, index };
	u32 slot;
	int error;

	if (!CPOL_EVICTS)
		return CPOL_NO_FOLIOS;
	cpol_machine_reclaim(sim);
	slot = cpol_lookup(sim, name);
	sim->requests++;
	if (slot) {
		bool was_read = sim->was_read[slot];

		sim->hits += was_read;
		if (cpol_is_left(sim, slot))
			sim->was_read[slot] = true;
		else if (was_read)
			cpol_event_accessed(sim, slot);
		else
			cpol_event_first_accessed(sim, slot);
		cpol_machine_reclaim(sim);
		return sim->log_failed ? CPOL_NO_MEMORY : CPOL_OK;
	}
	error = cpol_event_comes(sim, name, &slot);
	if (error)
		return error;
	if (slot && cpol_is_left(sim, slot))
		sim->was_read[slot] = true;
	else if (slot)
		cpol_event_first_accessed(sim, slot);
	cpol_machine_reclaim(sim);
	return sim->log_failed ? CPOL_NO_MEMORY : CPOL_OK;
}

/* The cache may hold so many pages from now on, and what is too much goes. */
CPOL_EXPORT int cpol_sim_room(struct cpol_sim *sim, u64 pages)
{
	cpol_log_row(sim, CPOL_OP_ROOM, (struct cpol_name){ 0, 0 }, pages, 0);
	cpol_machine_room(sim, pages);
	cpol_machine_shrink(sim);
	return sim->log_failed ? CPOL_NO_MEMORY : CPOL_OK;
}

/* The request for this folio wrote. */
CPOL_EXPORT int cpol_sim_wrote(struct cpol_sim *sim, u64 file, u64 index)
{
	(void)file, (void)index;
#if CPOL_USES_FLAGS
	u32 slot = cpol_lookup(sim, (struct cpol_name){ file, index });

	if (!cpol_flags_reserve(sim))
		return CPOL_NO_MEMORY;
	if (slot && !cpol_is_left(sim, slot))
		cpol_flags_wrote(sim, slot);
#endif
	return sim->log_failed ? CPOL_NO_MEMORY : CPOL_OK;
}

/* The pages of a folio in the cache; 0: it is not there. */
CPOL_EXPORT u64 cpol_sim_pages(struct cpol_sim *sim, u64 file, u64 index)
{
	u32 slot = cpol_lookup(sim, (struct cpol_name){ file, index });

	return slot ? sim->pages[slot] : 0;
}

CPOL_EXPORT const struct cpol_row *cpol_sim_log(const struct cpol_sim *sim, u64 *rows)
{
	*rows = sim->log_rows;
	return sim->log;
}

/* Forgets the rows, and keeps their memory. */
CPOL_EXPORT void cpol_sim_log_clear(struct cpol_sim *sim)
{
	sim->log_rows = 0;
}

#include "dump.h"

#endif
