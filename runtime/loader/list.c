/* SPDX-License-Identifier: MIT */
/* `list`: the attached policies, from the pins; how policies ended, from the kernel's statistics. */
#include <stdlib.h>
#include <string.h>

#include "attached.h"
#include "commands.h"
#include "list_show.h"
#include "system.h"

#define ATTACHED "attached"
#define GONE "cgroup removed"
#define OVERRULED "overruled"

static void set_state(struct listed *one, const char *state)
{
	snprintf(one->state, sizeof(one->state), "%s", state);
}

/* What is pinned for a cgroup. `text`: the kernel's statistics, or NULL. The caller frees the path. */
static struct listed pinned(uint64_t id, const char *text)
{
	struct listed one = { .id = id, .state = ATTACHED, .held = true };
	char *line = text ? stat_line_of(text, id) : NULL;
	struct pins pins;
	struct manifest manifest;

	one.path = cgroup_path(id, &one.gone);
	pins_name(&pins, id);
	if (!pins_policy(&pins, one.name, NULL)) {
		set_state(&one, BROKEN_OFF);
	} else {
		one.ended = line && stat_ending(line, &one.ending);
		if (one.gone)
			set_state(&one, GONE);
		else if (one.ended)
			set_state(&one, strcmp(one.ending.state, OVERRULED) ? STATE_ENDED : OVERRULED);
	}
	if (!attached_manifest(&pins, "", true, &manifest)) { /* which has the whole name */
		snprintf(one.name, sizeof(one.name), "%s", manifest.policy);
		manifest_free(&manifest);
	}
	free(line);
	return one;
}

/* Shows the policies that have ended and that are not among those held. Returns how many. */
static int show_ended(const char *text, const struct listed *held, int n_held, bool json)
{
	struct ending *endings;
	int n = stat_endings(text, &endings), shown = 0;

	for (int i = 0; i < n; i++) {
		struct listed one;
		bool known = false;

		for (int j = 0; j < n_held && !known; j++)
			known = held[j].ended && held[j].id == endings[i].cgroup && held[j].ending.ended_ms == endings[i].ended_ms;
		if (known)
			continue;
		one = listed_ended(&endings[i]);
		listed_show(&one, json, !n_held && !shown, boot_ms());
		free(one.path);
		shown++;
	}
	free(endings);
	return shown;
}

int command_list(bool all, bool json)
{
	struct listed *held;
	uint64_t *ids = NULL;
	char *text;
	int n, shown = 0;

	if (check_privileges())
		return -1;
	text = stat_read(!all);
	if (all && !text)
		return -1;
	n = pins_list(&ids);
	if (n < 0) {
		free(text);
		return -1;
	}
	held = need(calloc((size_t)n + 1, sizeof(*held)));
	if (json)
		putchar('[');
	for (int i = 0; i < n; i++) {
		held[i] = pinned(ids[i], text);
		listed_show(&held[i], json, i == 0, boot_ms());
	}
	if (all)
		shown = show_ended(text, held, n, json);
	if (json)
		puts("]");
	else if (!n && !shown)
		puts("no policy is attached");
	for (int i = 0; i < n; i++)
		free(held[i].path);
	free(held);
	free(text);
	free(ids);
	return 0;
}
