/* SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "command/commands.h"
#include "inputs/file_id.h"

/* A line for each path, in their order; `-` for one that has no id, which is reported. */
int command_identify(const char **paths, int n)
{
	for (int i = 0; i < n; i++) {
		struct file_identity file;

		if (file_identity(paths[i], &file))
			puts("-");
		else
			printf("%" PRIu64 ":%" PRIu64 ":%" PRIu64 " %" PRIu64 "\n", file.device >> 20, file.device & 0xfffff, file.inode,
			       file.id);
	}
	return 0;
}
