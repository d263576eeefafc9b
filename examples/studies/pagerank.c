// SPDX-License-Identifier: MIT
/*
 * A program for studies: PageRank on a Kronecker graph.
 *
 *     pagerank SCALE ITERATIONS
 *
 * The graph has 2^SCALE vertices and 16 times as many edges, made as Graph500 does (A = 0.57, B = C = 0.19). PageRank
 * pulls along incoming edges, as in the GAP benchmark suite (Beamer, Asanovic, Patterson, 2015): the edges are read in
 * order, the ranks in none. With SCALE 20, it needs some 200 MiB at the end of the build, and 80 MiB afterwards.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define EDGE_FACTOR 16
#define DAMPING 0.85
#define SEED 27491095

static uint64_t state = SEED;

/* xorshift64*: Vigna, 2016. */
static double chance(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (double)((state * UINT64_C(2685821657736338717)) >> 11) / (double)(UINT64_C(1) << 53);
}

static void *need(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory) {
		perror("pagerank: no memory");
		exit(1);
	}
	return memory;
}

struct edge {
	uint32_t from, to;
};

static struct edge kronecker_edge(unsigned scale)
{
	struct edge edge = {0, 0};

	for (unsigned bit = 0; bit < scale; bit++) {
		double where = chance();

		/* Quarters of the matrix, with these shares of the edges: 0.57, 0.19, 0.19, 0.05. */
		edge.from = edge.from << 1 | (where >= 0.76);
		edge.to = edge.to << 1 | ((where >= 0.57 && where < 0.76) || where >= 0.95);
	}
	return edge;
}

/* Numbers of vertices would tell their degrees. Graph500 permutes them; so does this. */
static uint32_t *permutation(uint32_t count)
{
	uint32_t *numbers = need(count, sizeof(*numbers));

	for (uint32_t at = 0; at < count; at++) {
		uint32_t other = (uint32_t)(chance() * (at + 1));

		numbers[at] = numbers[other];
		numbers[other] = at;
	}
	return numbers;
}

struct graph {
	uint32_t vertices;
	uint64_t *begin;	/* of the incoming edges of each vertex */
	uint32_t *from;
	uint32_t *out;		/* outgoing edges of each vertex */
};

static struct graph build(unsigned scale)
{
	struct graph graph = {.vertices = UINT32_C(1) << scale};
	uint64_t edges = (uint64_t)graph.vertices * EDGE_FACTOR;
	struct edge *list = need(edges, sizeof(*list));
	uint32_t *names = permutation(graph.vertices);

	graph.begin = need(graph.vertices + UINT64_C(2), sizeof(*graph.begin));
	graph.out = need(graph.vertices, sizeof(*graph.out));
	graph.from = need(edges, sizeof(*graph.from));
	for (uint64_t at = 0; at < edges; at++) {
		struct edge edge = kronecker_edge(scale);

		list[at] = (struct edge){names[edge.from], names[edge.to]};
		graph.out[list[at].from]++;
		graph.begin[list[at].to + 2]++;
	}
	for (uint32_t vertex = 2; vertex <= graph.vertices; vertex++)
		graph.begin[vertex] += graph.begin[vertex - 1];
	/* begin[v + 1] is where the next edge of v goes, and at the end where they end. */
	for (uint64_t at = 0; at < edges; at++)
		graph.from[graph.begin[list[at].to + 1]++] = list[at].from;
	free(names);
	free(list);
	return graph;
}

static double iterate(const struct graph *graph, double *rank, double *share)
{
	double base = (1 - DAMPING) / graph->vertices, moved = 0;

	for (uint32_t vertex = 0; vertex < graph->vertices; vertex++)
		share[vertex] = graph->out[vertex] ? rank[vertex] / graph->out[vertex] : 0;
	for (uint32_t vertex = 0; vertex < graph->vertices; vertex++) {
		double sum = 0;

		for (uint64_t at = graph->begin[vertex]; at < graph->begin[vertex + 1]; at++)
			sum += share[graph->from[at]];
		sum = base + DAMPING * sum;
		moved += fabs(sum - rank[vertex]);
		rank[vertex] = sum;
	}
	return moved;
}

static long number(const char *text, long most)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || *end || value < 1 || value > most) {
		fprintf(stderr, "pagerank: %s is no number from 1 to %ld\n", text, most);
		exit(2);
	}
	return value;
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: pagerank SCALE ITERATIONS\n");
		return 2;
	}
	struct graph graph = build((unsigned)number(argv[1], 27));
	long iterations = number(argv[2], 1000);
	double *rank = need(graph.vertices, sizeof(*rank)), *share = need(graph.vertices, sizeof(*share)), moved = 0;
	const char *out = getenv("CPOL_STUDY_OUT");

	for (uint32_t vertex = 0; vertex < graph.vertices; vertex++)
		rank[vertex] = 1.0 / graph.vertices;
	for (long round = 0; round < iterations; round++)
		moved = iterate(&graph, rank, share);
	printf("moved in the last iteration: %g\n", moved);
	free(rank);
	free(share);
	free(graph.begin);
	free(graph.out);
	free(graph.from);
	if (out) {
		FILE *file = fopen(out, "w");

		if (!file || fprintf(file, "{\"operations\": %" PRIu64 "}\n",
				     (uint64_t)iterations * graph.vertices * EDGE_FACTOR) < 0 || fclose(file)) {
			perror("pagerank: cannot write $CPOL_STUDY_OUT");
			return 1;
		}
	}
	return 0;
}
