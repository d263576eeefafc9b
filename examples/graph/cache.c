/* SPDX-License-Identifier: MIT */
#include "graph.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SAMPLE 16
#define NOWHERE UINT32_MAX

struct cache {
	const char *path;
	int file;
	uint32_t slots, used;
	uint32_t *slot_of, *page_in; /* by page, by slot */
	const uint32_t *degrees;
	char *memory;
	uint64_t seed;
};

struct cache *cache_open(const struct graph *graph, uint32_t pages, const uint32_t *degrees)
{
	struct cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		die("cache", "out of memory");
	*cache = (struct cache){ .path = graph->path, .slots = pages, .degrees = degrees, .seed = 1 };
	cache->file = open(graph->path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (cache->file < 0)
		die(graph->path, strerror(errno));
	cache->slot_of = malloc(graph->pages * sizeof(*cache->slot_of));
	cache->page_in = malloc(pages * sizeof(*cache->page_in));
	cache->memory = aligned_alloc(PAGE, (size_t)pages * PAGE);
	if (!cache->slot_of || !cache->page_in || !cache->memory)
		die("cache", "out of memory");
	memset(cache->slot_of, 0xff, graph->pages * sizeof(*cache->slot_of));
	return cache;
}

/* A slot for the page; whatever was there has gone. */
static uint32_t free_slot(struct cache *cache)
{
	uint32_t least;

	if (cache->used < cache->slots)
		return cache->used++;
	least = (uint32_t)(draw(&cache->seed) % cache->slots);
	for (int i = 1; i < SAMPLE; i++) {
		uint32_t other = (uint32_t)(draw(&cache->seed) % cache->slots);

		if (cache->degrees[cache->page_in[other]] < cache->degrees[cache->page_in[least]])
			least = other;
	}
	cache->slot_of[cache->page_in[least]] = NOWHERE;
	return least;
}

const void *cache_page(struct cache *cache, uint32_t page)
{
	uint32_t slot = cache->slot_of[page];

	if (slot == NOWHERE) {
		slot = free_slot(cache);
		if (pread(cache->file, cache->memory + (size_t)slot * PAGE, PAGE, (off_t)page * PAGE) != PAGE)
			die(cache->path, "cannot read it");
		cache->page_in[slot] = page;
		cache->slot_of[page] = slot;
	}
	return cache->memory + (size_t)slot * PAGE;
}

void cache_close(struct cache *cache)
{
	if (!cache)
		return;
	close(cache->file);
	free(cache->memory);
	free(cache->page_in);
	free(cache->slot_of);
	free(cache);
}
