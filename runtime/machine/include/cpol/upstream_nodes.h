/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Nodes for upstream's interface: what a policy keeps of each folio that it owns, in a hash map with the folio's address as the key. A
 * node is made when the folio is added, before it is placed, and goes with the folio. Near OOM, that kernel takes folios without a
 * report. Their nodes stay until a folio at the same address is added.
 */
#ifndef CPOL_UPSTREAM_NODES_H
#define CPOL_UPSTREAM_NODES_H

#define CPOL_NODES (1U << 20) /* folios; a loader can set another number (bpf_map__set_max_entries) */

struct cpol_node {
	u32 list;  /* the folio's list; 0: none */
	u32 pages; /* of the folio */
#if CPOL_USES_CANDIDATES
	u64 score; /* from the round of `evict lowest` that visited it last */
	u64 round;
#endif
#if CPOL_HAS_META
	struct cpol_meta meta;
#endif
};

struct {
	int (*type)[BPF_MAP_TYPE_HASH];
	int (*max_entries)[CPOL_NODES];
	int (*map_flags)[BPF_F_NO_PREALLOC];
	u64 *key; /* the folio's address */
	struct cpol_node *value;
} cpol_nodes SEC(".maps");

/* Pages and folios by list. [0] is for folios on none, and is not read. */
struct cpol_tally {
	u64 pages, folios;
} cpol_tallies[CPOL_N_LISTS + 1];

/* The folio's node; NULL: the policy does not own the folio, or no longer. */
CPOL_PRIMITIVE struct cpol_node *cpol_find(cpol_folio f)
{
	u64 key = (u64)f;

	return bpf_map_lookup_elem(&cpol_nodes, &key);
}

CPOL_PRIMITIVE struct cpol_node *cpol_node(cpol_ctx *c, cpol_folio f)
{
	return f == c->folio ? c->node : cpol_find(f);
}

CPOL_PRIMITIVE void cpol_forget(cpol_folio f)
{
	u64 key = (u64)f;

	bpf_map_delete_elem(&cpol_nodes, &key);
}

CPOL_PRIMITIVE void cpol_tally(u32 list, u64 pages, u64 folios)
{
	u64 at = list;

	CPOL_OPAQUE(at);
	if (at > CPOL_N_LISTS)
		return;
	__sync_fetch_and_add(&cpol_tallies[at].pages, pages);
	__sync_fetch_and_add(&cpol_tallies[at].folios, folios);
}

/* Puts the folio on this list, and returns its list before. Atomic: concurrent calls count each folio once. */
CPOL_PRIMITIVE u32 cpol_node_enter(struct cpol_node *node, u32 list)
{
	u32 before;

	if (!node)
		return 0;
	before = __sync_lock_test_and_set(&node->list, list);
	if (before == list)
		return before;
	if (before)
		cpol_tally(before, -(u64)node->pages, -1ULL);
	if (list)
		cpol_tally(list, node->pages, 1);
	return before;
}

/* Takes the folio off its list, and returns that. */
CPOL_PRIMITIVE u32 cpol_node_leave(struct cpol_node *node)
{
	return cpol_node_enter(node, 0);
}

/* Makes the node of an added folio, and uncounts a stale node at that address. NULL: the map is full. */
CPOL_PRIMITIVE struct cpol_node *cpol_node_make(cpol_ctx *c, cpol_folio f)
{
	struct cpol_node fresh;
	u64 key = (u64)f;

	cpol_node_leave(cpol_find(f));
	__builtin_memset(&fresh, 0, sizeof(fresh));
	fresh.pages = (u32)cpol_folio_pages(c, f);
#if CPOL_HAS_META
	cpol_meta_init(&fresh.meta);
#endif
	if (bpf_map_update_elem(&cpol_nodes, &key, &fresh, 0))
		return NULL;
	return cpol_find(f);
}

#if CPOL_HAS_META
CPOL_PRIMITIVE struct cpol_meta *cpol_meta(cpol_ctx *c, cpol_folio f)
{
	struct cpol_node *node = cpol_node(c, f);

	return node ? &node->meta : NULL;
}
#endif

/* The number of the folio's list; 0: none. In removed, the list that the folio was on. */
CPOL_PRIMITIVE u32 cpol_folio_list(cpol_ctx *c, cpol_folio f)
{
	struct cpol_node *node;

	if (c->left)
		return c->left;
	node = cpol_node(c, f);
	return node ? node->list : 0;
}

/* Folios on a list. The counter may be negative for a moment, since CPUs count at different times. */
CPOL_PRIMITIVE u64 cpol_list_folios(u32 list)
{
	s64 folios = *(volatile s64 *)&cpol_tallies[list].folios;

	return folios > 0 ? folios : 0;
}

#endif
