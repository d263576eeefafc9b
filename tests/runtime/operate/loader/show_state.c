/* SPDX-License-Identifier: MIT */
/*
 * show_state text|json MANIFEST LINE STATES [TABLE...]
 * As `stat --state` shows a policy whose pinned manifest is the file MANIFEST, whose line of the statistics is LINE, and whose memory is
 * the files STATES and TABLE. Every ghost has 3 entries.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "command/state_show.h"

static byte *content(const char *path, size_t *size)
{
	return need(read_file_at(AT_FDCWD, path, 1 << 20, size));
}

int main(int argc, char **argv)
{
	static byte *tables[MAX_MAPS];
	static uint32_t ghosts[MAX_GHOSTS];
	struct held held = { .tables = tables, .ghosts = ghosts };
	struct manifest manifest;
	size_t size;
	byte *text = argc > 4 ? content(argv[2], &size) : NULL;

	if (!text || manifest_parse(&manifest, text, size, argv[2]))
		return 2;
	held.states = content(argv[4], &held.states_size);
	for (int i = 0; i < manifest.n_ghosts; i++)
		ghosts[i] = 3;
	for (int i = 5; i < argc; i++)
		tables[i - 5] = content(argv[i], &size);
	state_show(&manifest, &held, argv[3], "/cg", !strcmp(argv[1], "json"));
	for (int i = 5; i < argc; i++)
		free(tables[i - 5]);
	free(held.states);
	free(text);
	manifest_free(&manifest);
	return 0;
}
