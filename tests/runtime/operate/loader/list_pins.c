/* SPDX-License-Identifier: MIT */
/* list_pins PINS BROKEN: the ids of the cgroups in the folder PINS, which are made up; the folder BROKEN cannot be removed. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pins/pins.h"
#include "system/system.h"

static const char *root, *broken;

int open_pins(bool create)
{
	(void)create;
	return open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int folder_open(const char *folder, const char *name, bool write)
{
	(void)folder;
	(void)name;
	(void)write;
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

bool folder_governs(const char *folder, enum folder_link which)
{
	(void)folder;
	(void)which;
	return false;
}

int folder_remove(const char *path)
{
	return *broken && strstr(path, broken) ? fail("cannot remove %s", path) : 0;
}

int main(int argc, char **argv)
{
	struct pinned *pinned = NULL;
	bool whole = true;
	int n;

	if (argc != 3)
		return 2;
	root = argv[1];
	broken = argv[2];
	n = pins_list(&pinned, &whole);
	for (int i = 0; i < n; i++)
		printf("%" PRIu64 "\n", pinned[i].id);
	free(pinned);
	return n < 0 || !whole;
}
