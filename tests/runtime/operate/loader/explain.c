/* SPDX-License-Identifier: MIT */
/* explain POLICY LOGFILE: print the loader's explanation of a verifier log. */
#include <fcntl.h>
#include <stdlib.h>

#include "object/verifier.h"
#include "system/util.h"

int main(int argc, char **argv)
{
	size_t size;
	char *log = argc == 3 ? read_file_at(AT_FDCWD, argv[2], 64 << 20, &size) : NULL;

	if (!log)
		return 2;
	explain_refusal(argv[1], log);
	free(log);
	return 0;
}
