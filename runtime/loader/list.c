/* SPDX-License-Identifier: MIT */
/* What is attached, from the pins. */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "attached.h"
#include "commands.h"
#include "system.h"

#define BROKEN_OFF "broken off"

static void list_one(uint64_t id, bool json, bool first)
{
	struct pins pins;
	struct policy_info policy = {};
	struct manifest manifest;
	char *path = cgroup_path(id);
	const char *state = path ? "attached" : "cgroup removed";
	int link;

	pins_name(&pins, id);
	link = pins_link(&pins);
	if (link < 0 || policy_of_link(link, &policy))
		state = BROKEN_OFF;
	if (link >= 0)
		close(link);
	if (!attached_manifest(&pins, "", true, &manifest)) { /* where the name is in full */
		snprintf(policy.name, sizeof(policy.name), "%s", manifest.policy);
		manifest_free(&manifest);
	}
	if (json) {
		printf("%s{\"cgroup\": %" PRIu64 ", \"path\": ", first ? "" : ", ", id);
		if (path)
			json_string(stdout, path);
		else
			fputs("null", stdout);
		fputs(", \"policy\": ", stdout);
		json_string(stdout, policy.name);
		printf(", \"state\": \"%s\"}", state);
	} else if (!path) {
		printf("%-16s (a removed cgroup; cpolc detach --id %" PRIu64 ")\n", policy.name, id);
	} else {
		printf("%-16s %s%s\n", policy.name, printable(path),
		       *state == *BROKEN_OFF ? " (does not govern: a killed command left it; cpolc attach or detach)" : "");
	}
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
