/* SPDX-License-Identifier: MIT */
/* For each line with a raw `fix`, print the loader's text of it, and the raw value that the loader reads from that text. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "manifest/manifest.h"

int main(void)
{
	const struct param param = { .kind = KIND_FIX, .low = INT64_MIN, .high = INT64_MAX };
	int64_t raw;

	while (scanf("%" SCNd64, &raw) == 1) {
		char *text = NULL;
		size_t size;
		FILE *out = need(open_memstream(&text, &size));
		wide back;

		param_print(out, &param, raw);
		fclose(out);
		if (param_parse(&param, text, "value", &back))
			return 1;
		printf("%s %" PRId64 "\n", text, (int64_t)back);
		free(text);
	}
	return 0;
}
