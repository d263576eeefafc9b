/* SPDX-License-Identifier: MIT */
/* Runs a trace of ids; optimised for speed. */
#ifndef CPOL_TRACE_H
#define CPOL_TRACE_H

/* The distances in requests at which objects are prefetched, and what they lead to. */
#define CPOL_AHEAD 32
#define CPOL_NEAR 16

/* Of `ahead`: a write brings the page, so that the first request finds it; a request whose page goes at once, unless it is cached. */
#define CPOL_WRITTEN 4
#define CPOL_PASSING 5

/* From so many slots on, folios are not all in the processor's own caches, so prefetching them pays. */
#define CPOL_MANY 32768

/*
 * Requests, with the time of each in milliseconds, its thread, its process, the place of its command in `commands`, and
 * whether it writes. `files` and `indices` say what an id names; only CPOL_NAMED reads them and `file`. NULL: the trace has none. Then
 * requests are `step` nanoseconds apart, at most an hour, all are by `thread`, `process` and `comm`, they write if `write` is not 0, and
 * are for folios of `file` whose index is the id. Folios come from `device` and `cgroup`.
 */
struct cpol_trace {
	const u64 *ids; /* NULL: only the numbers are known */
	const u32 *numbers; /* of the objects, each below `objects`: the same number for the same id in all runs */
	const u64 *times, *tasks, *processes, *comms, *commands, *writes, *files, *indices;
	/*
	 * Not 0, nor CPOL_PASSING: it is no request, readahead or (CPOL_WRITTEN) a write brings the page; NULL: all are
	 * requests.
	 */
	const u8 *ahead;
	const u64 *sizes; /* bytes of each request; NULL: nobody asks for those that missed */
	const u8 *groups; /* of objects, by their numbers; NULL: nobody asks for the misses of each */
	u64 *missed; /* misses by group, to which the run adds */
	u64 requests, objects;
	u64 file, thread, process, comm, write, device, cgroup, step;
};

CPOL_EXPORT int cpol_sim_run(struct cpol_sim *sim, const struct cpol_trace *trace);

/* When a request happens, in milliseconds since the first: request * step / 10^6, without an overflow on the way. */
CPOL_INLINE u64 cpol_assumed_ms(u64 request, u64 step)
{
	return request / 1000000 * step + request % 1000000 * step / 1000000;
}

/* After an event and all that it causes. */
CPOL_INLINE void cpol_after_event(struct cpol_sim *sim)
{
	(void)sim;
#if CPOL_CHECKS
	if (!sim->broken)
		sim->broken = CPOL_BROKEN(sim);
#endif
}

/* Whether an invariant did not hold: the trace ends. */
CPOL_INLINE bool cpol_is_broken(const struct cpol_sim *sim)
{
	(void)sim;
#if CPOL_CHECKS
	return sim->broken != 0;
#else
	return false;
#endif
}

/* Evicts what `reclaim` statements want of what the events before it asked for. */
CPOL_INLINE void cpol_reclaims(struct cpol_sim *sim)
{
	cpol_machine_reclaim(sim);
	if (CPOL_USES_RECLAIM)
		cpol_after_event(sim);
}

/* The slot of a folio after its request, which may have asked for evictions: 0 if it went. */
CPOL_INLINE u32 cpol_reclaimed(struct cpol_sim *sim, u32 number, u32 slot)
{
	(void)sim, (void)number;
#if CPOL_USES_RECLAIM
	cpol_reclaims(sim);
	slot = sim->objects[number].slot;
#endif
	return slot;
}

/* Before a request: sets its task, and ticks if time has passed. */
CPOL_INLINE void cpol_before_request(struct cpol_sim *sim, const struct cpol_trace *trace, u64 request)
{
	(void)sim, (void)trace, (void)request;
#if CPOL_USES_TASK
	if (trace->tasks)
		sim->thread = trace->tasks[request];
	if (trace->processes)
		sim->process = trace->processes[request];
	if (trace->comms)
		sim->comm = trace->commands[trace->comms[request]];
#endif
#if CPOL_USES_WRITES
	sim->writes = trace->writes ? trace->writes[request] : trace->write;
#endif
#if CPOL_USES_TIME
	u64 ms = trace->times ? trace->times[request] : cpol_assumed_ms(sim->requests + request, trace->step);

	if (ms > sim->ms)
		cpol_machine_tick(sim, ms);
	cpol_after_event(sim);
	cpol_reclaims(sim);
#endif
}

