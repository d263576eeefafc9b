/* SPDX-License-Identifier: MIT */
/* Folios and lists on the host (host.h). */
#ifndef CPOL_HOST_LISTS_H
#define CPOL_HOST_LISTS_H

/* The finaliser of MurmurHash3. */
CPOL_INLINE u64 cpol_mix(u64 id)
{
	id ^= id >> 33;
	id *= 0xff51afd7ed558ccdULL;
	id ^= id >> 33;
	id *= 0xc4ceb9fe1a85ec53ULL;
	return id ^ (id >> 33);
}

CPOL_INLINE u64 cpol_folio_pages(cpol_ctx *c, cpol_folio f)
{
#if CPOL_EVENTS
	return c->pages[f];
#else
	(void)c, (void)f;
	return 1;
#endif
}

#if CPOL_EVENTS || CPOL_HAS_IDS
CPOL_INLINE u64 cpol_folio_file(cpol_ctx *c, cpol_folio f)
{
#if CPOL_EVENTS
	return c->names[f].file;
#else
	(void)c, (void)f;
	return CPOL_FILE(c, f);
#endif
}

CPOL_INLINE u64 cpol_folio_index(cpol_ctx *c, cpol_folio f)
{
#if CPOL_EVENTS
	return c->names[f].index;
#else
	return CPOL_INDEX(c, c->ids[f]);
#endif
}
#endif

#if CPOL_USES_LIST_ARRAY
/* Which array the list with this number belongs to, from 0. The number is that of a list in an array. */
CPOL_INLINE u32 cpol_array_of(cpol_ctx *c, u32 list)
{
	u32 array = 0;

	while (array < CPOL_N_LIST_ARRAYS - 1 && list > c->array_ends[array])
		array++;
	return array;
}

/* The number of the first list of an array. */
CPOL_INLINE u32 cpol_array_first(cpol_ctx *c, u32 array)
{
	return array ? c->array_ends[array - 1] + 1 : CPOL_LIST_ARRAY;
}
#endif

/* Counts pages that came onto a list of an array, or left it. */
CPOL_INLINE void cpol_array_count(cpol_ctx *c, u32 list, u64 pages)
{
	(void)c, (void)list, (void)pages;
#if CPOL_USES_LIST_ARRAY
	if (list >= CPOL_LIST_ARRAY)
		c->array_pages[cpol_array_of(c, list)] += pages;
#endif
}

/* The number of the folio's list. For the policy (cpol_folio_list), an array counts as one list. */

CPOL_INLINE u32 cpol_list_of(cpol_ctx *c, cpol_folio f)
{
	return c->where[f] & CPOL_LIST_MASK;
}

CPOL_INLINE u32 cpol_folio_list(cpol_ctx *c, cpol_folio f)
{
	u32 list = cpol_list_of(c, f);

#if CPOL_USES_LIST_ARRAY
	if (list >= CPOL_LIST_ARRAY)
		return CPOL_LIST_ARRAY + cpol_array_of(c, list);
#endif
	return list;
}

#if CPOL_USES_LIST_ARRAY
/* The number of a list of an array. */
CPOL_INLINE u32 cpol_list_at(cpol_ctx *c, enum cpol_list list, u64 index)
{
	u32 array = list - CPOL_LIST_ARRAY, first = cpol_array_first(c, array);
	u64 last = c->array_ends[array] - first;

	return first + (u32)(index < last ? index : last);
}
#endif

#if CPOL_HAS_META
CPOL_INLINE struct cpol_meta *cpol_meta(cpol_ctx *c, cpol_folio f)
{
	return &c->meta[f];
}
#endif

/* Pages on the list with this number. */
CPOL_INLINE u64 cpol_list_pages(cpol_ctx *c, u32 list)
{
	return c->list_pages[list];
}

/* Pages on a list by its name; for an array, on all its lists. */
CPOL_INLINE u64 cpol_list_size(cpol_ctx *c, enum cpol_list list)
{
#if CPOL_USES_LIST_ARRAY
	if (list >= CPOL_LIST_ARRAY)
		return c->array_pages[list - CPOL_LIST_ARRAY];
#endif
	return c->list_pages[list];
}

CPOL_INLINE u64 cpol_cache_size(cpol_ctx *c)
{
	return c->size;
}

CPOL_INLINE u64 cpol_cache_capacity(cpol_ctx *c)
{
	return c->capacity;
}

CPOL_INLINE bool cpol_on_list(cpol_ctx *c, cpol_folio f)
{
	return (c->where[f] & (CPOL_OFF_LIST | CPOL_LIST_MASK)) - 1u < CPOL_HEADS(c);
}

/* Into a ring, beside `at`. */
CPOL_INLINE void cpol_enter(struct cpol_links *links, u32 f, u32 at, bool before)
{
	u32 prev = before ? links[at].prev : at;
	u32 next = before ? at : links[at].next;

	links[f].prev = prev;
	links[f].next = next;
	links[prev].next = f;
	links[next].prev = f;
}

/* Out of a ring. */
CPOL_INLINE void cpol_exit(struct cpol_links *links, u32 f)
{
	u32 prev = links[f].prev, next = links[f].next;

	links[prev].next = next;
	links[next].prev = prev;
}

/* Puts `f`, which is on no list, beside the folio or the head `at` of a list. */
CPOL_INLINE void cpol_link_at(cpol_ctx *c, cpol_folio f, u32 list, u32 at, bool before)
{
	cpol_enter(c->links, f, at, before);
	c->where[f] = (cpol_where)list;
	c->list_pages[list] += cpol_folio_pages(c, f);
	cpol_array_count(c, list, cpol_folio_pages(c, f));
	CPOL_IF_EVENTS(c->list_folios[list]++;)
}

