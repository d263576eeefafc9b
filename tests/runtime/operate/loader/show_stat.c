/* SPDX-License-Identifier: MIT */
/*
 * show_stat FILE stat ID text|json    as `stat` shows the line of a cgroup in the statistics FILE; exit code 1: there is none
 * show_stat FILE prefetch ID text|json  the same for a policy that prefetches
 * show_stat FILE list NOW text|json   as `list --all` shows those that have ended, at NOW milliseconds
 * show_stat FILE lists 0 SIZES        the sizes of lists as `stat` shows them, with the names in the manifest FILE
 * In `list`, a policy whose name is `held` counts as pinned.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/list_show.h"
#include "command/stat_lists.h"
#include "command/stat_show.h"

int main(int argc, char **argv)
{
	bool json = argc == 5 && !strcmp(argv[4], "json");
	uint64_t number;
	char *text = argc == 5 ? read_file_at(AT_FDCWD, argv[1], 1 << 20, NULL) : NULL, *line;
	struct ending *endings;
	int n;

	if (!text || !parse_u64(argv[3], &number))
		return 2;
	if (!strcmp(argv[2], "lists")) {
		struct manifest manifest = {};

		n = *text ? manifest_parse(&manifest, (const byte *)text, strlen(text), argv[1]) : 0;
		stat_lists(&manifest, argv[4]);
		manifest_free(&manifest);
		free(text);
		return n;
	}
	if (!strcmp(argv[2], "stat") || !strcmp(argv[2], "prefetch")) {
		line = stat_line_of(text, number);
		if (line)
			stat_show(line, number, *argv[2] == 'p' ? PREFETCHES : EVICTS, "/cg", json);
		n = !line;
		free(line);
		free(text);
		return n;
	}
	n = stat_policies(text, true, &endings);
	for (int i = 0; i < n; i++) {
		struct listed one = listed_unpinned(&endings[i], EVICTS, true);

		one.held = !strcmp(one.name, "held");
		one.gone = one.id > 100;
		free(one.path);
		one.path = one.gone ? NULL : need(strdup("/cg"));
		listed_show(&one, json, i == 0, number);
		free(one.path);
	}
	free(endings);
	free(text);
	return 0;
}
