/* SPDX-License-Identifier: MIT */
/*
 * Ranges of a file's pages, as prefixes in a trie. For a file the prefixes of the trie are kept disjoint and as wide as possible, so that
 * what was put last counts, and a part of a range can be taken out of it.
 */
#ifndef LOADER_PAGE_RANGES_H
#define LOADER_PAGE_RANGES_H

#include "map_changes.h"

/* What the trie holds for `id`, or for all files if `all`: sorted ranges that do not overlap and whose neighbours differ. -1: said why. */
int page_ranges_read(int map, const struct input *input, bool all, uint64_t id, struct elements *ranges);

/* The changes by which first..last of a file get `value`, or none if `!put`. Adds come before removals. -1: said why. */
int page_ranges_change(int map, const struct input *input, const struct elements *wanted, bool put, struct map_changes *changes);

#endif
