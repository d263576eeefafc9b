/* SPDX-License-Identifier: MIT */
/*
 * A graph on disk: the edges of each vertex, 64 numbers of vertices, one vertex after the other. A page has those of 16 vertices. How
 * many edges lead to a vertex follows a power law.
 */
#ifndef GRAPH_H
#define GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#define EDGES 64 /* of each vertex */
#define PAGE 4096
#define ON_PAGE ((uint32_t)(PAGE / (EDGES * sizeof(uint32_t)))) /* vertices on a page */
#define MOST_VERTICES (1U << 28)

struct cache;

struct graph {
	const char *path;
	int file;
	uint32_t vertices, pages;
	bool trace;          /* print the page of each read */
	struct cache *cache; /* of the application's own; NULL: the kernel's page cache */
};

/* Ends the program with a message. */
_Noreturn void die(const char *what, const char *why);

/* SplitMix64 (Steele et al., OOPSLA 2014). */
uint64_t draw(uint64_t *state);

/* graph_file.c */
int graph_make(const char *path, uint32_t vertices, uint64_t seed);
uint32_t graph_target(uint64_t *state, uint32_t vertices); /* a vertex, drawn as the ends of edges are */
void graph_open(struct graph *graph, const char *path);
void graph_close(struct graph *graph);
void graph_read(struct graph *graph, uint32_t vertex, uint32_t vertices, uint32_t *edges); /* `vertices` of them, on one page */
uint32_t *graph_degrees(struct graph *graph); /* edges that lead to each page; the caller frees them. Leaves no page in the cache */
uint32_t hub_degree(const uint32_t *degrees, uint32_t pages, uint32_t hubs); /* from so many edges on there are at most so many hubs */

/* cache.c: pages in the memory of the process, read by O_DIRECT. Of 16 pages at random the one to which the fewest edges lead goes. */
struct cache *cache_open(const struct graph *graph, uint32_t pages, const uint32_t *degrees);
const void *cache_page(struct cache *cache, uint32_t page);
void cache_close(struct cache *cache);

/* tell.c: publishes the degrees, and from which degree on pages are pinned (0: none is), as inputs of the policy `graph`. */
void tell(const uint32_t *degrees, uint32_t pages, uint32_t hub);

/* walk.c, rank.c */
void walk(struct graph *graph, uint64_t steps, uint64_t seed);
void rank(struct graph *graph, uint32_t rounds, double tolerance);

#endif
