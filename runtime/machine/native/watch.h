/* SPDX-License-Identifier: MIT */
/* What a user watches between the requests of a trace. It reads the state, and changes nothing. */
#ifndef CPOL_WATCH_H
#define CPOL_WATCH_H

CPOL_EXPORT int cpol_sim_reserve(struct cpol_sim *sim, u64 requests);
CPOL_EXPORT void cpol_sim_room(struct cpol_sim *sim, u64 pages);
CPOL_EXPORT void cpol_sim_watch(struct cpol_sim *sim, u64 *out);
#if CPOL_CHECKS
CPOL_EXPORT u64 cpol_sim_broken(const struct cpol_sim *sim);

/* The invariant that did not hold, from 1; 0: all held. The last request is the one after or in which it did not. */
CPOL_EXPORT u64 cpol_sim_broken(const struct cpol_sim *sim)
{
	return sim->broken;
}
#endif

/*
 * Makes room for `requests` requests at once. Else the arrays would grow with each part of a trace that comes in parts. Returns 0, or -1:
 * no memory.
 */
CPOL_EXPORT int cpol_sim_reserve(struct cpol_sim *sim, u64 requests)
{
	u64 folios = cpol_occupied(sim) + requests, objects = requests < CPOL_OBJECTS_AT_ONCE ? requests : CPOL_OBJECTS_AT_ONCE;

	if (!cpol_reserve(sim, requests, folios < sim->capacity ? folios : sim->capacity) || !cpol_objects_reserve(sim, objects))
		return -1;
	return 0;
}

/* Other memory of the cgroup grew or shrank: the cache may hold so many pages from now on, and what is too much goes. */
CPOL_EXPORT void cpol_sim_room(struct cpol_sim *sim, u64 pages)
{
	cpol_machine_room(sim, pages);
	cpol_machine_shrink(sim);
}

/* Writes the pages left to the kernel, the pages of each list (an array is one list), the entries of each ghost, and the states. */
CPOL_EXPORT void cpol_sim_watch(struct cpol_sim *sim, u64 *out)
{
	*out++ = cpol_occupied(sim) - sim->size;
	for (u32 list = 1; list <= CPOL_N_LISTS; list++)
		*out++ = cpol_list_size(sim, (enum cpol_list)list);
#if CPOL_N_GHOSTS
	for (u32 number = 0; number < CPOL_N_GHOSTS; number++)
		*out++ = sim->ghosts[number].count;
#endif
#if CPOL_N_STATES
#define X(name) *out++ = (u64)(s64)sim->state.name;
	CPOL_STATES(X)
#undef X
#endif
	(void)out;
}

#endif
