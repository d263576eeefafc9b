// SPDX-License-Identifier: MIT
/*
 * rmat pagerank|betweenness SCALE EDGES ROUNDS: an algorithm on a seeded R-MAT graph of 2^SCALE vertices, in memory.
 *
 * The graph is undirected and has its edges in compressed rows (CSR). PageRank makes ROUNDS passes; betweenness (Brandes, J. Math.
 * Sociology 25, 2001) starts at ROUNDS vertices. The program prints "ready" and waits for a line, so that only the algorithm is
 * measured. Then it prints a checksum.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define A 57 /* percent, as Graph500 has them; the rest is D */
#define B 19
#define C 19
#define DAMPING 0.85

struct graph {
	uint32_t vertices, *row, *to;
};

static uint64_t seed = 1;

/* SplitMix64. */
static uint64_t next_random(void)
{
	uint64_t x = seed += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

static void *need(size_t n, size_t size)
{
	void *memory = calloc(n, size);

	if (!memory) {
		fprintf(stderr, "rmat: %s\n", strerror(errno));
		exit(1);
	}
	return memory;
}

static void edge(unsigned int scale, uint32_t *from, uint32_t *to)
{
	*from = *to = 0;
	for (unsigned int bit = 0; bit < scale; bit++) {
		uint64_t corner = next_random() % 100;

		*from = *from << 1 | (corner >= A + B);
		*to = *to << 1 | ((corner >= A && corner < A + B) || corner >= A + B + C);
	}
}

static struct graph make(unsigned int scale, uint32_t edges)
{
	struct graph g = { .vertices = 1U << scale };
	uint32_t *ends = need(2 * (size_t)edges, sizeof(*ends)), *fill;

	g.row = need(g.vertices + 1, sizeof(*g.row));
	g.to = need(2 * (size_t)edges, sizeof(*g.to));
	for (uint32_t i = 0; i < edges; i++) {
		edge(scale, &ends[2 * i], &ends[2 * i + 1]);
		g.row[ends[2 * i] + 1]++;
		g.row[ends[2 * i + 1] + 1]++;
	}
	for (uint32_t v = 0; v < g.vertices; v++)
		g.row[v + 1] += g.row[v];
	fill = need(g.vertices, sizeof(*fill));
	for (uint32_t i = 0; i < edges; i++) {
		uint32_t a = ends[2 * i], b = ends[2 * i + 1];

		g.to[g.row[a] + fill[a]++] = b;
		g.to[g.row[b] + fill[b]++] = a;
	}
	free(fill);
	free(ends);
	return g;
}

static double pagerank(const struct graph *g, unsigned int rounds)
{
	double *rank = need(g->vertices, sizeof(*rank)), *share = need(g->vertices, sizeof(*share)), sum = 0;

	for (uint32_t v = 0; v < g->vertices; v++)
		rank[v] = 1.0 / g->vertices;
	for (unsigned int round = 0; round < rounds; round++) {
		for (uint32_t v = 0; v < g->vertices; v++) {
			uint32_t degree = g->row[v + 1] - g->row[v];

			share[v] = degree ? rank[v] / degree : 0;
		}
		for (uint32_t v = 0; v < g->vertices; v++) {
			double got = 0;

			for (uint32_t i = g->row[v]; i < g->row[v + 1]; i++)
				got += share[g->to[i]];
			rank[v] = (1 - DAMPING) / g->vertices + DAMPING * got;
		}
	}
	for (uint32_t v = 0; v < g->vertices; v++)
		sum += rank[v];
	return sum;
}

/* One source: a search by breadth, then dependencies back from the farthest vertex. */
static void accumulate(const struct graph *g, uint32_t source, double *central, uint32_t *queue, int32_t *depth, double *paths, double *depends)
{
	uint32_t head = 0, tail = 0;

	for (uint32_t v = 0; v < g->vertices; v++) {
		depth[v] = -1;
		paths[v] = depends[v] = 0;
	}
	depth[source] = 0;
	paths[source] = 1;
	queue[tail++] = source;
	while (head < tail) {
		uint32_t v = queue[head++];

		for (uint32_t i = g->row[v]; i < g->row[v + 1]; i++) {
			uint32_t w = g->to[i];

			if (depth[w] < 0) {
				depth[w] = depth[v] + 1;
				queue[tail++] = w;
			}
			if (depth[w] == depth[v] + 1)
				paths[w] += paths[v];
		}
	}
	while (tail > 1) {
		uint32_t w = queue[--tail];

		for (uint32_t i = g->row[w]; i < g->row[w + 1]; i++) {
			uint32_t v = g->to[i];

			if (depth[v] + 1 == depth[w])
				depends[v] += paths[v] / paths[w] * (1 + depends[w]);
		}
		central[w] += depends[w];
	}
}

static double betweenness(const struct graph *g, unsigned int sources)
{
	double *central = need(g->vertices, sizeof(*central)), *paths = need(g->vertices, sizeof(*paths));
	double *depends = need(g->vertices, sizeof(*depends)), sum = 0;
	uint32_t *queue = need(g->vertices, sizeof(*queue));
	int32_t *depth = need(g->vertices, sizeof(*depth));

	for (unsigned int i = 0; i < sources; i++) {
		uint32_t source;

		do
			source = (uint32_t)(next_random() % g->vertices);
		while (g->row[source] == g->row[source + 1]);
		accumulate(g, source, central, queue, depth, paths, depends);
	}
	for (uint32_t v = 0; v < g->vertices; v++)
		sum += central[v];
	return sum;
}

int main(int argc, char **argv)
{
	unsigned int scale = argc == 5 ? (unsigned int)strtoul(argv[2], NULL, 10) : 0, rounds;
	struct graph g;

	if (scale < 2 || scale > 26 || (strcmp(argv[1], "pagerank") && strcmp(argv[1], "betweenness"))) {
		fputs("usage: rmat pagerank|betweenness SCALE EDGES ROUNDS\n", stderr);
		return 2;
	}
	rounds = (unsigned int)strtoul(argv[4], NULL, 10);
	g = make(scale, (uint32_t)strtoul(argv[3], NULL, 10));
	puts("ready");
	fflush(stdout);
	if (getchar() == EOF)
		return 1;
	printf("%.6g\n", strcmp(argv[1], "pagerank") ? betweenness(&g, rounds) : pagerank(&g, rounds));
	return 0;
}
