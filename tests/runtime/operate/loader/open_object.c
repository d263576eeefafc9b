/* SPDX-License-Identifier: MIT */
/* open_object [-v] OBJECT: print the loader's message about an object that libbpf refuses. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "object/object.h"

int main(int argc, char **argv)
{
	const struct cgroup none = { .fd = -1 };
	const char *path = argv[argc - 1];
	struct manifest manifest;
	struct bpf_map *ops[POLICY_KINDS];
	size_t size;
	char *content = read_file_at(AT_FDCWD, path, 16 << 20, &size);

	verbose = argc == 3 && !strcmp(argv[1], "-v");
	if (!content || manifest_read(&manifest, (const byte *)content, size, path))
		return 2;
	if (object_load((const byte *)content, size, &manifest, &none, path, ops))
		return 3;
	manifest_free(&manifest);
	free(content);
	return 1;
}
