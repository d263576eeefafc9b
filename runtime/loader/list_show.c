/* SPDX-License-Identifier: MIT */
#include "list_show.h"

#include <inttypes.h>
#include <string.h>

#include "system.h"

static void show_json(const struct listed *one, bool first)
{
	printf("%s{\"cgroup\": %" PRIu64 ", \"path\": ", first ? "" : ", ", one->id);
	if (one->path)
		json_string(stdout, one->path);
	else
		fputs("null", stdout);
	fputs(", \"policy\": ", stdout);
	json_string(stdout, one->name);
	fputs(", \"state\": ", stdout);
	json_string(stdout, one->state);
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

struct listed listed_unpinned(const struct ending *policy, bool ended)
{
	struct listed one = { .id = policy->cgroup, .ended = ended, .ending = *policy };

	snprintf(one.name, sizeof(one.name), "%s", policy->name);
	snprintf(one.state, sizeof(one.state), "%s", ended ? policy->state : NOT_PINNED);
	one.path = cgroup_path(one.id, &one.gone);
	return one;
}
