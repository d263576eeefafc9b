/* SPDX-License-Identifier: MIT */
#include "stat_lists.h"

#include <limits.h>
#include <string.h>

void stat_lists(const struct manifest *manifest, char *sizes)
{
	int array = manifest->has_array ? manifest->n_lists - 1 : INT_MAX, list = 0;
	char *save = NULL;

	printf("%-18s ", "lists");
	for (char *size = strtok_r(sizes, ",", &save); size; size = strtok_r(NULL, ",", &save), list++) {
		fputs(list ? ", " : "", stdout);
		if (list >= array)
			printf("%s[%d] ", manifest->lists[array], list - array);
		else if (list < manifest->n_lists)
			printf("%s ", manifest->lists[list]);
		print_text(stdout, size);
	}
	putchar('\n');
}
