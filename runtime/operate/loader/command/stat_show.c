/* SPDX-License-Identifier: MIT */
#include "command/stat_show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command/stat_lists.h"
#include "pins/attached.h"
#include "pins/origin.h"
#include "system/contract.h"
#include "system/stat_text.h"

/* The order of output. Keys that are not here come last. `counted`: n/a if the kernel does not tell it. */
#define STATISTIC(key, counted) { #key, counted },
static const struct key {
	const char *key;
	bool counted;
} keys_evicts[] = { STATISTICS(STATISTIC) }, keys_prefetches[] = { PREFETCH_STATISTICS(STATISTIC) };

#define MAX_KEYS (sizeof(keys_evicts) / sizeof(*keys_evicts) + sizeof(keys_prefetches) / sizeof(*keys_prefetches))

/* Writes a number as JSON has it; false: it is none. */
static bool json_number(const char *value)
{
	bool negative = *value == '-';
	uint64_t number;

	if (!parse_u64(value + negative, &number))
		return false;
	printf("%s%" PRIu64, negative ? "-" : "", number);
	return true;
}

/* Writes numbers with commas as an array. */
static void json_array(char *value)
{
	char *save = NULL;
	bool first = true;

	putchar('[');
	for (char *word = strtok_r(value, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		uint64_t number;

		if (!parse_u64(word, &number))
			continue;
		printf("%s%" PRIu64, first ? "" : ", ", number);
		first = false;
	}
	putchar(']');
}

/* Writes a number as a number, numbers with commas as an array, all else as a string. */
static void json_value(char *value)
{
	if (json_number(value))
		return;
	if (*value && strspn(value, "0123456789,") == strlen(value))
		json_array(value);
	else
		json_string(stdout, value);
}

static bool is_text(const char *key)
{
	return !strcmp(key, "name") || !strcmp(key, "state") || !strcmp(key, "until_then") || !strcmp(key, "exit") || !strcmp(key, "message");
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
	else if (!strcmp(key, "lists") || !strcmp(key, "latency")) /* an array, even of one number */
		json_array(value);
	else if (is_text(key))
		json_string(stdout, value);
	else
		json_value(value);
}

/* Shows the lists whose sizes the kernel tells; a list of an array as `cold[0]`. */
static void print_list_names(const struct manifest *manifest)
{
	int plain = manifest->n_lists - manifest->n_list_arrays;
	uint32_t shown = 0;

	fputs(", \"list_names\": [", stdout);
	for (int i = 0; i < plain; i++, shown++)
		printf("%s\"%s\"", shown ? ", " : "", manifest->lists[i]);
	for (int i = 0; i < manifest->n_list_arrays; i++)
		for (uint32_t at = 0; at < manifest->list_counts[i] && shown < STAT_LISTS; at++, shown++)
			printf("%s\"%s[%" PRIu32 "]\"", shown ? ", " : "", manifest->lists[plain + i], at);
	putchar(']');
}

/* The kernel keeps 15 characters of a policy's name; the manifest has all of them. */
static char *whole_name(struct manifest *manifest, char *kept)
{
	return *kept && !strncmp(manifest->policy, kept, strlen(kept)) ? manifest->policy : kept;
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

/* PART / (PART + REST) as `key`; n/a if there is nothing. */
static void print_share(const char *key, const char *part, const char *rest, bool json)
{
	uint64_t above, below;
	char share[32] = "";

	if (part && rest && parse_u64(part, &above) && parse_u64(rest, &below) && (above || below))
		snprintf(share, sizeof(share), "%.3f", (double)above / ((double)above + (double)below));
	if (!json)
		printf("%-18s %s\n", key, *share ? share : "n/a");
	else
		printf(", \"%s\": %s", key, *share ? share : "null");
}

/* The value of a key in `known`; NULL: there is none. */
static const char *value_of(const struct key *keys, size_t n, char *const known[], const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(keys[i].key, key))
			return known[i];
	return NULL;
}

/* Accuracy: used / prefetched. Coverage: the share of faults that prefetching spared a read. */
static void print_shares(const struct key *keys, size_t n, char *const known[], bool json)
{
	const char *used = value_of(keys, n, known, "used"), *prefetched = value_of(keys, n, known, "prefetched");
	const char *faults = value_of(keys, n, known, "faults"), *cached = value_of(keys, n, known, "cached");
	uint64_t all, part;
	char rest[32] = "", missed[32] = "";

	if (used && prefetched && parse_u64(prefetched, &all) && parse_u64(used, &part) && part <= all)
		snprintf(rest, sizeof(rest), "%" PRIu64, all - part);
	print_share("accuracy", used, rest, json);
	if (faults && cached && parse_u64(faults, &all) && parse_u64(cached, &part) && part <= all)
		snprintf(missed, sizeof(missed), "%" PRIu64, all - part);
	print_share("coverage", used, missed, json);
}

void stat_show(char *line, uint64_t id, enum policy_kind kind, const char *path, bool json)
{
	struct stat_pair pair, *unknown = NULL;
	char *known[MAX_KEYS] = {}, *rest = line;
	const struct key *keys = kind == EVICTS ? keys_evicts : keys_prefetches;
	size_t n_keys = kind == EVICTS ? sizeof(keys_evicts) / sizeof(*keys) : sizeof(keys_prefetches) / sizeof(*keys), n_unknown = 0;
	struct ending ending;
	bool ended = stat_ending(line, &ending), numbers = !ended || strcmp(ending.state, STATE_ENDED);
	struct manifest manifest = {}; /* stays empty if another program attached the policy */
	struct pins pins;

	pins_name(&pins, id, kind);
	if (numbers)
		attached_manifest(&pins, "", true, &manifest);
	while (stat_next(&rest, &pair)) {
		size_t key = 0;

		while (key < n_keys && strcmp(keys[key].key, pair.key))
			key++;
		if (key < n_keys) {
			known[key] = strcmp(pair.key, "name") ? pair.value : whole_name(&manifest, pair.value);
			continue;
		}
		unknown = need(realloc(unknown, (n_unknown + 1) * sizeof(*unknown)));
		unknown[n_unknown++] = pair;
	}
	print_path(path, json);
	if (json)
		printf(", \"kind\": \"%s\"", kind_word(kind));
	else if (kind == PREFETCHES)
		printf("%-18s %s\n", "kind", kind_word(kind));
	for (size_t i = 0; i < n_keys; i++)
		if (known[i] && !json && !strcmp(keys[i].key, "lists"))
			stat_lists(&manifest, known[i]);
		else if (known[i] || (keys[i].counted && numbers))
			print_pair(keys[i].key, known[i], json);
	if (kind == PREFETCHES && numbers)
		print_shares(keys, n_keys, known, json);
	for (size_t i = 0; i < n_unknown; i++)
		print_pair(unknown[i].key, unknown[i].value, json);
	if (json && ended)
		printf(", \"held\": %s", numbers ? "true" : "false");
	if (json && numbers) {
		struct origin origin = origin_read(&pins);

		origin_print_json(stdout, &origin);
	}
	if (json) {
		print_list_names(&manifest);
		putchar('}');
	}
	manifest_free(&manifest);
	free(unknown);
}
