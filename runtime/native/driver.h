/* SPDX-License-Identifier: MIT */
/*
 * The simulator's driver. Generated C includes it after its handlers, so that one translation unit holds the policy and
 * what calls it, and all of it is inlined. What it exports is called through ctypes (simulator.py) or C (fuzz.c).
 */
#ifndef CPOL_DRIVER_H
#define CPOL_DRIVER_H

#define CPOL_EXPORT __attribute__((visibility("default")))
#define CPOL_EVICT_ROUNDS 8

#include "memory.h"
#include "machine.h"
#if CPOL_EVENTS
#include "events.h"
#else
#include "trace.h"
#endif

/* What a run has come to; simulator.py mirrors it. */
struct cpol_counts {
	u64 requests, hits, evicted, fallback, refused, size;
};

CPOL_EXPORT void cpol_sim_counts(const struct cpol_sim *sim, struct cpol_counts *counts);
CPOL_EXPORT struct cpol_sim *cpol_sim_new(u64 capacity, u32 batch, const u64 *params);
CPOL_EXPORT void cpol_sim_free(struct cpol_sim *sim);

CPOL_EXPORT void cpol_sim_counts(const struct cpol_sim *sim, struct cpol_counts *counts)
{
	*counts = (struct cpol_counts){ sim->requests, sim->hits, sim->evicted, sim->fallback, sim->refused, sim->size };
}

/* `params`: raw values in order of declaration, or NULL for the defaults. NULL: no memory. */
CPOL_EXPORT struct cpol_sim *cpol_sim_new(u64 capacity, u32 batch, const u64 *params)
{
	struct cpol_sim *sim = cpol_alloc(1, sizeof(*sim));

	if (!sim)
		return NULL;
	sim->capacity = capacity;
	sim->batch = batch < capacity ? batch : (u32)capacity;
#if CPOL_N_PARAMS
	sim->params = (struct cpol_param_values)CPOL_PARAM_DEFAULTS;
	if (params) {
#define X(name) sim->params.name = (__typeof__(sim->params.name))*params++;
		CPOL_PARAMS(X)
#undef X
	}
#endif
	(void)params;
#if CPOL_N_STATES
	sim->state = (struct cpol_state_values)CPOL_STATE_INIT;
#endif
	if (!cpol_reserve(sim, 0, 0)) {
		cpol_sim_free(sim);
		return NULL;
	}
	for (u32 list = 1; list <= CPOL_N_LISTS; list++)
		sim->links[list] = (struct cpol_links){ list, list };
	sim->used_slots = CPOL_N_LISTS + 1;
#if CPOL_HAS_INIT
	cpol_on_init(sim);
#endif
	return sim;
}

CPOL_EXPORT void cpol_sim_free(struct cpol_sim *sim)
{
	if (!sim)
		return;
	cpol_release(sim->links, sim->slots, sizeof(*sim->links));
	cpol_release(sim->where, sim->slots, sizeof(*sim->where));
	cpol_release(sim->ids, sim->slots, sizeof(*sim->ids));
#if CPOL_HAS_META
	cpol_release(sim->meta, sim->slots, sizeof(*sim->meta));
#endif
	cpol_table_free(sim);
#if CPOL_N_GHOSTS
	for (u32 number = 0; number < CPOL_N_GHOSTS; number++) {
		struct cpol_ghost_at *at = &sim->ghosts_at[number];

		cpol_release(at->entries, (u64)at->capacity + 2, sizeof(*at->entries));
		cpol_release(at->buckets, (u64)at->mask + 1, sizeof(u32));
	}
#endif
#if CPOL_EVENTS
	cpol_release(sim->names, sim->slots, sizeof(*sim->names));
	cpol_release(sim->pages, sim->slots, sizeof(*sim->pages));
	cpol_release(sim->was_read, sim->slots, sizeof(*sim->was_read));
	cpol_release(sim->log, sim->log_size, sizeof(*sim->log));
#endif
	cpol_release(sim, 1, sizeof(*sim));
}

#endif