/* After a request for the folio of `slot`: it may have written. */
CPOL_INLINE void cpol_after_request(struct cpol_sim *sim, const struct cpol_trace *trace, u64 request, u32 slot)
{
	(void)sim, (void)trace, (void)request, (void)slot;
#if CPOL_USES_FLAGS
	if (trace->writes ? trace->writes[request] : trace->write) {
		if (slot && !cpol_is_left(sim, slot))
			cpol_flags_wrote(sim, slot);
		cpol_after_event(sim);
	}
#endif
}

/*
 * Prefetches what the object of a request leads to: its folio, or the entries of ghosts. No branch depends on whether it is cached, since that
 * is hard to foretell; if it is not, the folio is the one of slot 0.
 */
CPOL_INLINE void cpol_prefetch_folio(struct cpol_sim *sim, u32 number)
{
	(void)sim, (void)number;
#if CPOL_HAS_ACCESSED
	u32 slot = sim->objects[number].slot;

	__builtin_prefetch(&sim->links[slot]);
#if CPOL_HAS_META
	__builtin_prefetch(&sim->meta[slot]);
#endif
#endif
#if CPOL_N_GHOSTS
	for (u32 ghost = 0; ghost < CPOL_N_GHOSTS; ghost++)
		if (CPOL_IS_OF_FOLIOS(ghost))
			__builtin_prefetch(cpol_ghost_entry(&sim->ghosts[ghost], sim->objects[number].entries[ghost]));
#endif
}

/* Not 0: it is the first request of a cached object, which readahead brought, so it misses; or a write did, so it does not. */
CPOL_INLINE u8 cpol_was_fresh(struct cpol_sim *sim, u32 number)
{
	u8 fresh = __builtin_expect(sim->fresh != NULL, 0) ? sim->fresh[number] : 0;

	if (fresh)
		sim->fresh[number] = 0;
	return fresh;
}

/* Counts what somebody asks for of a request that missed, beside the miss itself. */
CPOL_INLINE void cpol_count_miss(struct cpol_sim *sim, const struct cpol_trace *trace, u64 request)
{
	if (trace->sizes)
		sim->missed_bytes += trace->sizes[request];
	if (trace->groups)
		trace->missed[trace->groups[trace->numbers[request]]]++;
}

