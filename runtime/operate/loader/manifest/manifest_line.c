/* SPDX-License-Identifier: MIT */
#include "manifest/manifest_line.h"

#include <string.h>

int complain(const struct place *at, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return fail("%s: its manifest is malformed, line %d: %s; compile the policy again", at->path, at->line, text);
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool is_name(const char *text)
{
	size_t length = strlen(text);

	if (length == 0 || length >= NAME_SIZE || !is_letter(*text))
		return false;
	while (*text && (is_letter(*text) || is_digit(*text)))
		text++;
	return !*text;
}

bool parse_wide(const char *text, wide *value)
{
	bool negative = *text == '-';
	uint64_t magnitude;

	if (!parse_u64(text + negative, &magnitude) || (negative && magnitude > 1ULL << 63))
		return false;
	*value = negative ? -(wide)magnitude : (wide)magnitude;
	return true;
}

bool parse_u32(const char *text, uint32_t *value)
{
	uint64_t number;

	if (!parse_u64(text, &number) || number > UINT32_MAX)
		return false;
	*value = (uint32_t)number;
	return true;
}

int split(char *text, char separator, char **words, int max)
{
	int n = 0;

	for (;;) {
		char *end = strchr(text, separator);

		if (n == max || text == end || !*text)
			return -1;
		words[n++] = text;
		if (!end)
			return n;
		*end = '\0';
		text = end + 1;
	}
}
