/* SPDX-License-Identifier: MIT */
/*
 * A small graph engine. It may tell the policy of its cgroup, by libcpol, how many edges lead to each page.
 *
 *     graph make FILE VERTICES SEED           writes a graph with a few hubs
 *     graph degrees FILE OUT                  writes how many edges lead to each page, a number a line
 *     graph walk FILE STEPS SEED [HOW...]     walks at random
 *     graph rank FILE ROUNDS TOLERANCE [HOW...]   computes PageRank; TOLERANCE is a share of a vertex' first residual
 *
 * HOW: tell (the policy), hubs=PAGES (so many may be pinned), cache=PAGES (a cache of its own), trace (print pages instead of results).
 */
#include "graph.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void die(const char *what, const char *why)
{
	fprintf(stderr, "graph: %s: %s\n", what, why);
	exit(1);
}

/* The number is all of the text, and at most `most`. */
static uint64_t number(const char *text, uint64_t most)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *end || end == text || *text == '-' || value > most)
		die(text, "is not a number, or too large");
	return value;
}

static double fraction(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (*end || end == text || !(value >= 0 && value <= 1e6))
		die(text, "is not a number from 0 to 1000000");
	return value;
}

/* Bytes that the disk delivered to this process. */
static unsigned long long read_bytes(void)
{
	FILE *file = fopen("/proc/self/io", "re");
	unsigned long long bytes = 0;
	char line[64];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "read_bytes: %llu", &bytes) == 1)
			break;
	if (file)
		fclose(file);
	return bytes;
}

static int usage(void)
{
	fprintf(stderr, "usage: graph make FILE VERTICES SEED | degrees FILE OUT | walk FILE STEPS SEED [HOW...] | "
			"rank FILE ROUNDS TOLERANCE [HOW...]\nHOW: tell, hubs=PAGES, cache=PAGES, trace\n");
	return 2;
}

static int write_degrees(const char *path, const char *to)
{
	struct graph graph;
	uint32_t *degrees;
	FILE *out;

	graph_open(&graph, path);
	degrees = graph_degrees(&graph);
	out = fopen(to, "we");
	if (!out)
		die(to, strerror(errno));
	for (uint32_t page = 0; page < graph.pages; page++)
		fprintf(out, "%" PRIu32 "\n", degrees[page]);
	free(degrees);
	graph_close(&graph);
	if (fclose(out))
		die(to, strerror(errno));
	return 0;
}

static int run(int argc, char **argv)
{
	bool told = false;
	uint32_t hubs = 0, own = 0, *degrees = NULL;
	unsigned long long before;
	struct graph graph;

	graph_open(&graph, argv[2]);
	for (int i = 5; i < argc; i++) {
		if (!strcmp(argv[i], "tell"))
			told = true;
		else if (!strncmp(argv[i], "hubs=", 5))
			hubs = (uint32_t)number(argv[i] + 5, graph.pages);
		else if (!strncmp(argv[i], "cache=", 6))
			own = (uint32_t)number(argv[i] + 6, graph.pages);
		else if (!strcmp(argv[i], "trace"))
			graph.trace = true;
		else
			return usage();
	}
	if (hubs && !told)
		die("hubs", "are for the policy: write `tell`, too");
	if (told || own)
		degrees = graph_degrees(&graph);
	if (told)
		tell(degrees, graph.pages, hub_degree(degrees, graph.pages, hubs));
	if (own)
		graph.cache = cache_open(&graph, own, degrees);
	before = read_bytes();
	if (!strcmp(argv[1], "walk"))
		walk(&graph, number(argv[3], UINT64_MAX), number(argv[4], UINT64_MAX));
	else
		rank(&graph, (uint32_t)number(argv[3], UINT32_MAX), fraction(argv[4]));
	if (!graph.trace)
		printf("read_bytes %llu\n", read_bytes() - before);
	graph_close(&graph);
	free(degrees);
	if (fflush(stdout))
		die("standard output", strerror(errno));
	return 0;
}

int main(int argc, char **argv)
{
	const char *command = argc > 1 ? argv[1] : "";

	if (!strcmp(command, "make") && argc == 5) {
		uint32_t vertices = (uint32_t)number(argv[3], MOST_VERTICES);

		if (vertices < ON_PAGE || vertices & (vertices - 1))
			die(argv[3], "the number of vertices is a power of two, and at least 16");
		return graph_make(argv[2], vertices, number(argv[4], UINT64_MAX));
	}
	if (!strcmp(command, "degrees") && argc == 4)
		return write_degrees(argv[2], argv[3]);
	if ((!strcmp(command, "walk") || !strcmp(command, "rank")) && argc >= 5)
		return run(argc, argv);
	return usage();
}