/* Puts `f`, which is on no list, at an end of one. */
CPOL_INLINE void cpol_link(cpol_ctx *c, cpol_folio f, u32 list, bool tail)
{
	cpol_link_at(c, f, list, list, tail);
}

/* Moves all folios from the near end to `last` to the far end, in their order: the head of a ring goes behind `last`. */
CPOL_INLINE void cpol_rotate(cpol_ctx *c, u32 last, bool far_tail)
{
	struct cpol_links *links = c->links;
	u32 list = cpol_list_of(c, last), prev, next;

	links[links[list].prev].next = links[list].next;
	links[links[list].next].prev = links[list].prev;
	prev = far_tail ? last : links[last].prev;
	next = far_tail ? links[last].next : last;
	links[list] = (struct cpol_links){ .next = next, .prev = prev };
	links[prev].next = list;
	links[next].prev = list;
}

/* Takes `f` off its list; `where` keeps the list's number. */
CPOL_INLINE void cpol_unlink(cpol_ctx *c, cpol_folio f)
{
	u32 list = cpol_list_of(c, f);

	cpol_exit(c->links, f);
	c->where[f] = (cpol_where)(list | CPOL_OFF_LIST);
	c->list_pages[list] -= cpol_folio_pages(c, f);
	cpol_array_count(c, list, -cpol_folio_pages(c, f));
	CPOL_IF_EVENTS(c->list_folios[list]--;)
}

CPOL_INLINE void cpol_place(cpol_ctx *c, cpol_folio f, u32 list, bool tail)
{
	CPOL_LOG(c, CPOL_OP_PLACE, f, list, tail);
	cpol_link(c, f, list, tail);
	c->size += cpol_folio_pages(c, f);
}

CPOL_INLINE bool cpol_is_pinned(cpol_ctx *c, cpol_folio f)
{
#if CPOL_USES_PINS
	return c->pinned[f];
#else
	(void)c, (void)f;
	return false;
#endif
}

#if CPOL_USES_PINS
CPOL_INLINE bool cpol_folio_pinned(cpol_ctx *c, cpol_folio f)
{
	return c->pinned[f];
}

/* For a folio that is on a list, or is coming. */
CPOL_INLINE void cpol_pin(cpol_ctx *c, cpol_folio f)
{
	if (c->pinned[f] || (c->where[f] && !cpol_on_list(c, f)))
		return;
	if (c->pin_pages + cpol_folio_pages(c, f) > c->pin_quota) {
		c->pins_refused += cpol_folio_pages(c, f);
		return;
	}
	c->pinned[f] = 1;
	c->pin_pages += cpol_folio_pages(c, f);
}
#endif

CPOL_INLINE void cpol_unpin(cpol_ctx *c, cpol_folio f)
{
	(void)c, (void)f;
#if CPOL_USES_PINS
	if (!c->pinned[f])
		return;
	c->pinned[f] = 0;
	c->pin_pages -= cpol_folio_pages(c, f);
#endif
}

#if CPOL_USES_LEAVE
/* Appends to the kernel's own list, list 0, with the oldest at its head. */
CPOL_INLINE void cpol_leave(cpol_ctx *c, cpol_folio f)
{
	struct cpol_links *links = c->links;
	u32 last = links[0].prev;

	CPOL_LOG(c, CPOL_OP_LEAVE, f, 0, 0);
	cpol_unpin(c, f);
	links[f] = (struct cpol_links){ .next = 0, .prev = last };
	links[last].next = f;
	links[0].prev = f;
	c->where[f] = CPOL_LEFT;
	c->left += cpol_folio_pages(c, f);
}
#endif

CPOL_INLINE void cpol_move(cpol_ctx *c, cpol_folio f, u32 list, bool tail)
{
	if (!cpol_on_list(c, f))
		return;
	CPOL_LOG(c, CPOL_OP_MOVE, f, list, tail);
	if (cpol_list_of(c, f) == list) { /* as most are: its size stays */
		cpol_exit(c->links, f);
		cpol_enter(c->links, f, list, tail);
		return;
	}
	cpol_unlink(c, f);
	cpol_link(c, f, list, tail);
}

/* A loop over a list. The number of visits is fixed at the start, and each successor before the body runs. */

CPOL_INLINE u64 cpol_scan_visits(cpol_ctx *c, u32 list, u64 bound)
{
#if CPOL_EVENTS
	u64 folios = c->list_folios[list];
#else
	u64 folios = c->list_pages[list];
#endif
	return folios < bound ? folios : bound;
}

CPOL_INLINE u32 cpol_successor(cpol_ctx *c, u32 slot, bool from_tail)
{
	return from_tail ? c->links[slot].prev : c->links[slot].next;
}

#define CPOL_SCAN(c, f, list, from_tail, bound)                                                                       \
	for (u32 cpol_list_##f = (list), f = cpol_successor(c, cpol_list_##f, from_tail), cpol_next_##f = 0,          \
		 *cpol_once_##f = &cpol_next_##f;                                                                      \
	     cpol_once_##f; cpol_once_##f = NULL)                                                                      \
		for (u64 cpol_left_##f = cpol_scan_visits(c, cpol_list_##f, bound);                                    \
		     cpol_left_##f != 0 && f > CPOL_HEADS(c) &&                                                        \
		     (cpol_next_##f = cpol_successor(c, f, from_tail), CPOL_STEP(c), true);                            \
		     cpol_left_##f--, f = cpol_next_##f)

#endif
