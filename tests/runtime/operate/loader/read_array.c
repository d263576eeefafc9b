/* SPDX-License-Identifier: MIT */
/* read_array FILE SIZE [FORMAT]: the entries of a file, in an array of 400 unsigned entries of that size. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "inputs/array_file.h"

#define ENTRIES 400

int main(int argc, char **argv)
{
	static byte entries[ENTRIES * 8];
	struct user_array array = { .entries = ENTRIES, .entry = { .name = "degree", .type = "number", .kind = KIND_UNSIGNED } };
	uint64_t count = 0;

	if (argc < 3)
		return 2;
	array.entry.size = (uint8_t)atoi(argv[2]);
	array.entry.high = ((wide)1 << (8 * array.entry.size)) - 1;
	if (array_read_file(&array, argv[1], argc > 3 ? argv[3] : NULL, entries, &count, "input degree load"))
		return 1;
	for (uint64_t i = 0; i < count; i++)
		printf("%" PRId64 "\n", (int64_t)load_value(entries + i * array.entry.size, &array.entry, 0));
	return 0;
}
