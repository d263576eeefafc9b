/* SPDX-License-Identifier: MIT */
/*
 * A small database in one file, and plans of steps. A page has 1,024 rows, each a number below 65,536. Three tables lie one behind the
 * other: `orders`, a quarter of the pages; `items`, half of them; `parts`, the rest.
 */
#ifndef QUERY_H
#define QUERY_H

#include <stdbool.h>
#include <stdint.h>

#define PAGE 4096
#define ROWS ((uint32_t)(PAGE / sizeof(uint32_t))) /* on a page */
#define VALUES 65536U
#define MOST_PAGES (1U << 24)
#define MOST_STEPS 4096U

struct database {
	const char *path;
	int file;
	uint32_t pages;
	bool trace; /* print the page of each read */
};

enum step_kind {
	STEP_SUM,   /* adds up the rows */
	STEP_BUILD, /* counts how often each value occurs: the first half of a join */
	STEP_PROBE, /* adds up how often the rows occur there: the second half */
};

/* A step reads the marked ones of the pages from `first` up to `end`, in their order. */
struct step {
	enum step_kind kind;
	uint32_t first, end;
	uint8_t *marked; /* by page from `first` on; NULL: all are */
};

struct plan {
	struct step steps[MOST_STEPS];
	uint32_t number;
};

_Noreturn void die(const char *what, const char *why);
uint64_t draw(uint64_t *state);                /* SplitMix64 */
uint64_t number(const char *text, uint64_t most); /* all of the text, and at most `most` */

/* database.c */
int database_make(const char *path, uint32_t pages, uint64_t seed);
void database_open(struct database *database, const char *path);
void database_read(struct database *database, uint32_t page, uint32_t rows[ROWS]);

/* plan.c */
void plan_add(struct plan *plan, const struct database *database, const char *word);
void plan_free(struct plan *plan);
bool step_reads(const struct step *step, uint32_t page);

/* Of each page, the step from `at` on (from 1) that reads it, and the one after that; 0: none. */
void plan_announce(const struct plan *plan, uint32_t at, uint32_t pages, uint32_t *next, uint32_t *later);

/* tell.c: publishes both as inputs of the policy `query`. */
struct teller;
struct teller *teller_open(uint32_t pages);
void teller_tell(struct teller *teller, const struct plan *plan, uint32_t at);
void teller_close(struct teller *teller);

#endif
