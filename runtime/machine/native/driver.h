/* SPDX-License-Identifier: MIT */
/*
 * The driver of the native machine. Generated C includes it after its handlers. So one translation unit has the policy and its callers, and the
 * compiler inlines all of it. ctypes (library.py) and C (fuzz.h of the tests) call its exports.
 */
#ifndef CPOL_DRIVER_H
#define CPOL_DRIVER_H

#define CPOL_EXPORT __attribute__((visibility("default")))

#include "memory.h"
#include "steps.h"

CPOL_EXPORT int cpol_sim_fill(struct cpol_sim *sim, u32 number, const u64 *key, s64 value, bool present);

#include "attach.h"
#include "flags.h"
#include "machine.h"
#if CPOL_PREFETCHES
#include "asks.h"
#endif
#if CPOL_EVENTS
#include "events.h"
#else
#include "trace.h"
#include "watch.h"
#endif

CPOL_EXPORT void cpol_sim_counts(const struct cpol_sim *sim, struct cpol_counts *counts);
CPOL_EXPORT struct cpol_sim *cpol_sim_new(u64 capacity, u32 batch, const u64 *params, u64 seed, struct cpol_refusal *why);
CPOL_EXPORT u64 cpol_sim_n_params(void);
CPOL_EXPORT void cpol_sim_begin(struct cpol_sim *sim);
CPOL_EXPORT void cpol_sim_free(struct cpol_sim *sim);

CPOL_EXPORT void cpol_sim_counts(const struct cpol_sim *sim, struct cpol_counts *counts)
{
	*counts = (struct cpol_counts){ sim->requests, sim->hits, sim->evicted, sim->fallback, sim->refused, 0, cpol_occupied(sim), sim->missed_bytes, sim->read_bytes, 0, 0 };
#if CPOL_USES_RECLAIM
	counts->reclaimed = sim->reclaimed;
	counts->unreclaimed = sim->unreclaimed;
#endif
#if CPOL_HAS_ADMIT
	counts->refused_admission = sim->refused_admission;
#endif
}

/* How many params the policy has. */
CPOL_EXPORT u64 cpol_sim_n_params(void)
{
	return CPOL_N_PARAMS;
}

/*
 * Makes a simulator. `params` are raw values in the order of declaration, or NULL for the defaults. Returns NULL and sets `why` if that
 * is not possible. The caller may then fill inputs, and must call cpol_sim_begin before any request.
 */
CPOL_EXPORT struct cpol_sim *cpol_sim_new(u64 capacity, u32 batch, const u64 *params, u64 seed, struct cpol_refusal *why)
{
	struct cpol_sim *sim = cpol_alloc(1, sizeof(*sim));

	*why = (struct cpol_refusal){ .kind = CPOL_LACKS_MEMORY };
	if (!sim)
		return NULL;
#if CPOL_STEPS
	sim->step_counts = cpol_alloc(1, sizeof(*sim->step_counts));
	if (!sim->step_counts) {
		cpol_sim_free(sim);
		return NULL;
	}
#endif
	sim->attached = capacity;
	sim->asked = batch;
	cpol_machine_room(sim, capacity);
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
	(void)seed;
#if CPOL_USES_RANDOM
	sim->random = seed;
#endif
	if (!cpol_attach_lists(sim, why) || !cpol_attach_tables(sim, why) || !cpol_attach_arrays(sim, why) || !cpol_reserve(sim, 0, 0)) {
		cpol_sim_free(sim);
		return NULL;
	}
	cpol_attach_pins(sim);
	cpol_attach_keeps(sim);
	for (u32 list = 0; list <= CPOL_HEADS(sim); list++)
		sim->links[list] = (struct cpol_links){ list, list };
	sim->used_slots = CPOL_HEADS(sim) + 1;
	return sim;
}

/* Attaches the policy: runs its `init`. */
CPOL_EXPORT void cpol_sim_begin(struct cpol_sim *sim)
{
	(void)sim;
#if CPOL_HAS_INIT
	cpol_on_init(sim);
#endif
}

CPOL_EXPORT void cpol_sim_free(struct cpol_sim *sim)
{
	if (!sim)
		return;
	cpol_release(sim->links, sim->slots, sizeof(*sim->links));
	cpol_release(sim->where, sim->slots, sizeof(*sim->where));
	cpol_release(sim->keys, sim->slots, sizeof(*sim->keys));
#if CPOL_HAS_META
	cpol_release(sim->meta, sim->slots, sizeof(*sim->meta));
#endif
#if CPOL_USES_PINS
	cpol_release(sim->pinned, sim->slots, sizeof(*sim->pinned));
#endif
#if CPOL_USES_FLAGS
	cpol_flags_free(sim);
#endif
#if CPOL_USES_ORIGIN
	cpol_release(sim->origins, sim->slots, sizeof(*sim->origins));
#endif
#if CPOL_USES_READERS
	cpol_release(sim->opened, sim->n_opened, sizeof(*sim->opened));
#endif
#if CPOL_HAS_IDS
	cpol_release(sim->ids, sim->slots, sizeof(*sim->ids));
#endif
	cpol_detach(sim);
#if CPOL_N_GHOSTS
	for (u32 number = 0; number < CPOL_N_GHOSTS; number++) {
		struct cpol_ghost *ghost = &sim->ghosts[number];

		cpol_release(ghost->entries, (u64)ghost->capacity + 2, sizeof(*ghost->entries));
#if CPOL_USES_RECORDS
		cpol_release(sim->records[number], (u64)ghost->capacity + 2, cpol_record_sizes[number]);
#endif
#if CPOL_GHOST_CHAINS
		cpol_release(ghost->buckets, (u64)ghost->mask + 1, sizeof(u32));
#endif
	}
#endif
#if CPOL_EVENTS
	cpol_table_free(sim);
	cpol_release(sim->names, sim->slots, sizeof(*sim->names));
	cpol_release(sim->pages, sim->slots, sizeof(*sim->pages));
	cpol_release(sim->was_read, sim->slots, sizeof(*sim->was_read));
	cpol_release(sim->log, sim->log_size, sizeof(*sim->log));
#else
	cpol_release(sim->objects, sim->n_objects, sizeof(*sim->objects));
	cpol_release(sim->fresh, sim->n_fresh, sizeof(*sim->fresh));
#endif
#if CPOL_STEPS
	cpol_release(sim->step_counts, 1, sizeof(*sim->step_counts));
#endif
	cpol_release(sim, 1, sizeof(*sim));
}

#endif
