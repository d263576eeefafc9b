/* SPDX-License-Identifier: MIT */
/* The abstract machine (docs/semantics.md): how events reach the handlers, and how an evict request proceeds. */
#ifndef CPOL_MACHINE_H
#define CPOL_MACHINE_H

/* A slot for a new folio, on no list yet. cpol_reserve has made room for it. */
CPOL_INLINE u32 cpol_slot_new(struct cpol_sim *sim, cpol_key key)
{
	u32 slot = sim->free_slot;

	if (slot)
		sim->free_slot = sim->links[slot].next;
	else
		slot = sim->used_slots++;
	sim->keys[slot] = key;
	sim->where[slot] = 0;
#if CPOL_USES_PINS
	sim->pinned[slot] = 0;
#endif
#if CPOL_USES_FLAGS
	sim->flags[slot] = 0;
#endif
#if CPOL_USES_ORIGIN
	sim->origins[slot] = sim->origin;
#endif
	return slot;
}

/* Gives the requested folio slot 0, so that handlers can name it before it comes. */
CPOL_INLINE void cpol_asked(struct cpol_sim *sim, cpol_key key, struct cpol_name name)
{
	(void)sim, (void)key, (void)name;
#if CPOL_ASKS
	sim->keys[0] = key;
#if CPOL_EVENTS
	sim->names[0] = name;
	sim->pages[0] = 1;
#elif CPOL_HAS_IDS
	sim->ids[0] = name.index;
#endif
#endif
}

/* Runs the handler of `missed`: once for each folio that comes, even without an event `missed` before it. */
CPOL_INLINE void cpol_machine_announce(struct cpol_sim *sim, struct cpol_name name)
{
	(void)sim, (void)name;
#if CPOL_HAS_MISSED
	cpol_on_missed(sim, 0);
	CPOL_IF_EVENTS(sim->announced = name;)
	CPOL_IF_EVENTS(sim->announces = true;)
#endif
}

#if CPOL_EVENTS
CPOL_INLINE void cpol_machine_announce_once(struct cpol_sim *sim, struct cpol_name name)
{
	(void)sim, (void)name;
#if CPOL_HAS_MISSED
	if (!sim->announces || sim->announced.file != name.file || sim->announced.index != name.index)
		cpol_machine_announce(sim, name);
#endif
}
#endif

CPOL_INLINE void cpol_machine_missed(struct cpol_sim *sim, cpol_key key, struct cpol_name name)
{
	(void)sim, (void)key, (void)name;
#if CPOL_N_GHOSTS
#if CPOL_EVENTS
	sim->held = (struct cpol_ghost_key){ .index = name.index, .file = name.file };
#else
	sim->held = (struct cpol_ghost_key){ .index = key };
#endif
	sim->holds = true;
	for (u32 ghost = 0; ghost < CPOL_N_GHOSTS; ghost++)
		if (CPOL_IS_OF_FOLIOS(ghost))
			cpol_ghost_hold(&sim->ghosts[ghost], &sim->held, key);
#endif
	cpol_asked(sim, key, name);
	cpol_machine_announce(sim, name);
}

/* Ends the miss of a folio: it was added, or refused by the policy. */
CPOL_INLINE void cpol_machine_arrived(struct cpol_sim *sim, u32 slot)
{
	(void)sim, (void)slot;
#if CPOL_EVENTS && CPOL_HAS_MISSED
	sim->announces = false;
#endif
#if CPOL_N_GHOSTS
#if CPOL_EVENTS
	struct cpol_ghost_key key = cpol_ghost_key(sim, slot);

	if (!sim->holds || !cpol_ghost_same(&sim->held, &key))
		return;
#endif
	sim->holds = false;
	for (u32 ghost = 0; ghost < CPOL_N_GHOSTS; ghost++)
		cpol_ghost_release(&sim->ghosts[ghost]);
#endif
}

#if CPOL_HAS_ADMIT
/* Whether the policy admits the folio of slot 0. */
CPOL_INLINE bool cpol_machine_admits(struct cpol_sim *sim)
{
	sim->refuses = false;
	cpol_on_admit(sim, 0);
	if (sim->refuses) {
		sim->refused_admission++;
		cpol_machine_arrived(sim, 0);
	}
	return !sim->refuses;
}
#endif

/* Ends an event that the clock counts. */
CPOL_INLINE void cpol_machine_every_events(struct cpol_sim *sim)
{
	(void)sim;
#define X(number)                                                                  \
	{                                                                          \
		u64 period = cpol_every_period_##number(sim);                      \
		u64 passed = sim->clock - sim->every_last[number];                 \
                                                                                   \
		if (__builtin_expect(passed >= period, 0)) {                       \
			sim->every_last[number] = sim->clock - passed % period;    \
			cpol_every_##number(sim, passed / period);                 \
		}                                                                  \
	}
	CPOL_EVERY_EVENTS(X)
#undef X
}

