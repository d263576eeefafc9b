/* SPDX-License-Identifier: MIT */
/* A trace of ids through the cache, as fast as can be. */
#ifndef CPOL_TRACE_H
#define CPOL_TRACE_H

/* How many requests ahead the index is prefetched; a power of two. */
#define CPOL_AHEAD 16

CPOL_EXPORT int cpol_sim_run(struct cpol_sim *sim, const u64 *ids, u64 requests);

/* Each id a request; goes on from where the last call ended. 0, or -1: no memory. */
CPOL_EXPORT int cpol_sim_run(struct cpol_sim *sim, const u64 *ids, u64 requests)
{
	u64 ahead[CPOL_AHEAD], folios = sim->size + requests, hits = 0;
	u64 first = requests < CPOL_AHEAD ? requests : CPOL_AHEAD;

	if (!cpol_reserve(sim, requests, folios < sim->capacity ? folios : sim->capacity))
		return -1;
	for (u64 request = 0; request < first; request++)
		ahead[request] = cpol_mix(ids[request]);
	for (u64 request = 0; request < requests; request++) {
		u64 hash = ahead[request % CPOL_AHEAD], at, soon;
		const struct cpol_name name = { 0, 0 };
		bool found;
		u32 slot;

		if (__builtin_expect(request + CPOL_AHEAD < requests, 1)) {
			soon = cpol_mix(ids[request + CPOL_AHEAD]);
			ahead[request % CPOL_AHEAD] = soon;
			__builtin_prefetch(&sim->cells[(soon & sim->mask) * CPOL_BUCKET]);
#if CPOL_HAS_ACCESSED
			__builtin_prefetch(&sim->cell_slots[(soon & sim->mask) * CPOL_BUCKET]);
#endif
		}
		at = cpol_table_find(sim, hash, name, &found);
		if (found) {
			hits++;
			cpol_machine_accessed(sim, sim->cell_slots[at]);
			continue;
		}
		cpol_machine_missed(sim, hash, name);
		if (sim->size >= sim->capacity)
			cpol_machine_make_room(sim);
		slot = cpol_slot_new(sim, hash);
		cpol_table_insert(sim, hash, slot);
		cpol_machine_added(sim, slot);
		cpol_machine_first_accessed(sim, slot);
	}
	sim->requests += requests;
	sim->hits += hits;
	return 0;
}

#endif
