/* SPDX-License-Identifier: MIT */
#include "system/version.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "system/contract.h"
#include "system/util.h"

#define MAX_VERSION 256
/* What follows X.Y.Z in the version of a package: that of a snapshot. */
#define SUFFIX "~+\n"

void note_version(const char *file)
{
	char *loaded = read_file_at(AT_FDCWD, file, MAX_VERSION, NULL);

	if (!loaded)
		return;
	loaded[strcspn(loaded, "\n")] = 0;
	if (strcspn(loaded, SUFFIX) != strlen(CPOL_VERSION) || strncmp(loaded, CPOL_VERSION, strlen(CPOL_VERSION)))
		fprintf(stderr,
			"cpol-loader: note: this is version %s, and the module cache_ext that is loaded is %s; to load the installed one, "
			"detach all policies, then: rmmod cache_ext && modprobe cache_ext\n",
			CPOL_VERSION, loaded);
	free(loaded);
}