/* A tick, `ms` milliseconds after the policy was attached. */
CPOL_INLINE void cpol_machine_tick(struct cpol_sim *sim, u64 ms)
{
	u64 before = sim->ms;

	(void)before;
	sim->ms = ms;
#define X(number)                                                                      \
	{                                                                              \
		u64 period = cpol_every_period_##number(sim);                          \
                                                                                       \
		if (ms / period > before / period)                                     \
			cpol_every_##number(sim, ms / period - before / period);       \
	}
	CPOL_EVERY_MS(X)
#undef X
}

/* Begins an event that the clock counts. */
CPOL_INLINE void cpol_machine_count(struct cpol_sim *sim)
{
	(void)sim;
#if CPOL_USES_CLOCK
	sim->clock++;
#endif
}

/* Adds the folio of `slot`. The clock has counted it; its name and pages are set. */
CPOL_INLINE void cpol_machine_added(struct cpol_sim *sim, u32 slot)
{
#if CPOL_HAS_META
	cpol_meta_init(&sim->meta[slot]);
#endif
#if CPOL_EVICTS
	cpol_on_added(sim, slot);
#endif
	cpol_machine_arrived(sim, slot);
	cpol_machine_every_events(sim);
}

/* Whether the policy left the folio to the kernel. */
CPOL_INLINE bool cpol_is_left(struct cpol_sim *sim, u32 slot)
{
	return CPOL_USES_LEAVE && (sim->where[slot] & CPOL_LEFT);
}

/* Pages in the cache, which the capacity limits. */
CPOL_INLINE u64 cpol_occupied(const struct cpol_sim *sim)
{
#if CPOL_USES_LEAVE
	return sim->size + sim->left;
#else
	return sim->size;
#endif
}

CPOL_INLINE void cpol_machine_first_accessed(struct cpol_sim *sim, u32 slot)
{
	(void)sim, (void)slot;
#if CPOL_HAS_TOUCHED
	sim->meta[slot].cpol_touched = 1;
#endif
#if CPOL_HAS_FIRST_ACCESSED
	cpol_on_first_accessed(sim, slot);
#endif
}

CPOL_INLINE void cpol_machine_accessed(struct cpol_sim *sim, u32 slot)
{
	(void)sim, (void)slot;
	cpol_machine_count(sim);
#if CPOL_HAS_ACCESSED
	cpol_on_accessed(sim, slot);
#endif
	cpol_machine_every_events(sim);
}

CPOL_INLINE void cpol_free_slot(struct cpol_sim *sim, u32 slot)
{
	sim->links[slot].next = sim->free_slot;
	sim->free_slot = slot;
}

#if CPOL_USES_LEAVE
/* Removes a folio that was left to the kernel. No handler runs. */
static void cpol_machine_removed_left(struct cpol_sim *sim, u32 slot)
{
	struct cpol_links links = sim->links[slot];

	sim->links[links.prev].next = links.next;
	sim->links[links.next].prev = links.prev;
	sim->left -= cpol_folio_pages(sim, slot);
	cpol_index_delete(sim, sim->keys[slot], slot);
	sim->where[slot] = 0;
	cpol_free_slot(sim, slot);
}
#endif

/* Removes the folio of `slot`, from its list or from the proposals. */
CPOL_INLINE void cpol_machine_removed(struct cpol_sim *sim, u32 slot, u32 why)
{
#if CPOL_USES_LEAVE
	if (cpol_is_left(sim, slot)) {
		cpol_machine_removed_left(sim, slot);
		return;
	}
#endif
#if CPOL_USES_PINS
	if (sim->pinned[slot] && why == CPOL_EVICTED)
		sim->pins_overruled += cpol_folio_pages(sim, slot);
	cpol_unpin(sim, slot);
#endif
	if (cpol_on_list(sim, slot))
		cpol_unlink(sim, slot);
	sim->size -= cpol_folio_pages(sim, slot);
	cpol_index_delete(sim, sim->keys[slot], slot);
	(void)why;
#if CPOL_HAS_REMOVED
#if CPOL_USES_FLAGS
	sim->flags[slot] = 0;
#endif
	cpol_on_removed(sim, slot, why);
#endif
	cpol_free_slot(sim, slot);
}

