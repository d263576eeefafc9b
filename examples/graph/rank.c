/* SPDX-License-Identifier: MIT */
/*
 * PageRank by residuals, as in engines that skip idle vertices: each vertex has what it has not yet passed on to those that its edges
 * lead to. A round goes through the pages in order and reads those with a vertex whose residual is above the tolerance. With 0 every
 * page is read in every round.
 */
#include "graph.h"

#include <stdio.h>
#include <stdlib.h>

#define DAMPING 0.85

static bool any_above(const double *residuals, double tolerance)
{
	for (uint32_t i = 0; i < ON_PAGE; i++)
		if (residuals[i] > tolerance)
			return true;
	return false;
}

void rank(struct graph *graph, uint32_t rounds, double tolerance)
{
	double *ranks = calloc(graph->vertices, sizeof(*ranks)), *residuals = malloc(graph->vertices * sizeof(*residuals)), sum = 0;
	uint32_t edges[ON_PAGE * EDGES], top = 0;
	uint64_t visited = 0;

	if (!ranks || !residuals)
		die("rank", "out of memory");
	for (uint32_t vertex = 0; vertex < graph->vertices; vertex++)
		residuals[vertex] = (1 - DAMPING) / graph->vertices;
	tolerance *= (1 - DAMPING) / graph->vertices;
	for (uint32_t round = 0; round < rounds; round++)
		for (uint32_t first = 0; first < graph->vertices; first += ON_PAGE) {
			if (!any_above(residuals + first, tolerance))
				continue;
			graph_read(graph, first, ON_PAGE, edges);
			visited++;
			for (uint32_t i = 0; i < ON_PAGE; i++) {
				double residual = residuals[first + i];

				if (residual <= tolerance)
					continue;
				ranks[first + i] += residual;
				residuals[first + i] = 0;
				for (uint32_t edge = 0; edge < EDGES; edge++)
					residuals[edges[i * EDGES + edge]] += DAMPING * residual / EDGES;
			}
		}
	for (uint32_t vertex = 0; vertex < graph->vertices; vertex++) {
		sum += ranks[vertex];
		if (ranks[vertex] > ranks[top])
			top = vertex;
	}
	if (!graph->trace)
		printf("visited %llu sum %.17g top %u rank %.17g ", (unsigned long long)visited, sum, top, ranks[top]);
	free(residuals);
	free(ranks);
}
