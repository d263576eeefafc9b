/* SPDX-License-Identifier: MIT */
/* Random walks, as of GraphWalker: each step reads the edges of one vertex and follows one of them. */
#include "graph.h"

#include <stdio.h>

#define WALKERS 64

void walk(struct graph *graph, uint64_t steps, uint64_t seed)
{
	uint32_t at[WALKERS], edges[EDGES];

	for (int walker = 0; walker < WALKERS; walker++)
		at[walker] = graph_target(&seed, graph->vertices);
	for (uint64_t step = 0; step < steps; step++) {
		uint32_t *vertex = &at[step % WALKERS];

		graph_read(graph, *vertex, 1, edges);
		*vertex = edges[draw(&seed) % EDGES];
	}
	if (!graph->trace)
		printf("steps %llu ", (unsigned long long)steps);
}
