/* SPDX-License-Identifier: MIT */
/* endless_ranges all|one: reads an input of pages, or one file of it, that a writer changes so fast that the walk never ends. */
#include <bpf/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "inputs/page_ranges.h"

#define ENOUGH (16 * INPUT_ENTRIES)

static uint32_t asked;

int bpf_map_get_next_key(int map, const void *key, void *next)
{
	(void)map;
	(void)key;
	if (asked++ > ENOUGH)
		abort();
	*(struct page_key *)next = (struct page_key){ .bits = 128, .index = { [6] = (byte)(asked >> 8), [7] = (byte)asked } };
	return 0;
}

int bpf_map_lookup_elem(int map, const void *key, void *value)
{
	(void)map;
	(void)key;
	*(int64_t *)value = 1;
	return 0;
}

int main(int argc, char **argv)
{
	const struct input input = { .name = "pages", .key = INPUT_PAGE };
	struct elements ranges = {};
	int status = page_ranges_read(0, &input, argc > 1 && !strcmp(argv[1], "all"), 7, &ranges);

	elements_free(&ranges);
	return status ? 1 : 0;
}
