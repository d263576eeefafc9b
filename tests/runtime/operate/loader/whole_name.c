/* SPDX-License-Identifier: MIT */
/*
 * whole_name stat|list STATISTICS NAME   `stat --all`, `list --json` where the policy of cgroup 7 is pinned, its manifest has the name
 * NAME, and the kernel's statistics are the file
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "command/commands.h"
#include "pins/attached.h"
#include "pins/pins.h"
#include "system/kind.h"
#include "system/stat_text.h"
#include "system/system.h"

static const char *statistics, *name;

int check_privileges(void)
{
	return 0;
}

char *stat_read(enum policy_kind kind, bool quiet)
{
	(void)quiet;
	return kind == EVICTS ? read_file_at(AT_FDCWD, statistics, 1 << 20, NULL) : need(strdup(""));
}

int pins_list(struct pinned **pinned, bool *whole)
{
	*whole = true;
	*pinned = need(calloc(1, sizeof(**pinned)));
	**pinned = (struct pinned){ .id = 7, .kind = EVICTS };
	return 1;
}

bool pins_policy(const struct pins *pins, char found[POLICY_NAME_SIZE], int *ops)
{
	(void)pins;
	*found = '\0';
	if (ops)
		*ops = -1;
	return true;
}

int attached_manifest(const struct pins *pins, const char *called, bool quiet, struct manifest *manifest)
{
	(void)called;
	(void)quiet;
	*manifest = (struct manifest){};
	if (pins->id == 7)
		snprintf(manifest->policy, sizeof(manifest->policy), "%s", name);
	return pins->id == 7 ? 0 : -1;
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	statistics = argv[2];
	name = argv[3];
	return (strcmp(argv[1], "stat") ? command_list(false, true) : command_stat_all()) ? 1 : 0;
}
