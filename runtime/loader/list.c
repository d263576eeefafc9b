/* SPDX-License-Identifier: MIT */
/* `list`: the attached policies, from the pins; how policies ended, from the kernel's statistics. */
#include <stdlib.h>
#include <string.h>

#include "attached.h"
#include "commands.h"
#include "list_show.h"
#include "system.h"

static bool is_held(const struct ending *policy, bool ended, const struct listed *held, int n_held)
{
	for (int i = 0; i < n_held; i++)
		if (held[i].id == policy->cgroup && (!ended || (held[i].ended && held[i].ending.ended_ms == policy->ended_ms)))
			return true;
	return false;
}

static bool is_attached(const char *text, uint64_t cgroup)
{
	struct ending policy;
	char *line = stat_line_of(text, cgroup);
	bool attached = line && !stat_ending(line, &policy);

	free(line);
	return attached;
}

/* Shows the policies that have ended, or that have not, and that are not among those held. Returns how many. */
static int show_others(const char *text, const char *before, bool ended, const struct listed *held, int n_held, bool json, bool first)
{
	struct ending *policies;
	int n = stat_policies(text, ended, &policies), shown = 0;

	for (int i = 0; i < n; i++) {
		struct listed one;

		if (is_held(&policies[i], ended, held, n_held))
			continue;
		/* Attached before the pins were read, and after: else they belong to a command that is at work now. */
		if (!ended && !is_attached(before, policies[i].cgroup))
			continue;
		one = listed_unpinned(&policies[i], ended);
		listed_show(&one, json, first && !shown, boot_ms());
		free(one.path);
		shown++;
	}
	free(policies);
	return shown;
}

int command_list(bool all, bool json)
{
	struct listed *held;
	uint64_t *ids = NULL;
	char *before, *text;
	int n, shown;

	if (check_privileges())
		return -1;
	before = stat_read(false);
	if (!before)
		return -1;
	n = pins_list(&ids);
	text = n < 0 ? NULL : stat_read(false);
	if (!text) {
		free(before);
		free(ids);
		return -1;
	}
	held = need(calloc((size_t)n + 1, sizeof(*held)));
	if (json)
		putchar('[');
	for (int i = 0; i < n; i++) {
		held[i] = listed_pinned(ids[i], text);
		listed_show(&held[i], json, i == 0, boot_ms());
	}
	shown = n + show_others(text, before, false, held, n, json, !n);
	if (all)
		shown += show_others(text, before, true, held, n, json, !shown);
	if (json)
		puts("]");
	else if (!shown)
		puts("no policy is attached");
	for (int i = 0; i < n; i++)
		free(held[i].path);
	free(held);
	free(before);
	free(text);
	free(ids);
	return 0;
}
