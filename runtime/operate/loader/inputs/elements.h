/* SPDX-License-Identifier: MIT */
/*
 * Elements of inputs, and their keys in the kernel's maps. The key of a thread, process, command or file is a u64. The key of pages is a
 * prefix: the whole file id and the first bits of the index, both big-endian.
 */
#ifndef LOADER_ELEMENTS_H
#define LOADER_ELEMENTS_H

#include "inputs/comm.h"
#include "manifest/manifest.h"

#define INPUT_MAP "cpol_input_" /* this and the input's name are its map's name; of an array its pin's */
#define SYNC_MAP "cpol_sync_" /* this and an array's name are the pin through which its writers wait */

struct page_key {
	uint32_t bits; /* 64 for the file, plus those of the index */
	byte file[8], index[8];
};

#define PAGE_KEY_SIZE 20
_Static_assert(sizeof(struct page_key) == PAGE_KEY_SIZE, "as in the BPF objects");

union input_map_key {
	uint64_t id;
	struct page_key page;
};

/* An element as the user names it. */
struct element {
	uint64_t id;
	uint64_t first, last; /* pages, both included; 0 unless the key is a page */
	int64_t value; /* raw */
	char name[COMM_SIZE]; /* of a command, whose number is the id */
};

/* What the maps hold for a key. Only that of a command has a name. */
struct map_value {
	int64_t value;
	char name[COMM_SIZE];
};

struct elements {
	struct element *list;
	size_t n;
};

void elements_free(struct elements *elements);
void elements_append(struct elements *elements, struct element element);

/* Whether `all`, from elements_read, has the element; then its value. For a range of pages the first page counts. */
bool elements_find(const struct elements *all, const struct element *wanted, int64_t *value);

/* Widens a raw value according to the input's type, for param_print. */
wide input_value(const struct input *input, int64_t raw);

#endif
