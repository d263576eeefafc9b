/* SPDX-License-Identifier: MIT */
#include "command/stat_lists.h"

#include <inttypes.h>
#include <string.h>

void stat_lists(const struct manifest *manifest, char *sizes)
{
	int plain = manifest->n_lists - manifest->n_list_arrays, list = 0;
	uint32_t index = 0; /* in the array `list` */
	bool more = false;
	char *save = NULL;

	printf("%-18s ", "lists");
	for (char *size = strtok_r(sizes, ",", &save); size; size = strtok_r(NULL, ",", &save)) {
		fputs(more ? ", " : "", stdout);
		more = true;
		if (list >= manifest->n_lists)
			;
		else if (list < plain)
			printf("%s ", manifest->lists[list++]);
		else
			printf("%s[%" PRIu32 "] ", manifest->lists[list], index++);
		if (index && list + 1 < manifest->n_lists && index == manifest->list_counts[list - plain]) {
			list++;
			index = 0;
		}
		print_text(stdout, size);
	}
	putchar('\n');
}
