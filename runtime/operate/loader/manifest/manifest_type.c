/* SPDX-License-Identifier: MIT */
/* The types of params and inputs in a manifest. */
#include <string.h>

#include "manifest/manifest_line.h"

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
		if ((*type != 'u' && *type != 's') || type[1] == '0' || !parse_u64(type + 1, &bits) || bits < 1 || bits > 64)
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
