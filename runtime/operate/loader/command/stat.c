/* SPDX-License-Identifier: MIT */
/* `stat`: the kernel's statistics, from /proc. Where a kernel lacks a counter, `stat` shows n/a. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/commands.h"
#include "command/list_show.h"
#include "command/stat_show.h"
#include "command/state.h"
#include "system/cgroup.h"
#include "system/stat_read.h"
#include "system/stat_text.h"
#include "system/system.h"

/* The cgroup's line of each kind; the caller frees them. -1: reported. */
static int read_lines(uint64_t id, char *lines[POLICY_KINDS])
{
	for (int kind = 0; kind < POLICY_KINDS; kind++) {
		char *text = stat_read((enum policy_kind)kind, false);

		if (!text)
			return -1;
		lines[kind] = stat_line_of(text, id);
		free(text);
	}
	return 0;
}

/* Leaves out a policy that has ended and whose link is gone, if one of the other kind has not, or ended later. */
static void drop_older(char *lines[POLICY_KINDS])
{
	struct ending endings[POLICY_KINDS] = {};
	bool gone[POLICY_KINDS];
	int older;

	if (!lines[EVICTS] || !lines[PREFETCHES])
		return;
	for (int kind = 0; kind < POLICY_KINDS; kind++)
		gone[kind] = stat_ending(lines[kind], &endings[kind]) && !strcmp(endings[kind].state, STATE_ENDED);
	if (!gone[EVICTS] && !gone[PREFETCHES])
		return;
	older = gone[EVICTS] && gone[PREFETCHES] ? endings[EVICTS].ended_ms > endings[PREFETCHES].ended_ms : !gone[EVICTS];
	free(lines[older]);
	lines[older] = NULL;
}

/* The policy of one kind; with JSON, if there are two, as an array. */
static int show_lines(char *lines[POLICY_KINDS], const struct which *which, uint64_t id, const char *path, bool state, bool json)
{
	bool first = true, both = json && lines[EVICTS] && lines[PREFETCHES] && !which->only_prefetch;
	int status = 0;

	if (both)
		putchar('[');
	for (int kind = 0; kind < POLICY_KINDS && !status; kind++) {
		if (!lines[kind] || (which->only_prefetch && kind != PREFETCHES))
			continue;
		if (!first)
			fputs(json ? ", " : "\n", stdout);
		first = false;
		if (state)
			status = state_of(lines[kind], id, (enum policy_kind)kind, path, json);
		else
			stat_show(lines[kind], id, (enum policy_kind)kind, path, json);
	}
	if (first)
		return fail("%s has no policy%s", path, which->only_prefetch ? " that prefetches" : "");
	if (both && !status)
		putchar(']');
	if (!status && json)
		putchar('\n');
	return status;
}

static int stat_of(const struct which *which, uint64_t id, const char *path, bool state, bool json)
{
	char *lines[POLICY_KINDS] = {};
	int status = read_lines(id, lines);

	if (!status && !which->only_prefetch)
		drop_older(lines);
	if (!status)
		status = show_lines(lines, which, id, path, state, json);
	for (int kind = 0; kind < POLICY_KINDS; kind++)
		free(lines[kind]);
	return status;
}

/* Policies that a killed command broke off. The kernel has no numbers of them. Returns whether there are any. `whole` as pins_list(). */
static bool show_broken_off(char *const texts[POLICY_KINDS], bool *whole)
{
	struct pinned *pinned = NULL;
	int n = pins_list(&pinned, whole);
	bool first = true;

	for (int i = 0; i < n; i++) {
		struct listed one = listed_pinned(pinned + i, texts[pinned[i].kind]);

		if (!strcmp(one.state, BROKEN_OFF)) {
			fputs(first ? "{\"path\": " : ", {\"path\": ", stdout);
			if (one.path)
				json_string(stdout, one.path);
			else
				fputs("null", stdout);
			printf(", \"cgroup\": %" PRIu64 ", \"kind\": \"%s\", \"name\": ", one.id, kind_word(one.kind));
			json_string(stdout, one.name);
			fputs(", \"state\": \"" BROKEN_OFF "\", \"list_names\": []}", stdout);
			first = false;
		}
		free(one.path);
	}
	free(pinned);
	return !first;
}

/* All lines of a kind, which this changes. Returns whether `first` still holds. */
static bool show_all(char *text, enum policy_kind kind, bool first)
{
	char *save = NULL;

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
		stat_show(line, id, kind, path, true);
		free(path);
	}
	return first;
}

int command_stat_all(void)
{
	char *texts[POLICY_KINDS] = {};
	bool first, whole;

	if (check_privileges())
		return -1;
	for (int kind = 0; kind < POLICY_KINDS; kind++) {
		texts[kind] = stat_read((enum policy_kind)kind, false);
		if (!texts[kind]) {
			free(texts[EVICTS]);
			return -1;
		}
	}
	putchar('[');
	first = !show_broken_off(texts, &whole);
	for (int kind = 0; kind < POLICY_KINDS; kind++) {
		first = show_all(texts[kind], (enum policy_kind)kind, first);
		free(texts[kind]);
	}
	puts("]");
	return whole ? 0 : -1;
}

int command_stat(const struct which *which, const char *path, uint64_t id, bool state, bool json)
{
	struct cgroup cgroup = { .fd = -1, .procs = -1 };
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
	status = check_privileges() ? -1 : stat_of(which, cgroup.id, cgroup.path, state, json);
	cgroup_close(&cgroup);
	return status;
}
