/* SPDX-License-Identifier: MIT */
/* For libFuzzer: a value that the loader accepts for a param is in its range, and is read again from what is printed of it. */
#include <stdlib.h>
#include <string.h>

#include "manifest/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct param params[] = {
	{ .name = "u", .kind = KIND_UNSIGNED, .size = 8, .high = UINT64_MAX },
	{ .name = "small", .kind = KIND_UNSIGNED, .size = 1, .low = 3, .high = 200 },
	{ .name = "s", .kind = KIND_SIGNED, .size = 8, .low = INT64_MIN, .high = INT64_MAX },
	{ .name = "fix", .kind = KIND_FIX, .size = 8, .low = INT64_MIN, .high = INT64_MAX },
	{ .name = "share", .kind = KIND_FIX, .size = 8, .low = 1, .high = 65536 },
	{ .name = "bool", .kind = KIND_BOOL, .size = 1, .high = 1 },
	{ .name = "enum", .kind = KIND_ENUM, .size = 1, .high = 2, .members = { "cold", "warm", "hot" }, .n_members = 3 },
	{ .name = "life", .kind = KIND_UNSIGNED, .size = 8, .high = UINT64_MAX, .ms = true },
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct param *param;
	char *text, *printed = NULL;
	wide value, again;
	size_t length;
	FILE *out;

	if (!size)
		return 0;
	param = &params[data[0] % (sizeof(params) / sizeof(*params))];
	text = need(strndup((const char *)data + 1, size - 1));
	if (!param_parse(param, text, "value", &value)) {
		if (value < param->low || value > param->high)
			abort();
		out = need(open_memstream(&printed, &length));
		param_print(out, param, value);
		fclose(out);
		if (param_parse(param, printed, "value", &again) || again != value)
			abort();
		free(printed);
	}
	free(text);
	return 0;
}
