/* SPDX-License-Identifier: MIT */
/*
 * Ranges of a file's pages, as prefixes in a trie. The prefixes of a file are disjoint and as wide as possible. So the value that was
 * put last counts, and a part of a range can be removed.
 */
#ifndef LOADER_PAGE_RANGES_H
#define LOADER_PAGE_RANGES_H

#include "inputs/map_changes.h"

/* Reads the ranges of the file `id`, or of all files if `all`: sorted, disjoint, neighbours with different values. -1: reported. */
int page_ranges_read(int map, const struct input *input, bool all, uint64_t id, struct elements *ranges);

/* The changes that give the wanted ranges their values, or remove them if `!put`. Adds come before removals. -1: reported. */
int page_ranges_change(int map, const struct input *input, const struct elements *wanted, bool put, struct map_changes *changes);

#endif
