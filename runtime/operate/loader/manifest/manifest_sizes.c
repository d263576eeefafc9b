/* SPDX-License-Identifier: MIT */
/* The lines of a manifest with formulas: ghosts, tables, lists, ticks. */
#include <string.h>

#include "manifest/manifest_line.h"

/* In the manifest of an attached policy every formula is a number. 0: this one is not. */
static uint64_t number(const struct formula *formula)
{
	return formula->n_tokens == 1 && formula->tokens[0].token == TOKEN_INT ? (uint64_t)formula->tokens[0].value : 0;
}

/* ghost NAME CAPACITY. Params come before ghosts. */
int manifest_ghost_line(struct manifest *manifest, char **words, int n, const struct place *at)
{
	struct ghost *ghost = &manifest->ghosts[manifest->n_ghosts];

	if (n != 3)
		return complain(at, "a ghost has 2 items");
	if (manifest->n_ghosts == MAX_GHOSTS)
		return complain(at, "more than %d ghosts", MAX_GHOSTS);
	if (!is_name(words[1]))
		return complain(at, "a ghost's name is not an identifier");
	for (int i = 0; i < manifest->n_ghosts; i++)
		if (!strcmp(manifest->ghosts[i].name, words[1]))
			return complain(at, "ghost %s appears twice", words[1]);
	strcpy(ghost->name, words[1]);
	if (formula_parse(manifest, &ghost->capacity, words[2], "ghost", ghost->name, at))
		return -1;
	ghost->entries = number(&ghost->capacity);
	manifest->n_ghosts++;
	return 0;
}

/* table NAME TYPE INITIAL ROWS [COLUMNS] */
int manifest_table_line(struct manifest *manifest, char **words, int n, const struct place *at)
{
	struct table *table = &manifest->tables[manifest->n_tables];

	if (n != 5 && n != 6)
		return complain(at, "a table has a name, a type, an initial value, and one or two sizes");
	if (manifest->n_tables == MAX_MAPS)
		return complain(at, "more than %d tables", MAX_MAPS);
	for (int i = 0; i < manifest->n_tables; i++)
		if (!strcmp(manifest->tables[i].element.name, words[1]))
			return complain(at, "table %s appears twice", words[1]);
	if (stored_parse(&table->element, words[1], words[2], "table", at))
		return -1;
	if (!parse_wide(words[3], &table->element.value) || table->element.value < table->element.low ||
	    table->element.value > table->element.high)
		return complain(at, "table %s: its initial value is not of its type", table->element.name);
	table->n_sizes = n - 4;
	table->count[1] = 1;
	for (int i = 0; i < table->n_sizes; i++) {
		if (formula_parse(manifest, &table->sizes[i], words[4 + i], "table", table->element.name, at))
			return -1;
		table->count[i] = number(&table->sizes[i]);
	}
	manifest->n_tables++;
	return 0;
}

/* `length` is the rest of a line, behind the bracket. Returns what follows the bracket that closes it; NULL: reported. */
static char *parse_length(struct manifest *manifest, char *length, const char *name, const struct place *at)
{
	struct formula *formula = &manifest->list_lengths[manifest->n_list_arrays];
	char *end = strchr(length, ']');

	if (!end || (end[1] && end[1] != ',')) {
		complain(at, "the length of an array of lists does not end with a bracket");
		return NULL;
	}
	*end++ = '\0';
	if (formula_parse(manifest, formula, length, "array", name, at))
		return NULL;
	manifest->list_counts[manifest->n_list_arrays++] = (uint32_t)number(formula);
	return end;
}

/* lists NAME,NAME,... The last ones may be arrays: NAME[LENGTH]. Params come before lists. */
int manifest_lists_line(struct manifest *manifest, char **words, int n, const struct place *at)
{
	char *rest = n == 2 ? words[1] : NULL;

	if (n != 2 || manifest->n_lists)
		return complain(at, "one line names all lists, separated by commas");
	while (rest) {
		size_t length = strcspn(rest, ",[");
		bool array = rest[length] == '[', more = rest[length] == ',';
		char *name = rest;

		if (!length || (array ? manifest->n_list_arrays == MAX_LIST_ARRAYS : manifest->n_lists == MAX_LISTS))
			return complain(at, "no list, or more than %d, or more than %d arrays", MAX_LISTS, MAX_LIST_ARRAYS);
		if (!array && manifest->n_list_arrays)
			return complain(at, "a list behind an array of lists");
		name[length] = '\0';
		if (!is_name(name))
			return complain(at, "a list's name is not an identifier");
		strcpy(manifest->lists[manifest->n_lists++], name);
		rest = more ? name + length + 1 : NULL;
		if (!array)
			continue;
		rest = parse_length(manifest, name + length + 1, name, at);
		if (!rest)
			return -1;
		rest = *rest ? rest + 1 : NULL;
	}
	return 0;
}

/* pin PAGES */
int manifest_pin_line(struct manifest *manifest, char **words, int n, const struct place *at)
{
	if (n != 2 || manifest->pins)
		return complain(at, "one line gives the quota of pinned pages");
	manifest->pins = true;
	return formula_parse(manifest, &manifest->pin_pages, words[1], "pin", "pages", at);
}

/* keep PAGES */
int manifest_keep_line(struct manifest *manifest, char **words, int n, const struct place *at)
{
	if (n != 2 || manifest->keeps)
		return complain(at, "one line gives the quota of pages that are kept from swap");
	manifest->keeps = true;
	return formula_parse(manifest, &manifest->keep_pages, words[1], "keep", "pages", at);
}

/* tick MILLISECONDS */
int manifest_tick_line(struct manifest *manifest, char **words, int n, const struct place *at)
{
	if (n != 2 || manifest->ticks)
		return complain(at, "one line gives the milliseconds between ticks");
	manifest->ticks = true;
	return formula_parse(manifest, &manifest->tick_ms, words[1], "tick", "ms", at);
}
