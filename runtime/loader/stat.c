/* SPDX-License-Identifier: MIT */
/* `stat`: the kernel's statistics, from /proc/cache_ext/stat. Where a kernel lacks a counter, `stat` shows n/a. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cgroup.h"
#include "commands.h"
#include "list_show.h"
#include "stat_show.h"
#include "stat_text.h"
#include "state.h"
#include "system.h"

#define STAT "/proc/cache_ext/stat"
#define MAX_STAT (16 << 20)

char *stat_read(bool quiet)
{
	char *text = read_file_at(AT_FDCWD, STAT, MAX_STAT, NULL);

	if (text || quiet)
		return text;
	if (errno != ENOENT)
		fail("cannot read %s: %s%s", STAT, reason(errno), errno == EACCES ? " (run it with sudo)" : "");
	else if (!check_kernel())
		fail("there is no %s, although the kernel has cache_ext: it is of an older cpol (build the kernel or the module again), "
		     "or /proc is mounted with subset=pid (mount it without)", STAT);
	return NULL;
}

static int stat_of(uint64_t id, const char *path, bool state, bool json)
{
	char *text = stat_read(false), *line;
	int status = 0;

	if (!text)
		return -1;
	line = stat_line_of(text, id);
	if (!line)
		status = fail("%s has no policy", path);
	else if (state)
		status = state_of(line, id, path, json);
	else
		stat_show(line, id, path, json);
	if (!status && json)
		putchar('\n');
	free(text);
	free(line);
	return status;
}

/* Policies that a killed command broke off. The kernel has no numbers of them. Returns whether there are any. */
static bool show_broken_off(const char *text)
{
	uint64_t *ids = NULL;
	int n = pins_list(&ids);
	bool first = true;

	for (int i = 0; i < n; i++) {
		struct listed one = listed_pinned(ids[i], text);

		if (!strcmp(one.state, BROKEN_OFF)) {
			fputs(first ? "{\"path\": " : ", {\"path\": ", stdout);
			if (one.path)
				json_string(stdout, one.path);
			else
				fputs("null", stdout);
			printf(", \"cgroup\": %" PRIu64 ", \"name\": ", one.id);
			json_string(stdout, one.name);
			fputs(", \"state\": \"" BROKEN_OFF "\", \"list_names\": []}", stdout);
			first = false;
		}
		free(one.path);
	}
	free(ids);
	return !first;
}

int command_stat_all(void)
{
	char *text, *save = NULL;
	bool first;

	if (check_privileges())
		return -1;
	text = stat_read(false);
	if (!text)
		return -1;
	putchar('[');
	first = !show_broken_off(text);
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
		stat_show(line, id, path, true);
		free(path);
	}
	puts("]");
	free(text);
	return 0;
}

int command_stat(const char *path, uint64_t id, bool state, bool json)
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
	status = check_privileges() ? -1 : stat_of(cgroup.id, cgroup.path, state, json);
	cgroup_close(&cgroup);
	return status;
}
