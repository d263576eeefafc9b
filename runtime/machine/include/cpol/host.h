/* SPDX-License-Identifier: MIT */
/*
 * The primitives on the host: one cache with its policy, in flat arrays indexed by slot.
 *
 *     slot 0                     the requested folio that is not cached (its name only); its links are the list
 *                                of folios left to the kernel
 *     slot 1 … CPOL_HEADS        the lists' heads; the links of an empty list point to the head itself
 *     slot CPOL_HEADS + 1 …      folios; unused slots are chained through links.next
 *
 * A policy is built in three ways: for traces of ids, as fast as possible; the same with CPOL_NAMED, where folios have
 * a file; and with CPOL_EVENTS, for single events, folios of several pages and the log of events and decisions
 * (runtime/machine/events/). The builds for traces come with CPOL_STEPS, too: they count the folios that scans visit.
 */
#ifndef CPOL_HOST_H
#define CPOL_HOST_H

#include "cpol/driven.h"
#include "cpol/math.h"

#ifdef CPOL_EVENTS
#define CPOL_GHOST_FILES 1
#else
#define CPOL_EVENTS 0
#define CPOL_GHOST_FILES 0
#endif
/* In a trace, folios have ids only for a policy that reads their names. Others cannot compile such a read, so none is overlooked. */
#define CPOL_HAS_IDS (!CPOL_EVENTS && CPOL_USES_NAMES)

/* By what the index and the ghosts find a folio: the hash of its name or, in a trace, the number of its object. */
#if CPOL_EVENTS
typedef u64 cpol_key;
#else
typedef u32 cpol_key;

/* An object of a trace: the slot of its folio, and its entries in the ghosts. 0: there is none. */
struct cpol_object {
	u32 slot;
#if CPOL_N_GHOSTS
	u32 entries[CPOL_N_GHOSTS];
#endif
};
#endif

#if CPOL_N_GHOSTS
#define CPOL_GHOST_APART (1 + CPOL_N_GHOSTS) /* so many entries are between those of two objects */
#include "cpol/ghost.h"
#endif

/* The file and index of a folio in a trace of ids: those that its id names, or one file for all and the id itself. */
#ifdef CPOL_NAMED
#define CPOL_FILE(c, f) ((c)->files ? (c)->files[(c)->ids[f]] : (c)->file)
#define CPOL_INDEX(c, id) ((c)->indices ? (c)->indices[id] : (id))
#else
#define CPOL_NAMED 0
#define CPOL_FILE(c, f) 0
#define CPOL_INDEX(c, id) (id)
#endif

/* Counts a folio that a scan visits (runtime/machine/native/steps.h). */
#ifdef CPOL_STEPS
#define CPOL_STEP(c) ((void)(c)->steps++)
#else
#define CPOL_STEPS 0
#define CPOL_STEP(c) ((void)0)
#endif

/* The number of the first invariant that does not hold, from 1, or 0: in a build that checks them. */
#ifdef CPOL_BROKEN
#define CPOL_CHECKS 1
#else
#define CPOL_CHECKS 0
#endif

/* Where a folio is: the number of its list, and these flags in the upper bits. */
#if CPOL_USES_LIST_ARRAY
typedef u32 cpol_where;
#define CPOL_WHERE(bits) ((u32)(bits) << 24)
#define CPOL_LIST_MASK 0xffff
#define CPOL_HEADS(c) ((c)->heads)
#else
typedef unsigned _BitInt(8) cpol_where; /* not u8, a character: see CPOL_ELEMENT */
#define CPOL_WHERE(bits) (bits)
#define CPOL_LIST_MASK 0x0f
#define CPOL_HEADS(c) CPOL_N_LISTS
#endif
#define CPOL_OFF_LIST CPOL_WHERE(0x80) /* a candidate, proposed or removed; the number is that of its last list */
#define CPOL_FAR_TAIL CPOL_WHERE(0x40) /* the scan that proposed it has its far end at the tail */
#define CPOL_LEFT CPOL_WHERE(0x20) /* left to the kernel, on no list of the policy */

/* Whether a handler runs for a folio that is not cached yet; it has slot 0. */
#define CPOL_ASKS (CPOL_HAS_MISSED || CPOL_HAS_ADMIT)

typedef struct cpol_sim cpol_ctx;
typedef u32 cpol_folio;

struct cpol_links {
	u32 next, prev;
};

struct cpol_name {
	u64 file, index;
};

/* In a trace at most one folio in so many is dirty; compiler/vocabulary/folio.py has the same. */
#define CPOL_DIRTY_SHARE 10

struct cpol_origin {
	u64 device, cgroup;
};

/* How often a file is open for reading. */
struct cpol_open {
	u64 file, readers;
};

struct cpol_dirtied {
	cpol_key key;
#if CPOL_EVENTS
	struct cpol_name name;
#endif
};

