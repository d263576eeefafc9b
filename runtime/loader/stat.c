/* SPDX-License-Identifier: MIT */
/* What is attached, from the pins; and the kernel's statistics, from debugfs cache_ext/stat: a line a policy, of key=value. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cgroup.h"
#include "commands.h"
#include "pins.h"
#include "system.h"

#define STAT DEBUGFS "/cache_ext/stat"
#define MAX_STAT (16 << 20)

/* The line of a cgroup in `text`, which is cut up; NULL: there is none. */
static char *find_line(char *text, uint64_t id)
{
	char *save = NULL, prefix[40];

	snprintf(prefix, sizeof(prefix), "cgroup=%" PRIu64 " ", id);
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (!strncmp(line, prefix, strlen(prefix)))
			return line;
	return NULL;
}

/* A number as a number, numbers with commas as an array, anything else as a string. */
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

/* The `lists` are an array even if there is only one. */
static void print_stat(char *line, const char *path, bool json)
{
	char *save = NULL;
	bool first = true;

	if (json) {
		fputs("{\"path\": ", stdout);
		json_string(stdout, path);
		first = false;
	} else {
		printf("%-18s %s\n", "path", path);
	}
	for (char *pair = strtok_r(line, " ", &save); pair; pair = strtok_r(NULL, " ", &save)) {
		char *equals = strchr(pair, '=');

		if (!equals)
			continue;
		*equals = '\0';
		if (!json) {
			printf("%-18s %s\n", pair, equals + 1);
			continue;
		}
		fputs(first ? "" : ", ", stdout);
		first = false;
		json_string(stdout, pair);
		fputs(": ", stdout);
		if (!strcmp(pair, "lists") && !strchr(equals + 1, ','))
			printf("[%s]", strspn(equals + 1, "0123456789") == strlen(equals + 1) ? equals + 1 : "");
		else if (!strcmp(pair, "name"))
			json_string(stdout, equals + 1);
		else
			json_value(equals + 1);
	}
	if (json)
		puts("}");
}

static int stat_of(uint64_t id, const char *path, bool json)
{
	char *text, *line;

	if (mount_debugfs())
		return -1;
	text = read_file_at(AT_FDCWD, STAT, MAX_STAT, NULL);
	if (!text && errno == ENOENT)
		return check_kernel() ? -1 : fail("%s is not there, although the kernel has cache_ext", STAT);
	if (!text)
		return fail("cannot read %s: %s", STAT, reason(errno));
	line = find_line(text, id);
	if (line)
		print_stat(line, path, json);
	else
		fail("%s has no policy", path);
	free(text);
	return line ? 0 : -1;
}

int command_stat(const char *path, uint64_t id, bool json)
{
	struct cgroup cgroup = { .fd = -1 };
	int status;

	if (id) {
		cgroup.id = id;
		cgroup.path = cgroup_path(id);
		if (!cgroup.path && asprintf(&cgroup.path, "(removed cgroup %" PRIu64 ")", id) < 0)
			return fail("out of memory");
	} else if (cgroup_open(&cgroup, path)) {
		return -1;
	}
	status = check_privileges() ? -1 : stat_of(cgroup.id, cgroup.path, json);
	cgroup_close(&cgroup);
	return status;
}

static void list_one(uint64_t id, bool json, bool first)
{
	struct pins pins = {};
	struct policy_info policy = {};
	char *path = cgroup_path(id);
	int link;

	snprintf(pins.path, sizeof(pins.path), PINS "/%" PRIu64, id);
	link = pins_link(&pins);
	if (link >= 0) {
		policy_of_link(link, &policy);
		close(link);
	}
	if (json) {
		printf("%s{\"cgroup\": %" PRIu64 ", \"path\": ", first ? "" : ", ", id);
		if (path)
			json_string(stdout, path);
		else
			fputs("null", stdout);
		fputs(", \"policy\": ", stdout);
		json_string(stdout, policy.name);
		putchar('}');
	} else if (path) {
		printf("%-16s %s\n", policy.name, path);
	} else {
		printf("%-16s (a removed cgroup; cpolc detach --id %" PRIu64 ")\n", policy.name, id);
	}
	free(path);
}

int command_list(bool json)
{
	uint64_t *ids = NULL;
	int root, n = 0;

	if (check_privileges())
		return -1;
	root = open_pins(false);
	if (root == -1)
		return -1;
	if (root >= 0) {
		n = pins_list(root, &ids);
		close(root);
	}
	if (n < 0)
		return -1;
	if (json)
		putchar('[');
	for (int i = 0; i < n; i++)
		list_one(ids[i], json, i == 0);
	if (json)
		puts("]");
	else if (!n)
		puts("no policy is attached");
	free(ids);
	return 0;
}
