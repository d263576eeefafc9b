/* SPDX-License-Identifier: MIT */
#include "graph.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t draw(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/* The hub of rank r is drawn with a probability of about 1 / r. Hubs lie anywhere in the file. */
uint32_t graph_target(uint64_t *state, uint32_t vertices)
{
	double uniform = (double)(draw(state) >> 11) / (double)(1ULL << 53);
	uint64_t rank = (uint64_t)pow((double)vertices, uniform) - 1;

	return (uint32_t)(rank * 2654435761ULL % vertices); /* a permutation if the number of vertices is a power of two */
}

int graph_make(const char *path, uint32_t vertices, uint64_t seed)
{
	FILE *out = fopen(path, "we");

	if (!out)
		die(path, strerror(errno));
	for (uint64_t edge = 0; edge < (uint64_t)vertices * EDGES; edge++) {
		uint32_t target = graph_target(&seed, vertices);

		if (fwrite(&target, sizeof(target), 1, out) != 1)
			die(path, strerror(errno));
	}
	if (fclose(out))
		die(path, strerror(errno));
	return 0;
}

void graph_open(struct graph *graph, const char *path)
{
	struct stat found;

	*graph = (struct graph){ .path = path, .file = open(path, O_RDONLY | O_CLOEXEC) };
	if (graph->file < 0 || fstat(graph->file, &found))
		die(path, strerror(errno));
	if (!found.st_size || found.st_size % PAGE || found.st_size / PAGE > MOST_VERTICES / (off_t)ON_PAGE)
		die(path, "this is no graph that `graph make` wrote");
	graph->pages = (uint32_t)(found.st_size / PAGE);
	graph->vertices = graph->pages * ON_PAGE;
	posix_fadvise(graph->file, 0, 0, POSIX_FADV_RANDOM);
}

void graph_close(struct graph *graph)
{
	cache_close(graph->cache);
	close(graph->file);
}

void graph_read(struct graph *graph, uint32_t vertex, uint32_t vertices, uint32_t *edges)
{
	size_t bytes = (size_t)vertices * EDGES * sizeof(*edges), at = (size_t)vertex * EDGES * sizeof(*edges);

	if (graph->trace)
		printf("%u\n", vertex / ON_PAGE);
	if (graph->cache)
		memcpy(edges, (const char *)cache_page(graph->cache, vertex / ON_PAGE) + at % PAGE, bytes);
	else if (pread(graph->file, edges, bytes, (off_t)at) != (ssize_t)bytes)
		die(graph->path, "cannot read it");
	for (size_t i = 0; i < (size_t)vertices * EDGES; i++)
		if (edges[i] >= graph->vertices)
			die(graph->path, "an edge leads to no vertex");
}

uint32_t *graph_degrees(struct graph *graph)
{
	uint32_t *degrees = calloc(graph->pages, sizeof(*degrees)), edges[ON_PAGE * EDGES];
	struct graph quiet = *graph;

	if (!degrees)
		die(graph->path, "out of memory");
	quiet.trace = false;
	for (uint32_t page = 0; page < graph->pages; page++) {
		graph_read(&quiet, page * ON_PAGE, ON_PAGE, edges);
		for (uint32_t i = 0; i < ON_PAGE * EDGES; i++)
			degrees[edges[i] / ON_PAGE]++;
	}
	posix_fadvise(graph->file, 0, 0, POSIX_FADV_DONTNEED);
	return degrees;
}

static int by_degree(const void *one, const void *other)
{
	uint32_t left = *(const uint32_t *)one, right = *(const uint32_t *)other;

	return (left < right) - (left > right);
}

uint32_t hub_degree(const uint32_t *degrees, uint32_t pages, uint32_t hubs)
{
	uint32_t *sorted, hub = 1;

	if (!hubs)
		return 0;
	if (hubs >= pages)
		return 1;
	sorted = malloc(pages * sizeof(*sorted));
	if (!sorted)
		die("hubs", "out of memory");
	memcpy(sorted, degrees, pages * sizeof(*sorted));
	qsort(sorted, pages, sizeof(*sorted), by_degree);
	hub += sorted[hubs];
	free(sorted);
	return hub;
}
