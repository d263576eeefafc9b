/* SPDX-License-Identifier: MIT */
/* The words of a manifest: names, numbers, and the types of params and inputs. */
#include <string.h>

#include "manifest.h"

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

bool parse_type(struct param *param, char *type, wide *least, wide *most)
{
	char *words[MAX_MEMBERS + 1];
	uint64_t bits;

	snprintf(param->type, sizeof(param->type), "%.*s", (int)strcspn(type, ":"), type);
	*least = 0;
	if (!strcmp(type, "bool")) {
		param->kind = KIND_BOOL;
		*most = 1;
	} else if (!strcmp(type, "fix")) {
		param->kind = KIND_FIX;
		*least = INT64_MIN;
		*most = INT64_MAX;
	} else if (!strncmp(type, "enum:", 5)) {
		int n = split(type, ':', words, MAX_MEMBERS + 1);

		if (n < 2)
			return false;
		param->kind = KIND_ENUM;
		param->n_members = n - 1;
		for (int i = 1; i < n; i++) {
			if (!is_name(words[i]))
				return false;
			strcpy(param->members[i - 1], words[i]);
		}
		*most = n - 2;
	} else {
		if ((*type != 'u' && *type != 's') || !parse_u64(type + 1, &bits) || bits < 1 || bits > 64)
			return false;
		param->kind = *type == 'u' ? KIND_UNSIGNED : KIND_SIGNED;
		if (param->kind == KIND_UNSIGNED) {
			*most = ((wide)1 << bits) - 1;
		} else {
			*most = ((wide)1 << (bits - 1)) - 1;
			*least = -*most - 1;
		}
	}
	return true;
}

void print_type(FILE *out, const struct param *param)
{
	fputs(param->type, out);
	for (int i = 0; i < param->n_members; i++)
		fprintf(out, ":%s", param->members[i]);
}
