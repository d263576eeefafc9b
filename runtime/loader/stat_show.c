/* SPDX-License-Identifier: MIT */
#include "stat_show.h"

#include <stdlib.h>
#include <string.h>

#include "attached.h"
#include "contract.h"
#include "stat_text.h"

/* The order of output. Keys that are not here come last. `counted`: n/a if the kernel does not tell it. */
#define STATISTIC(key, counted) { #key, counted },
static const struct {
	const char *key;
	bool counted;
} keys[] = { STATISTICS(STATISTIC) };

#define N_KEYS (sizeof(keys) / sizeof(*keys))

static bool is_number(const char *value)
{
	uint64_t number;

	return parse_u64(value + (*value == '-'), &number);
}

/* Writes numbers with commas as an array, a number as a number, all else as a string. */
static void json_value(char *value)
{
	char *save = NULL, *word;

	if (is_number(value)) {
		fputs(value, stdout); /* of any length, as JSON has them */
	} else if (*value && strspn(value, "0123456789,") == strlen(value)) {
		putchar('[');
		for (word = strtok_r(value, ",", &save); word; word = strtok_r(NULL, ",", &save))
			printf("%s%s", word == value ? "" : ", ", word);
		putchar(']');
	} else {
		json_string(stdout, value);
	}
}

static bool is_text(const char *key)
{
	return !strcmp(key, "name") || !strcmp(key, "state") || !strcmp(key, "exit") || !strcmp(key, "message");
}

static void print_pair(const char *key, char *value, bool json)
{
	if (!json) {
		printf("%-18s ", key);
		print_text(stdout, value ? value : "n/a");
		putchar('\n');
		return;
	}
	fputs(", ", stdout);
	json_string(stdout, key);
	fputs(": ", stdout);
	if (!value)
		fputs("null", stdout);
	else if (!strcmp(key, "lists") && !strchr(value, ',')) /* an array, even of one number */
		printf("[%s]", is_number(value) ? value : "");
	else if (is_text(key))
		json_string(stdout, value);
	else
		json_value(value);
}

/* Writes the names of the lists; none if another program attached the policy. */
static void print_list_names(uint64_t id)
{
	struct pins pins;
	struct manifest manifest;

	pins_name(&pins, id);
	fputs(", \"list_names\": [", stdout);
	if (!attached_manifest(&pins, "", true, &manifest)) {
		for (int i = 0; i < manifest.n_lists; i++)
			printf("%s\"%s\"", i ? ", " : "", manifest.lists[i]);
		manifest_free(&manifest);
	}
	putchar(']');
}

static void print_path(const char *path, bool json)
{
	if (!json) {
		printf("%-18s ", "path");
		print_text(stdout, path);
		putchar('\n');
	} else if (path) {
		fputs("{\"path\": ", stdout);
		json_string(stdout, path);
	} else {
		fputs("{\"path\": null", stdout);
	}
}

void stat_show(char *line, uint64_t id, const char *path, bool held, bool json)
{
	struct stat_pair pair, *unknown = NULL;
	char *known[N_KEYS] = {}, *rest = line;
	size_t n_unknown = 0;
	struct ending ending;
	bool ended = stat_ending(line, &ending) && !strcmp(ending.state, "ended");

	while (stat_next(&rest, &pair)) {
		size_t key = 0;

		while (key < N_KEYS && strcmp(keys[key].key, pair.key))
			key++;
		if (key < N_KEYS) {
			known[key] = pair.value;
			continue;
		}
		unknown = need(realloc(unknown, (n_unknown + 1) * sizeof(*unknown)));
		unknown[n_unknown++] = pair;
	}
	print_path(path, json);
	for (size_t i = 0; i < N_KEYS; i++)
		if (known[i] || (keys[i].counted && !ended))
			print_pair(keys[i].key, known[i], json);
	for (size_t i = 0; i < n_unknown; i++)
		print_pair(unknown[i].key, unknown[i].value, json);
	if (json && ended)
		printf(", \"held\": %s", held ? "true" : "false");
	if (json) {
		print_list_names(id);
		putchar('}');
	}
	free(unknown);
}