struct cpol_candidate {
	u64 score;
	u32 slot;
	bool far_tail;
};

#if CPOL_N_TABLES
#include "cpol/host_table.h"
#endif
#if CPOL_N_INPUTS
#include "cpol/host_input.h"
#endif
#if CPOL_N_ARRAYS
#include "cpol/host_array.h"
#endif
#if CPOL_PREFETCHES
#include "cpol/host_asks.h"
#endif

struct cpol_sim {
	/* Folios, by slot. */
	struct cpol_links *links;
	cpol_where *where;
	cpol_key *keys;
#if CPOL_HAS_IDS
	u64 *ids;
#endif
#if CPOL_HAS_META
	struct cpol_meta *meta;
#endif
#if CPOL_USES_LIST_ARRAY
	u64 *list_pages;
	u64 array_pages[CPOL_N_LIST_ARRAYS]; /* on all lists of an array */
	u32 array_ends[CPOL_N_LIST_ARRAYS];  /* the number of its last list */
	u32 heads;
#else
	u64 list_pages[CPOL_N_LISTS + 1];
#endif
	u64 size; /* pages that the policy owns */
#if CPOL_USES_LEAVE
	u64 left; /* pages that it left to the kernel */
#endif
	u64 capacity, attached; /* now, and at attach, for which ghosts are made */
#if CPOL_HAS_EVERY_EVENTS
	u64 every_last[CPOL_N_EVERY]; /* the clock at the end of the last period of events, by block */
#endif

	/* The current request. */
	u64 wanted, proposed_pages;
	u32 n_proposals, n_candidates;
	u32 last_loser; /* of an `evict lowest` that scans; 0: none */
	u32 proposals[CPOL_MAX_BATCH];
	struct cpol_candidate candidates[CPOL_MAX_BATCH];

	/* The index. */
#if CPOL_EVENTS
	u64 *cells; /* key -> slot, open addressing (runtime/machine/native/table.h) */
	u32 *cell_slots;
	u64 mask;
#else
	struct cpol_object *objects; /* by number (runtime/machine/native/objects.h) */
	u64 n_objects;               /* room in the array */
	u8 *fresh; /* of objects: readahead or a write brought it, and nobody has read it; NULL: a trace tells of none */
	u64 n_fresh;
#endif

	u32 free_slot, used_slots, slots;
	u32 batch, asked; /* asked: the batch of a cache that has as much */
#if CPOL_N_PARAMS
	struct cpol_param_values params;
#endif
#if CPOL_N_STATES
	struct cpol_state_values state;
#endif
#if CPOL_N_GHOSTS
	struct cpol_ghost ghosts[CPOL_N_GHOSTS];
	struct cpol_ghost_key held; /* the name whose entries are held, since its miss has not ended; only if `holds` */
	bool holds;
#if CPOL_USES_RECORDS
	void *records[CPOL_N_GHOSTS]; /* indexed by the entry's number; NULL: entries have no record */
#endif
#endif
#if CPOL_N_TABLES
	struct cpol_tables tables;
#endif
#if CPOL_N_INPUTS
	struct cpol_input inputs[CPOL_N_INPUTS];
#endif
#if CPOL_N_ARRAYS
	struct cpol_arrays arrays;
#endif
#if CPOL_USES_CLOCK
	u64 clock; /* added and accessed events */
#endif
#if CPOL_USES_RANDOM
	u64 random;
#endif
#if CPOL_USES_TASK
	u64 thread, process, comm; /* the task that causes the events */
#endif
#if CPOL_USES_WRITES
	bool writes; /* whether the requests write */
#endif
#if CPOL_USES_ORIGIN
	struct cpol_origin *origins, origin; /* of folios, by slot, and of those that come */
#endif
#if CPOL_USES_READERS
	struct cpol_open *opened; /* of files that were told of */
	u64 n_opened;
#endif
#if CPOL_HAS_ADMIT
	bool refuses; /* the decision of the handler of admit */
	u64 refused_admission;
#endif
#if CPOL_USES_PINS
	u8 *pinned;   /* of folios, by slot */
	u64 pin_pages, pin_quota; /* pinned now, and at most */
	bool losers_tail; /* the far end of an `evict lowest` that scans */
	u64 pins_refused, pins_kept, pins_overruled; /* pages: beyond the quota, evicted while pinned, taken all the same */
#endif
#if CPOL_USES_RECLAIM
	u64 reclaim_wanted; /* pages that are still to go */
	u64 reclaims, reclaimed, unreclaimed; /* statements that wanted pages; pages: gone, not to be had */
#endif
#if CPOL_USES_KEEPS
	u64 keep_second, keep_pages, keep_quota; /* pages kept from swap in that second, and at most in one */
	u64 keeps_kept, keeps_refused;           /* pages */
#endif
#if CPOL_USES_FLAGS
	u8 *flags; /* of folios, by slot: enum cpol_flag */
	struct cpol_dirtied *dirtied; /* by requests that wrote: a ring of dirty_limit + 1; NULL: none has */
	u64 dirtied_first, n_dirtied, dirty_limit; /* the limit that the ring has room for */
#endif
#if CPOL_PREFETCHES
	struct cpol_asks asks;
#endif
	u64 requests, hits, evicted, fallback, refused, missed_bytes, read_bytes;
	u64 ms; /* time of the last tick */
#if CPOL_STEPS
	u64 steps; /* of the current evict request */
	struct cpol_step_counts *step_counts;
#endif
#if CPOL_CHECKS
	u64 broken; /* the invariant that did not hold, as CPOL_BROKEN says it */
#endif
#if CPOL_NAMED
	u64 file; /* of all folios, without `files` */
	const u64 *files, *indices; /* of the current run, by id; NULL: ids name nothing */
#endif
#if CPOL_EVENTS
	struct cpol_name *names;
	u64 *pages;
	u8 *was_read;
#if CPOL_USES_LIST_ARRAY
	u64 *list_folios;
#else
	u64 list_folios[CPOL_N_LISTS + 1];
#endif
#if CPOL_HAS_MISSED
	struct cpol_name announced; /* the last folio of the handler of missed */
	bool announces;             /* that folio has not been added yet */
#endif
	struct cpol_row *log;
	u64 log_rows, log_size;
	bool log_failed;
#endif
};

