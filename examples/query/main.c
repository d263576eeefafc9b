/* SPDX-License-Identifier: MIT */
/*
 * A small query executor. It may tell the policy of its cgroup, by libcpol, which step of its plan reads each page next.
 *
 *     query make FILE PAGES SEED          writes a database
 *     query run FILE STEP... [HOW]        runs a plan and prints its results
 *     query announce FILE AT STEP...      prints, for each page, what the policy is told before step AT: next, later
 *
 * STEP: sum:TABLE, look:TABLE:KEYS:SEED, join:OUTER:INNER:PARTS. HOW: tell (the policy), trace (print pages instead of results).
 */
#include "query.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Noreturn void die(const char *what, const char *why)
{
	fprintf(stderr, "query: %s: %s\n", what, why);
	exit(1);
}

uint64_t number(const char *text, uint64_t most)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *end || end == text || *text == '-' || value > most)
		die(text, "is not a number, or too large");
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

/* How often each value occurs in the part of the outer table that was read last. */
static uint32_t occurs[VALUES];

static uint64_t run_step(struct database *database, const struct step *step)
{
	uint32_t rows[ROWS];
	uint64_t sum = 0;

	if (step->kind == STEP_BUILD)
		memset(occurs, 0, sizeof(occurs));
	for (uint32_t page = step->first; page < step->end; page++) {
		if (!step_reads(step, page))
			continue;
		database_read(database, page, rows);
		for (uint32_t row = 0; row < ROWS; row++) {
			if (step->kind == STEP_BUILD)
				occurs[rows[row]]++;
			else
				sum += step->kind == STEP_SUM ? rows[row] : occurs[rows[row]];
		}
	}
	return sum;
}

static int usage(void)
{
	fprintf(stderr, "usage: query make FILE PAGES SEED | run FILE STEP... [tell] [trace] | announce FILE AT STEP...\n"
			"STEP: sum:TABLE, look:TABLE:KEYS:SEED, join:OUTER:INNER:PARTS\n");
	return 2;
}

static int finish(void)
{
	if (fflush(stdout))
		die("standard output", strerror(errno));
	return 0;
}

static int run(struct database *database, const struct plan *plan, bool told)
{
	struct teller *teller = told ? teller_open(database->pages) : NULL;
	unsigned long long before = read_bytes();
	uint64_t sum = 0, pairs = 0;

	for (uint32_t at = 0; at < plan->number; at++) {
		const struct step *step = &plan->steps[at];

		if (teller)
			teller_tell(teller, plan, at);
		*(step->kind == STEP_SUM ? &sum : &pairs) += run_step(database, step);
	}
	if (!database->trace)
		printf("sum %" PRIu64 " pairs %" PRIu64 " read_bytes %llu\n", sum, pairs, read_bytes() - before);
	teller_close(teller);
	return finish();
}

static int announce(const struct database *database, const struct plan *plan, uint64_t at)
{
	uint32_t *next = malloc(database->pages * sizeof(*next)), *later = malloc(database->pages * sizeof(*later));

	if (!next || !later)
		die("the plan", "out of memory");
	if (!at || at > plan->number)
		die("the plan", "has no such step");
	plan_announce(plan, (uint32_t)at - 1, database->pages, next, later);
	for (uint32_t page = 0; page < database->pages; page++)
		printf("%" PRIu32 " %" PRIu32 "\n", next[page], later[page]);
	free(next);
	free(later);
	return finish();
}

int main(int argc, char **argv)
{
	const char *command = argc > 1 ? argv[1] : "";
	bool announces = !strcmp(command, "announce") && argc >= 5, told = false;
	static struct plan plan;
	struct database database;
	int status;

	if (!strcmp(command, "make") && argc == 5) {
		uint32_t pages = (uint32_t)number(argv[3], MOST_PAGES);

		if (!pages || pages % 4)
			die(argv[3], "the number of pages is a multiple of four");
		return database_make(argv[2], pages, number(argv[4], UINT64_MAX));
	}
	if (!announces && (strcmp(command, "run") || argc < 4))
		return usage();
	database_open(&database, argv[2]);
	for (int i = announces ? 4 : 3; i < argc; i++) {
		if (!announces && !strcmp(argv[i], "tell"))
			told = true;
		else if (!announces && !strcmp(argv[i], "trace"))
			database.trace = true;
		else
			plan_add(&plan, &database, argv[i]);
	}
	status = announces ? announce(&database, &plan, number(argv[3], MOST_STEPS)) : run(&database, &plan, told);
	plan_free(&plan);
	close(database.file);
	return status;
}
