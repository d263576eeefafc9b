/* SPDX-License-Identifier: MIT */
#include "query.h"

#include <stdlib.h>
#include <string.h>

static struct step *add_step(struct plan *plan, enum step_kind kind, uint32_t first, uint32_t end)
{
	struct step *step = &plan->steps[plan->number];

	if (plan->number == MOST_STEPS)
		die("the plan", "has too many steps");
	plan->number++;
	*step = (struct step){ .kind = kind, .first = first, .end = end };
	return step;
}

static void find_table(const struct database *database, const char *name, uint32_t *first, uint32_t *end)
{
	uint32_t quarter = database->pages / 4;

	if (!name)
		die("the plan", "names no table");
	if (!strcmp(name, "orders"))
		*first = 0, *end = quarter;
	else if (!strcmp(name, "items"))
		*first = quarter, *end = 3 * quarter;
	else if (!strcmp(name, "parts"))
		*first = 3 * quarter, *end = database->pages;
	else
		die(name, "is no table: there are orders, items, parts");
}

static const char *need(const char *word)
{
	if (!word)
		die("the plan", "a step has too few words");
	return word;
}

/* Some pages of a table, of which the keys are known before: as a bitmap index does it. */
static void add_look(struct plan *plan, uint32_t first, uint32_t end, uint64_t keys, uint64_t seed)
{
	struct step *step = add_step(plan, STEP_SUM, first, end);

	step->marked = calloc(end - first, 1);
	if (!step->marked)
		die("the plan", "out of memory");
	for (uint64_t key = 0; key < keys; key++)
		step->marked[draw(&seed) % (end - first)] = 1;
}

/* A join by blocks: for each part of the outer table, the whole inner table is read. */
static void add_join(struct plan *plan, const struct database *database, const char *outer, const char *inner, uint32_t parts)
{
	uint32_t first, end, inner_first, inner_end;

	find_table(database, outer, &first, &end);
	find_table(database, inner, &inner_first, &inner_end);
	if (!parts || parts > end - first)
		die("the plan", "a join has 1 part or more, and no more than its outer table has pages");
	for (uint64_t part = 0; part < parts; part++) {
		add_step(plan, STEP_BUILD, first + (uint32_t)((end - first) * part / parts), first + (uint32_t)((end - first) * (part + 1) / parts));
		add_step(plan, STEP_PROBE, inner_first, inner_end);
	}
}

void plan_add(struct plan *plan, const struct database *database, const char *word)
{
	char *copy = strdup(word), *rest = copy, *verb, *table;
	uint32_t first, end;

	if (!copy)
		die("the plan", "out of memory");
	verb = strsep(&rest, ":");
	table = strsep(&rest, ":");
	find_table(database, table, &first, &end);
	if (!strcmp(verb, "sum")) {
		add_step(plan, STEP_SUM, first, end);
	} else if (!strcmp(verb, "look")) {
		uint64_t keys = number(need(strsep(&rest, ":")), MOST_PAGES);

		add_look(plan, first, end, keys, number(need(strsep(&rest, ":")), UINT64_MAX));
	} else if (!strcmp(verb, "join")) {
		const char *inner = need(strsep(&rest, ":"));

		add_join(plan, database, table, inner, (uint32_t)number(need(strsep(&rest, ":")), MOST_STEPS / 2));
	} else {
		die(verb, "is no step: there are sum, look, join");
	}
	if (rest)
		die(word, "a step has too many words");
	free(copy);
}

void plan_free(struct plan *plan)
{
	for (uint32_t at = 0; at < plan->number; at++)
		free(plan->steps[at].marked);
}

bool step_reads(const struct step *step, uint32_t page)
{
	return page >= step->first && page < step->end && (!step->marked || step->marked[page - step->first]);
}

void plan_announce(const struct plan *plan, uint32_t at, uint32_t pages, uint32_t *next, uint32_t *later)
{
	memset(next, 0, pages * sizeof(*next));
	memset(later, 0, pages * sizeof(*later));
	for (uint32_t step = plan->number; step-- > at;)
		for (uint32_t page = plan->steps[step].first; page < plan->steps[step].end; page++)
			if (step_reads(&plan->steps[step], page)) {
				later[page] = next[page];
				next[page] = step + 1;
			}
}