/* The new value of a `var`. */
#define CPOL_VARIABLE(type, value) ((type)(value))

/* Assigns to a state or a field. */
#define CPOL_STORE(place, value) ((place) = (value))

/* A local number, to be compared. */
#define CPOL_COMPARED(type, value) ((type)(value))

/* Locals of bool and enums. */
#define CPOL_HIDE(name, value) u32 name = (value)
#define CPOL_HIDE_NEXT(name, value) ((name) = (value))
#define CPOL_HIDDEN(type, name) ((type)(name))

#define CPOL_FOR(i, range)                                                                                    \
	for (struct cpol_range cpol_range_##i = (range), *cpol_once_##i = &cpol_range_##i; cpol_once_##i;     \
	     cpol_once_##i = NULL)                                                                            \
		for (u64 i = cpol_range_##i.low; cpol_range_##i.rounds != 0; cpol_range_##i.rounds--, i++)

#define cpol_params (c->params)
#define cpol_state (c->state)

#define CPOL_ARGUMENT __attribute__((unused))
#define CPOL_HANDLER(name, c, ...) CPOL_INLINE void cpol_on_##name(CPOL_ARGUMENT cpol_ctx *c, ##__VA_ARGS__)
#define CPOL_HANDLER_OF(name, c, f, ...) CPOL_HANDLER(name, c, CPOL_ARGUMENT cpol_folio f, ##__VA_ARGS__)
#define CPOL_HANDLER_INIT(c) CPOL_HANDLER(init, c)
#define CPOL_HANDLER_MISSED(c, f) CPOL_HANDLER_OF(missed, c, f)
#define CPOL_HANDLER_ADMIT(c, f) CPOL_HANDLER_OF(admit, c, f)
#define CPOL_HANDLER_ADDED(c, f) CPOL_HANDLER_OF(added, c, f)
#define CPOL_HANDLER_FIRST_ACCESSED(c, f) CPOL_HANDLER_OF(first_accessed, c, f)
#define CPOL_HANDLER_ACCESSED(c, f) CPOL_HANDLER_OF(accessed, c, f)
#define CPOL_HANDLER_REMOVED(c, f, why) CPOL_HANDLER_OF(removed, c, f, CPOL_ARGUMENT u32 why)
#define CPOL_HANDLER_EVICT(c) CPOL_HANDLER(evict, c)
#define CPOL_HANDLER_ASKED(name, c) CPOL_HANDLER(name, c)
#define CPOL_HANDLER_EVERY(number, c) \
	CPOL_INLINE void cpol_every_##number(CPOL_ARGUMENT cpol_ctx *c, CPOL_ARGUMENT u64 cpol_periods)

#if CPOL_EVENTS
void cpol_log_row(cpol_ctx *c, u64 op, struct cpol_name name, u64 a, u64 b);
#define CPOL_LOG(c, op, f, a, b) cpol_log_row(c, op, (c)->names[f], a, b)
#define CPOL_IF_EVENTS(statement) statement
#else
#define CPOL_LOG(c, op, f, a, b) ((void)0)
#define CPOL_IF_EVENTS(statement)
#endif

#include "cpol/host_lists.h"
#include "cpol/host_evict.h"
#include "cpol/host_ghost.h"
#include "cpol/host_read.h"
#if CPOL_PREFETCHES
#include "cpol/host_prefetch.h"
#endif

#endif
