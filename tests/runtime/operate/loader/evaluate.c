/* SPDX-License-Identifier: MIT */
/* evaluate CAPACITY: read the text of a manifest; print the capacity of each ghost in a cache of CAPACITY pages. */
#include <stdlib.h>

#include "manifest/manifest.h"

int main(int argc, char **argv)
{
	static byte text[1 << 20];
	struct manifest manifest;

	if (argc != 2 || manifest_parse(&manifest, text, fread(text, 1, sizeof(text), stdin), "standard input"))
		return 1;
	for (int i = 0; i < manifest.n_ghosts; i++)
		printf("%llu\n", (unsigned long long)formula_value(&manifest, &manifest.ghosts[i].capacity, strtoull(argv[1], NULL, 10)));
	manifest_free(&manifest);
	return 0;
}
