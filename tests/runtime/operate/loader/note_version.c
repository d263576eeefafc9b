/* SPDX-License-Identifier: MIT */
/* note_version FILE: as attach does with the version of the loaded module. */
#include "system/version.h"

int main(int argc, char **argv)
{
	if (argc == 2)
		note_version(argv[1]);
	return 0;
}
