/* SPDX-License-Identifier: MIT */
/*
 * `stat`: the kernel's statistics, from /proc/cache_ext/stat. It has a line of key=value pairs per policy. Where a kernel lacks a
 * counter, `stat` shows n/a.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attached.h"
#include "commands.h"
#include "system.h"

#define STAT "/proc/cache_ext/stat"
#define MAX_STAT (16 << 20)

/* The line of a cgroup in `text`, which it changes; NULL: there is none. */
static char *find_line(char *text, uint64_t id)
{
	char *save = NULL, prefix[40];

	snprintf(prefix, sizeof(prefix), "cgroup=%" PRIu64 " ", id);
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (!strncmp(line, prefix, strlen(prefix)))
			return line;
	return NULL;
}

/* Writes numbers with commas as an array, a number as a number, all else as a string. */
static void json_value(char *value)
{
	char *save = NULL, *word;
	uint64_t number;

	if (parse_u64(value, &number)) {
		printf("%" PRIu64, number);
	} else if (*value && strspn(value, "0123456789,") == strlen(value)) {
		putchar('[');
		for (word = strtok_r(value, ",", &save); word; word = strtok_r(NULL, ",", &save))
			printf("%s%s", word == value ? "" : ", ", word);
		putchar(']');
	} else {
		json_string(stdout, value);
	}
}

/* The order of output. Keys that are not here come last. */
#define STATISTIC_NAME(key) #key,
static const char *const keys[] = { STATISTICS(STATISTIC_NAME) };

#define N_KEYS (sizeof(keys) / sizeof(*keys))

static void show(const char *key, const char *value)
{
	printf("%-18s ", key);
	print_text(stdout, value);
	putchar('\n');
}

static void print_pair(const char *key, char *value, bool json)
{
	if (!json) {
		show(key, value ? value : "n/a");
		return;
	}
	fputs(", ", stdout);
	json_string(stdout, key);
	fputs(": ", stdout);
	if (!value)
		fputs("null", stdout);
	else if (!strcmp(key, "lists") && !strchr(value, ',')) /* an array, even of one number */
		printf("[%s]", strspn(value, "0123456789") == strlen(value) ? value : "");
	else if (!strcmp(key, "name"))
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

/* Changes the line. */
static void print_stat(char *line, uint64_t id, char *path, bool json)
{
	char *save = NULL, *known[N_KEYS] = {}, **unknown = NULL;
	size_t n_unknown = 0;

	for (char *pair = strtok_r(line, " ", &save); pair; pair = strtok_r(NULL, " ", &save)) {
		char *equals = strchr(pair, '=');
		size_t key = 0;

		if (!equals)
			continue;
		*equals = '\0';
		while (key < N_KEYS && strcmp(keys[key], pair))
			key++;
		if (key < N_KEYS) {
			known[key] = equals + 1;
			continue;
		}
		unknown = need(realloc(unknown, (n_unknown + 1) * sizeof(*unknown)));
		unknown[n_unknown++] = pair;
	}
	if (json) {
		fputs("{\"path\": ", stdout);
		if (path)
			json_string(stdout, path);
		else
			fputs("null", stdout);
	} else {
		show("path", path);
	}
	for (size_t i = 0; i < N_KEYS; i++)
		print_pair(keys[i], known[i], json);
	for (size_t i = 0; i < n_unknown; i++)
		print_pair(unknown[i], unknown[i] + strlen(unknown[i]) + 1, json);
	if (json) {
		print_list_names(id);
		putchar('}');
	}
	free(unknown);
}

/* The value of `key` in a line; NULL: it is not there. Modifies `line`. */
static char *value_in(char *line, const char *key)
{
	size_t length = strlen(key);

	for (char *save = NULL, *pair = strtok_r(line, " ", &save); pair; pair = strtok_r(NULL, " ", &save))
		if (!strncmp(pair, key, length) && pair[length] == '=')
			return pair + length + 1;
	return NULL;
}

char *stat_overruled(uint64_t id)
{
	char *text = read_file_at(AT_FDCWD, STAT, MAX_STAT, NULL), *line, *why = NULL;

	line = text ? find_line(text, id) : NULL;
	if (line && strstr(line, " state=overruled "))
		why = value_in(line, "reason");
	if (why)
		why = need(strdup(why));
	free(text);
	return why;
}

/* The kernel's statistics, which the caller frees. NULL: reported. */
static char *read_stat(void)
{
	char *text = read_file_at(AT_FDCWD, STAT, MAX_STAT, NULL);

	if (!text && errno == ENOENT) {
		if (!check_kernel())
			fail("there is no %s, although the kernel has cache_ext: it is of an older cpol (build the kernel or the "
			     "module again), or /proc is mounted with subset=pid (mount it without)", STAT);
	} else if (!text) {
		fail("cannot read %s: %s%s", STAT, reason(errno), errno == EACCES ? " (run it with sudo)" : "");
	}
	return text;
}

static int stat_of(uint64_t id, char *path, bool json)
{
	char *text = read_stat(), *line;

	if (!text)
		return -1;
	line = find_line(text, id);
	if (line)
		print_stat(line, id, path, json);
	else
		fail("%s has no policy", path);
	if (line && json)
		putchar('\n');
	free(text);
	return line ? 0 : -1;
}

int command_stat_all(void)
{
	char *text, *save = NULL;
	bool first = true;

	if (check_privileges())
		return -1;
	text = read_stat();
	if (!text)
		return -1;
	putchar('[');
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *path;
		uint64_t id;
		bool gone;

		if (strncmp(line, "cgroup=", 7))
			continue;
		id = strtoull(line + 7, NULL, 10);
		path = cgroup_path(id, &gone);
		fputs(first ? "" : ", ", stdout);
		first = false;
		print_stat(line, id, path, true);
		free(path);
	}
	puts("]");
	free(text);
	return 0;
}

int command_stat(const char *path, uint64_t id, bool json)
{
	struct cgroup cgroup = { .fd = -1 };
	int status;

	if (id) {
		cgroup.id = id;
		bool gone;

		cgroup.path = cgroup_path(id, &gone);
		if (!cgroup.path && asprintf(&cgroup.path, "(%scgroup %" PRIu64 ")", gone ? "removed " : "", id) < 0)
			return fail("out of memory");
	} else if (cgroup_open(&cgroup, path)) {
		return -1;
	}
	status = check_privileges() ? -1 : stat_of(cgroup.id, cgroup.path, json);
	cgroup_close(&cgroup);
	return status;
}
