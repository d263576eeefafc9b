/* SPDX-License-Identifier: MIT */
/*
 * The primitives on the host: one cache with its policy, in flat arrays that are indexed by slots.
 *
 *     slot 1 … CPOL_N_LISTS      the lists' heads: links of an empty list point to its head itself
 *     slot CPOL_N_LISTS + 1 …    folios; the unused ones are chained through links.next
 *
 * Two builds of a policy: for traces of ids, as fast as can be; and with CPOL_EVENTS for single events, folios of several
 * pages and the log of events and decisions (runtime/events/).
 */
#ifndef CPOL_HOST_H
#define CPOL_HOST_H

#include "cpol/types.h"

#ifdef CPOL_EVENTS
#define CPOL_GHOST_FILES 1
#else
#define CPOL_EVENTS 0
#define CPOL_GHOST_FILES 0
#endif
#include "cpol/ghost.h"

#define CPOL_MAX_BATCH 32
#define CPOL_BUCKET 8 /* cells of the index in a cache line */
#define CPOL_OFF_LIST 0x80 /* in `where`: seated, proposed or removed; the list is the one it was on */
#define CPOL_FAR_TAIL 0x40 /* in `where`: the far end of the scan that proposed it */
#define CPOL_LIST_MASK 0x0f

typedef struct cpol_sim cpol_ctx;
typedef u32 cpol_folio;

struct cpol_links {
	u32 next, prev;
};

/* One row of the event log: runtime/events/ has the meaning of each. */
struct cpol_row {
	u64 op, file, index, a, b;
};

struct cpol_name {
	u64 file, index;
};

struct cpol_seat {
	u64 score;
	u32 slot;
	bool far_tail;
};

struct cpol_sim {
	/* Folios, by slot. */
	struct cpol_links *links;
	u8 *where;
	u64 *ids; /* hash of the name; without CPOL_EVENTS the name can be had back from it */
#if CPOL_HAS_META
	struct cpol_meta *meta;
#endif
	u64 list_pages[CPOL_N_LISTS + 1];
	u64 size;
	u64 capacity;

	/* The request in hand. */
	u64 wanted, proposed_pages;
	u32 n_proposals, n_seats;
	u32 proposals[CPOL_MAX_BATCH];
	struct cpol_seat seats[CPOL_MAX_BATCH];

	/* The index: id -> slot, open addressing (runtime/native/table.h). */
	u64 *cells;
	u32 *cell_slots;
	u64 mask;

	u32 free_slot, used_slots, slots;
	u32 batch;
#if CPOL_N_PARAMS
	struct cpol_param_values params;
#endif
#if CPOL_N_STATES
	struct cpol_state_values state;
#endif
#if CPOL_N_GHOSTS
	struct cpol_ghost ghosts[CPOL_N_GHOSTS];
	struct cpol_ghost_at ghosts_at[CPOL_N_GHOSTS];
#endif
	u64 requests, hits, evicted, fallback, refused;
#if CPOL_EVENTS
	struct cpol_name *names;
	u64 *pages;
	u8 *was_read;
	u64 list_folios[CPOL_N_LISTS + 1];
	struct cpol_row *log;
	u64 log_rows, log_size;
	bool log_failed;
#endif
};

#define cpol_params (c->params)
#define cpol_state (c->state)

#define CPOL_HANDLER_INIT(c) CPOL_INLINE void cpol_on_init(CPOL_ARGUMENT cpol_ctx *c)
#define CPOL_HANDLER_ADDED(c, f) CPOL_INLINE void cpol_on_added(CPOL_ARGUMENT cpol_ctx *c, CPOL_ARGUMENT cpol_folio f)
#define CPOL_HANDLER_FIRST_ACCESSED(c, f) CPOL_INLINE void cpol_on_first_accessed(CPOL_ARGUMENT cpol_ctx *c, CPOL_ARGUMENT cpol_folio f)
#define CPOL_HANDLER_ACCESSED(c, f) CPOL_INLINE void cpol_on_accessed(CPOL_ARGUMENT cpol_ctx *c, CPOL_ARGUMENT cpol_folio f)
#define CPOL_HANDLER_REMOVED(c, f, why) \
	CPOL_INLINE void cpol_on_removed(CPOL_ARGUMENT cpol_ctx *c, CPOL_ARGUMENT cpol_folio f, CPOL_ARGUMENT u32 why)
#define CPOL_HANDLER_EVICT(c) CPOL_INLINE void cpol_on_evict(CPOL_ARGUMENT cpol_ctx *c)
#define CPOL_ARGUMENT __attribute__((unused))

/* The log of events and decisions. */
enum cpol_op {
	CPOL_OP_MISSED = 1, CPOL_OP_ADDED, CPOL_OP_FIRST_ACCESSED, CPOL_OP_ACCESSED, CPOL_OP_REMOVED, CPOL_OP_EVICT,
	CPOL_OP_REFUSED, CPOL_OP_FALLBACK,
	CPOL_OP_PLACE = 16, CPOL_OP_MOVE, CPOL_OP_PROPOSE, CPOL_OP_GHOST_ADD, CPOL_OP_GHOST_TAKE,
};

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

#endif