/* `numbers` and `requests` are arguments, so that the loop has them in registers. */
static __attribute__((noinline, aligned(64)))
int cpol_run(struct cpol_sim *sim, const u32 *numbers, u64 requests, const struct cpol_trace *trace)
{
	u64 room = requests > sim->requests ? requests : sim->requests; /* a trace in parts doubles the arrays, as it goes on */
	u64 folios = cpol_occupied(sim) + room, hits = 0;
	u64 brought = 0; /* by readahead: no requests */
	const u8 *ahead = trace->ahead, *groups = trace->groups;
	bool many;

	if (!cpol_reserve(sim, room, folios < sim->capacity ? folios : sim->capacity) || !cpol_objects_reserve(sim, trace->objects))
		return -1;
	if (ahead && !cpol_fresh_reserve(sim, trace->objects))
		return -1;
#if CPOL_USES_FLAGS
	if ((trace->writes || trace->write) && !cpol_flags_reserve(sim))
		return -1;
#endif
	many = sim->slots >= CPOL_MANY;
	cpol_after_event(sim); /* init, if this is the first part of a trace */
	for (u64 request = 0; request < requests; request++) {
		u32 number = numbers[request], slot;
		u8 kind = ahead ? ahead[request] : 0;
		bool passes = kind == CPOL_PASSING, brings = kind && !passes;

		if (cpol_is_broken(sim)) {
			requests = request;
			break;
		}
		if (__builtin_expect(request + CPOL_AHEAD < requests, 1)) {
			u32 later = numbers[request + CPOL_AHEAD];

			__builtin_prefetch(&sim->objects[later]);
			if (groups)
				__builtin_prefetch(&groups[later]);
			if (many)
				cpol_prefetch_folio(sim, numbers[request + CPOL_NEAR]);
		}
		cpol_before_request(sim, trace, request);
		slot = sim->objects[number].slot;
		brought += brings;
		if (slot) {
			if (brings) {
				cpol_after_request(sim, trace, request, slot);
				continue;
			}
			u8 fresh = cpol_was_fresh(sim, number);

			if (__builtin_expect(fresh, 0)) {
				if (fresh == CPOL_WRITTEN)
					hits++;
				else
					cpol_count_miss(sim, trace, request);
				if (!cpol_is_left(sim, slot))
					cpol_machine_first_accessed(sim, slot);
			} else {
				hits++;
				if (!cpol_is_left(sim, slot))
					cpol_machine_accessed(sim, slot);
			}
			cpol_after_event(sim);
			slot = cpol_reclaimed(sim, number, slot);
			cpol_after_request(sim, trace, request, slot);
			continue;
		}
#if CPOL_HAS_IDS
		const struct cpol_name name = { .index = trace->ids[request] };
#else
		const struct cpol_name name = { 0, 0 };
#endif

		if (sim->fresh)
			sim->fresh[number] = brings ? kind : 0;
		if (trace->sizes)
			sim->read_bytes += trace->sizes[request];
		if (!brings)
			cpol_count_miss(sim, trace, request);
		if (passes)
			continue;
		cpol_machine_missed(sim, number, name);
		cpol_after_event(sim);
#if CPOL_HAS_ADMIT
		bool admitted = cpol_machine_admits(sim);

		cpol_after_event(sim);
		if (!admitted)
			continue;
#endif
		if (cpol_occupied(sim) >= sim->capacity) {
			cpol_steps_begin(sim);
			cpol_machine_make_room(sim);
			cpol_steps_end(sim);
			cpol_after_event(sim);
		}
		slot = cpol_slot_new(sim, number);
#if CPOL_HAS_IDS
		sim->ids[slot] = name.index;
#endif
		cpol_index_insert(sim, number, slot);
		cpol_machine_count(sim);
		cpol_machine_added(sim, slot);
		cpol_after_event(sim);
		if (!brings && !cpol_is_left(sim, slot))
			cpol_machine_first_accessed(sim, slot);
		cpol_after_event(sim);
		slot = cpol_reclaimed(sim, number, slot);
		cpol_after_request(sim, trace, request, slot);
	}
	sim->requests += requests - brought;
	sim->hits += hits;
	return 0;
}

/* Whether each object has a number for which there is room. */
static bool cpol_numbers_fit(const struct cpol_trace *trace)
{
	u32 most = 0;

	for (u64 request = 0; request < trace->requests; request++)
		most = trace->numbers[request] > most ? trace->numbers[request] : most;
	return most < trace->objects || trace->requests == 0;
}

/*
 * Requests each id in turn. Continues where the last call ended. Returns 0, or -1: no memory, -2: a number is not below `objects`,
 * -3: the policy reads names, and there are no ids.
 */
CPOL_EXPORT int cpol_sim_run(struct cpol_sim *sim, const struct cpol_trace *trace)
{
	if (!cpol_numbers_fit(trace))
		return -2;
	if (CPOL_HAS_IDS && !trace->ids && trace->requests)
		return -3;
#if CPOL_NAMED
	sim->file = trace->file;
	sim->files = trace->files;
	sim->indices = trace->indices;
#endif
#if CPOL_USES_TASK
	sim->thread = trace->thread;
	sim->process = trace->process;
	sim->comm = trace->comm;
#endif
#if CPOL_USES_ORIGIN
	sim->origin = (struct cpol_origin){ trace->device, trace->cgroup };
#endif
	return cpol_run(sim, trace->numbers, trace->requests, trace);
}

#endif
