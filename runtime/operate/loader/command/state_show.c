/* SPDX-License-Identifier: MIT */
/* What a policy holds, as text or JSON: the names and the layout of values are those of `cpolc sim --state` and `cpolc step`. */
#include "command/state_show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "system/stat_text.h"

#define MAX_SHOWN 16 /* elements of a table */
#define COLUMN 18

/* Pages of the first lists, of which the kernel tells the sizes. */
struct sizes {
	uint64_t pages[STAT_LISTS];
	int n;
};

static void read_sizes(struct sizes *sizes, const char *text)
{
	while (text && *text && sizes->n < STAT_LISTS) {
		char *end;

		sizes->pages[sizes->n] = strtoull(text, &end, 10);
		if (end == text)
			return;
		sizes->n++;
		text = *end == ',' ? end + 1 : end;
	}
}

/* Pages on a list; on all lists of an array. false: the kernel does not tell. */
static bool list_pages(const struct manifest *manifest, const struct sizes *sizes, int list, uint64_t *pages)
{
	int plain = manifest->n_lists - manifest->n_list_arrays;
	uint64_t lists = list < plain ? 1 : manifest->list_counts[list - plain], first = (uint64_t)(list < plain ? list : plain);

	for (int i = plain; i < list; i++)
		first += manifest->list_counts[i - plain];
	*pages = 0;
	if (first + lists > (uint64_t)sizes->n)
		return false;
	for (uint64_t i = 0; i < lists; i++)
		*pages += sizes->pages[first + i];
	return true;
}

static wide element(const struct table *table, const byte *memory, uint64_t at)
{
	return load_value(memory + at * table->element.size, &table->element, table->element.value);
}

static void label(const char *kind, const char *name)
{
	int length = printf("%s%s%s", kind, *kind ? "." : "", name);

	printf("%*s ", length < COLUMN ? COLUMN - length : 0, "");
}

static void show_number(const char *kind, const char *name, bool known, uint64_t number)
{
	label(kind, name);
	if (known)
		printf("%" PRIu64 "\n", number);
	else
		puts("n/a");
}

/* The elements that differ from the initial value. */
static void show_table(const struct table *table, const byte *memory)
{
	uint64_t changed = 0, n = table->count[0] * table->count[1];

	label("table", table->element.name);
	for (uint64_t at = 0; at < n; at++) {
		wide value = element(table, memory, at);

		if (value == table->element.value || ++changed > MAX_SHOWN)
			continue;
		if (table->n_sizes == 1)
			printf("[%" PRIu64 "] ", at);
		else
			printf("[%" PRIu64 ", %" PRIu64 "] ", at / table->count[1], at % table->count[1]);
		param_print(stdout, &table->element, value);
		fputs(", ", stdout);
	}
	if (changed > MAX_SHOWN)
		printf("and %" PRIu64 " more, ", changed - MAX_SHOWN);
	fputs("else ", stdout);
	param_print(stdout, &table->element, table->element.value);
	putchar('\n');
}

static void show_text(const struct manifest *manifest, const struct held *held, const struct sizes *sizes)
{
	uint64_t pages;

	for (int i = 0; i < manifest->n_lists; i++) {
		bool known = list_pages(manifest, sizes, i, &pages);

		show_number("list", manifest->lists[i], known, pages);
	}
	for (int i = 0; i < manifest->n_ghosts; i++) {
		label("ghost", manifest->ghosts[i].name);
		printf("%" PRIu32 " of %" PRIu64 "\n", held->ghosts[i], manifest->ghosts[i].entries);
	}
	for (int i = 0; i < manifest->n_states; i++) {
		const struct param *state = &manifest->states[i];

		label("state", state->name);
		param_print(stdout, state, load_value(held->states + state->offset, state, 0));
		putchar('\n');
	}
	for (int i = 0; i < manifest->n_tables; i++)
		show_table(&manifest->tables[i], held->tables[i]);
}

/* All elements as an array; of two dimensions, an array of rows. */
static void json_table(const struct table *table, const byte *memory)
{
	bool rows = table->n_sizes == 2;

	putchar('[');
	for (uint64_t at = 0; at < table->count[0] * table->count[1]; at++) {
		bool first = rows && at % table->count[1] == 0;

		if (first)
			fputs(at ? "], [" : "[", stdout);
		else if (at)
			fputs(", ", stdout);
		param_json(&table->element, element(table, memory, at));
	}
	fputs(rows ? "]]" : "]", stdout);
}

static void json_key(const char *name, int i)
{
	printf("%s\"%s\": ", i ? ", " : "", name);
}

static void show_json(const struct manifest *manifest, const struct held *held, const struct sizes *sizes)
{
	fputs(", \"lists\": {", stdout);
	for (int i = 0; i < manifest->n_lists; i++) {
		uint64_t pages;

		json_key(manifest->lists[i], i);
		if (list_pages(manifest, sizes, i, &pages))
			printf("%" PRIu64, pages);
		else
			fputs("null", stdout);
	}
	fputs("}, \"ghosts\": {", stdout);
	for (int i = 0; i < manifest->n_ghosts; i++) {
		json_key(manifest->ghosts[i].name, i);
		printf("%" PRIu32, held->ghosts[i]);
	}
	fputs("}, \"capacities\": {", stdout);
	for (int i = 0; i < manifest->n_ghosts; i++) {
		json_key(manifest->ghosts[i].name, i);
		printf("%" PRIu64, manifest->ghosts[i].entries);
	}
	fputs("}, \"states\": {", stdout);
	for (int i = 0; i < manifest->n_states; i++) {
		json_key(manifest->states[i].name, i);
		param_json(&manifest->states[i], load_value(held->states + manifest->states[i].offset, &manifest->states[i], 0));
	}
	fputs("}, \"tables\": {", stdout);
	for (int i = 0; i < manifest->n_tables; i++) {
		json_key(manifest->tables[i].element.name, i);
		json_table(&manifest->tables[i], held->tables[i]);
	}
	fputs("}}", stdout);
}

void state_show(const struct manifest *manifest, const struct held *held, char *line, const char *path, bool json)
{
	struct stat_pair pair;
	struct sizes sizes = {};
	uint64_t owned = 0;
	bool known = false;

	for (char *rest = line; stat_next(&rest, &pair);) {
		if (!strcmp(pair.key, "owned"))
			known = parse_u64(pair.value, &owned);
		else if (!strcmp(pair.key, "lists"))
			read_sizes(&sizes, pair.value);
	}
	if (json) {
		fputs("{\"path\": ", stdout);
		json_string(stdout, path);
		printf(", \"name\": \"%s\", \"cache\": ", manifest->policy);
		if (known)
			printf("%" PRIu64, owned);
		else
			fputs("null", stdout);
		show_json(manifest, held, &sizes);
		return;
	}
	label("", "path");
	print_text(stdout, path);
	putchar('\n');
	label("", "name");
	puts(manifest->policy);
	show_number("", "cache", known, owned);
	show_text(manifest, held, &sizes);
}
