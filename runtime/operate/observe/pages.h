/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages: how each one came that nobody has used since, and which were used of late. */
#ifndef OBSERVE_PAGES_H
#define OBSERVE_PAGES_H

#include "counts.h"

#define MAX_PAGES (1 << 20) /* 4 GiB that came and were not used since */
#define MAX_FOLIO 512	    /* pages of a folio that are told apart */

enum came {
	CAME_WANTED = 1, /* for a read or a fault that asked for it */
	CAME_AHEAD,
	CAME_MAPPED, /* ahead, and mapped since: its use may be invisible */
};

struct {
	int (*type)[BPF_MAP_TYPE_HASH];
	int (*max_entries)[MAX_PAGES];
	int (*map_flags)[BPF_F_NO_PREALLOC];
	struct observe_page *key;
	uint8_t *value; /* enum came */
} observe_pages SEC(".maps");

/* Bits of pages that were used, by their hashes. One set fills, and the loader reads the other. */
struct {
	int (*type)[BPF_MAP_TYPE_ARRAY];
	int (*max_entries)[2 * OBSERVE_USED_WORDS];
	int (*map_flags)[BPF_F_MMAPABLE];
	uint32_t *key;
	uint64_t *value;
} observe_used SEC(".maps");

struct {
	int (*type)[BPF_MAP_TYPE_HASH];
	int (*max_entries)[OBSERVE_MAX_CELLS];
	int (*map_flags)[BPF_F_NO_PREALLOC];
	struct observe_cell *key;
	struct observe_heat *value;
} observe_cells SEC(".maps");

uint32_t observe_fills = 0; /* which set of bits: 0 or 1 */

static void note_page(const struct observe_page *page, uint8_t came)
{
	uint32_t key = 0;
	struct observe_full *full;

	if (!bpf_map_update_elem(&observe_pages, page, &came, BPF_ANY))
		return;
	full = bpf_map_lookup_elem(&observe_full, &key);
	if (full)
		__sync_fetch_and_add(&full->pages, 1);
}

static void note_used(const struct observe_page *page)
{
	uint64_t hash = (page->mapping ^ page->index * 0x9e3779b97f4a7c15ULL) * 0xd6e8feb86659fd93ULL;
	uint32_t word, bit;
	uint64_t *bits;

	hash ^= hash >> 32;
	hash *= 0xd6e8feb86659fd93ULL;
	hash ^= hash >> 32;
	bit = hash & 63;
	word = (hash >> 6) % OBSERVE_USED_WORDS + (observe_fills ? OBSERVE_USED_WORDS : 0);
	bits = bpf_map_lookup_elem(&observe_used, &word);
	if (bits && !(*bits & 1ULL << bit))
		__sync_fetch_and_or(bits, 1ULL << bit);
}

int heat(const struct observe_file *file, uint64_t index, bool hit)
{
	struct observe_heat first = { .hits = hit, .misses = !hit };
	struct observe_cell key = {};
	struct observe_heat *cell;
	struct observe_full *full;
	uint32_t zero = 0;

	if (!file)
		return 0;
	key.file = *file;
	key.run = index >> (observe_options.heat_shift & 63);
	cell = bpf_map_lookup_elem(&observe_cells, &key);
	if (!cell && !bpf_map_update_elem(&observe_cells, &key, &first, BPF_NOEXIST))
		return 0;
	if (!cell)
		cell = bpf_map_lookup_elem(&observe_cells, &key);
	if (cell)
		__sync_fetch_and_add(hit ? &cell->hits : &cell->misses, 1);
	full = cell ? NULL : bpf_map_lookup_elem(&observe_full, &zero);
	if (full)
		__sync_fetch_and_add(&full->cells, 1);
	return 0;
}

/* Takes what is known of a page that is used or leaves; 0: nothing. */
static uint8_t take_page(const struct observe_page *page)
{
	uint8_t *came = bpf_map_lookup_elem(&observe_pages, page), was;

	if (!came)
		return 0;
	was = *came;
	/* Of two processors that use a page at once, one takes it. */
	return bpf_map_delete_elem(&observe_pages, page) ? 0 : was;
}

#endif
