/* SPDX-License-Identifier: MIT */
#include "command/list_show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pins/attached.h"
#include "system/system.h"

#define ATTACHED "attached"
#define GONE "cgroup removed"
#define OVERRULED "overruled"

static void show_json(const struct listed *one, bool first)
{
	printf("%s{\"cgroup\": %" PRIu64 ", \"path\": ", first ? "" : ", ", one->id);
	if (one->path)
		json_string(stdout, one->path);
	else
		fputs("null", stdout);
	printf(", \"kind\": \"%s\", \"policy\": ", kind_word(one->kind));
	json_string(stdout, one->name);
	fputs(", \"state\": ", stdout);
	json_string(stdout, one->state);
	origin_print_json(stdout, &one->origin);
	if (one->ended) {
		print_ending_json(stdout, &one->ending);
		printf(", \"held\": %s", one->held ? "true" : "false");
	}
	putchar('}');
}

void listed_show(const struct listed *one, bool json, bool first, uint64_t now_ms)
{
	if (json) {
		show_json(one, first);
		return;
	}
	printf("%-16s ", one->name);
	if (one->kind == PREFETCHES)
		fputs("(prefetches) ", stdout);
	if (one->path)
		print_text(stdout, one->path);
	else if (one->gone)
		fputs("(a removed cgroup", stdout);
	else
		printf("(cgroup %" PRIu64 ")", one->id);
	if (one->gone && one->held)
		printf("; cpolc detach --id %" PRIu64 ")", one->id);
	else if (one->gone && !one->path)
		putchar(')');
	if (!one->gone && !strcmp(one->state, BROKEN_OFF))
		fputs(" (does not govern: a killed command left it; run cpolc attach or detach)", stdout);
	if (!strcmp(one->state, NOT_PINNED))
		fputs(" (its pins are not in " PINS ": another bpffs hides them, or another program attached it)", stdout);
	if (one->ended && !(one->gone && one->held)) {
		fputs(one->held ? " (does not govern: " : " (ended: ", stdout);
		print_ending(stdout, &one->ending, now_ms);
		fputs(one->held ? "; run cpolc attach --replace or detach)" : ")", stdout);
	}
	putchar('\n');
}

static void set_state(struct listed *one, const char *state)
{
	snprintf(one->state, sizeof(one->state), "%s", state);
}

struct listed listed_pinned(const struct pinned *pinned, const char *text)
{
	struct listed one = { .id = pinned->id, .kind = pinned->kind, .state = ATTACHED, .held = true };
	char *line = stat_line_of(text, one.id);
	struct pins pins;
	struct manifest manifest;

	one.path = cgroup_path(one.id, &one.gone);
	pins_name(&pins, one.id, one.kind);
	one.prefetches = folder_link_map(pins.path, SECOND_LINK);
	if (!pins_policy(&pins, one.name, NULL) && !(line && pins_unreadable(&pins))) {
		set_state(&one, BROKEN_OFF);
	} else {
		one.ended = line && stat_ending(line, &one.ending);
		if (line && !*one.name)
			snprintf(one.name, sizeof(one.name), "%s", one.ending.name);
		if (one.gone)
			set_state(&one, GONE);
		else if (one.ended)
			set_state(&one, strcmp(one.ending.state, OVERRULED) ? STATE_ENDED : OVERRULED);
	}
	one.origin = origin_read(&pins);
	if (!attached_manifest(&pins, "", true, &manifest)) { /* which has the whole name */
		snprintf(one.name, sizeof(one.name), "%s", manifest.policy);
		manifest_free(&manifest);
	}
	free(line);
	return one;
}

struct listed listed_unpinned(const struct ending *policy, enum policy_kind kind, bool ended)
{
	struct listed one = { .id = policy->cgroup, .kind = kind, .ended = ended, .ending = *policy };

	snprintf(one.name, sizeof(one.name), "%s", policy->name);
	snprintf(one.state, sizeof(one.state), "%s", ended ? policy->state : NOT_PINNED);
	one.path = cgroup_path(one.id, &one.gone);
	return one;
}