/* Calls the handler until it proposes something. */
CPOL_INLINE void cpol_machine_evict(struct cpol_sim *sim, u64 wanted)
{
	sim->wanted = wanted;
	sim->proposed_pages = 0;
	sim->n_proposals = 0;
	for (u32 round = 0; round < CPOL_EVICT_ROUNDS; round++) {
#if CPOL_EVICTS
		cpol_on_evict(sim);
#endif
		if (sim->n_proposals)
			break;
	}
}

/*
 * The next victim of the fallback: the oldest folio left to the kernel, else the first on the lists that is not pinned, else
 * the head of the first non-empty list.
 */
CPOL_INLINE u32 cpol_first_to_fall(struct cpol_sim *sim)
{
#if CPOL_USES_PINS
	for (u32 list = CPOL_USES_LEAVE ? 0 : 1; list <= CPOL_HEADS(sim); list++)
		for (u32 slot = sim->links[list].next; slot != list; slot = sim->links[slot].next)
			if (!sim->pinned[slot])
				return slot;
#endif
	for (u32 list = CPOL_USES_LEAVE ? 0 : 1; list <= CPOL_HEADS(sim); list++)
		if (sim->links[list].next != list)
			return sim->links[list].next;
	return 0;
}

/* One evict request. No proposal is refused. If the policy proposes nothing, the fallback evicts. */
CPOL_INLINE void cpol_machine_make_room(struct cpol_sim *sim)
{
	u64 wanted = sim->batch, gone = 0;
	u32 slot;

	CPOL_IF_EVENTS(cpol_log_row(sim, CPOL_OP_EVICT, (struct cpol_name){ 0, 0 }, wanted, 0);)
	cpol_machine_evict(sim, wanted);
	for (u32 number = 0; number < sim->n_proposals; number++) {
		CPOL_LOG(sim, CPOL_OP_REMOVED, sim->proposals[number], CPOL_EVICTED, 0);
		cpol_machine_removed(sim, sim->proposals[number], CPOL_EVICTED);
	}
	sim->evicted += sim->n_proposals;
	if (__builtin_expect(sim->n_proposals != 0, 1))
		return;
	while (gone < wanted && (slot = cpol_first_to_fall(sim)) != 0) {
		gone += cpol_folio_pages(sim, slot);
		sim->fallback++;
		CPOL_LOG(sim, CPOL_OP_FALLBACK, slot, 0, 0);
		cpol_machine_removed(sim, slot, CPOL_EVICTED);
	}
}

#if CPOL_USES_RECLAIM
/* Evicts what `reclaim` statements want. Nothing falls back: what the policy does not propose stays. */
static void cpol_machine_reclaim_wanted(struct cpol_sim *sim)
{
	while (sim->reclaim_wanted && sim->size) {
		u64 wanted = sim->reclaim_wanted < sim->asked ? sim->reclaim_wanted : sim->asked, gone;

		CPOL_IF_EVENTS(cpol_log_row(sim, CPOL_OP_EVICT, (struct cpol_name){ 0, 0 }, wanted, 0);)
		cpol_steps_begin(sim);
		cpol_machine_evict(sim, wanted);
		gone = sim->proposed_pages;
		for (u32 number = 0; number < sim->n_proposals; number++) {
			CPOL_LOG(sim, CPOL_OP_REMOVED, sim->proposals[number], CPOL_EVICTED, 0);
			cpol_machine_removed(sim, sim->proposals[number], CPOL_EVICTED);
		}
		cpol_steps_end(sim);
		sim->evicted += sim->n_proposals;
		if (!gone)
			break;
		sim->reclaimed += gone;
		sim->reclaim_wanted -= gone < sim->reclaim_wanted ? gone : sim->reclaim_wanted;
	}
	sim->unreclaimed += sim->reclaim_wanted;
	sim->reclaim_wanted = 0;
}
#endif

CPOL_INLINE void cpol_machine_reclaim(struct cpol_sim *sim)
{
	(void)sim;
#if CPOL_USES_RECLAIM
	if (__builtin_expect(sim->reclaim_wanted != 0, 0))
		cpol_machine_reclaim_wanted(sim);
#endif
}

/* The cache may hold so many pages from now on, at least 1. */
CPOL_INLINE void cpol_machine_room(struct cpol_sim *sim, u64 pages)
{
	sim->capacity = pages;
	sim->batch = sim->asked < pages ? sim->asked : (u32)pages;
}

/* Requests evictions until the cache fits into its capacity, or nothing goes. */
static void cpol_machine_shrink(struct cpol_sim *sim)
{
	u64 before;

	while ((before = cpol_occupied(sim)) > sim->capacity) {
		cpol_machine_make_room(sim);
		if (cpol_occupied(sim) >= before)
			return;
	}
}

#endif
