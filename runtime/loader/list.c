/* SPDX-License-Identifier: MIT */
/* `list`: the attached policies, from the pins. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "attached.h"
#include "commands.h"
#include "system.h"

#define BROKEN_OFF "broken off" /* a killed loader left it without a policy */
#define OVERRULED "overruled"

static void list_one(uint64_t id, bool json, bool first)
{
	struct pins pins;
	struct manifest manifest;
	char name[NAME_SIZE], *why = NULL;
	bool gone;
	char *path = cgroup_path(id, &gone);
	const char *state = gone ? "cgroup removed" : "attached";

	pins_name(&pins, id);
	if (!pins_policy(&pins, name, NULL))
		state = BROKEN_OFF;
	else if (!gone && (why = stat_overruled(id)))
		state = OVERRULED;
	if (!attached_manifest(&pins, "", true, &manifest)) { /* which has the whole name */
		snprintf(name, sizeof(name), "%s", manifest.policy);
		manifest_free(&manifest);
	}
	if (json) {
		printf("%s{\"cgroup\": %" PRIu64 ", \"path\": ", first ? "" : ", ", id);
		if (path)
			json_string(stdout, path);
		else
			fputs("null", stdout);
		fputs(", \"policy\": ", stdout);
		json_string(stdout, name);
		printf(", \"state\": \"%s\"}", state);
	} else if (gone) {
		printf("%-16s (a removed cgroup; cpolc detach --id %" PRIu64 ")\n", name, id);
	} else {
		if (!path && asprintf(&path, "(cgroup %" PRIu64 ")", id) < 0)
			need(NULL);
		printf("%-16s ", name);
		print_text(stdout, path);
		if (why) {
			fputs(" (does not govern: the kernel detached it for its offences (", stdout);
			print_text(stdout, why);
			fputs("); run cpolc attach --replace or detach)", stdout);
		} else if (!strcmp(state, BROKEN_OFF)) {
			fputs(" (does not govern: a killed command left it; run cpolc attach or detach)", stdout);
		}
		putchar('\n');
	}
	free(why);
	free(path);
}

int command_list(bool json)
{
	uint64_t *ids = NULL;
	int n;

	if (check_privileges())
		return -1;
	n = pins_list(&ids);
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
