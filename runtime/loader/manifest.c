/* SPDX-License-Identifier: MIT */
#include "manifest.h"

#include <stdlib.h>
#include <string.h>

#include "elf_section.h"

#define MAX_MANIFEST (256 * 1024)
#define MAX_WORDS 8

/* Where in the manifest a complaint is about. */
struct place {
	const char *path;
	int line;
};

static int complain(const struct place *at, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int complain(const struct place *at, const char *format, ...)
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

static bool is_name(const char *text)
{
	size_t length = strlen(text);

	if (length == 0 || length >= NAME_SIZE || !is_letter(*text))
		return false;
	while (*text && (is_letter(*text) || is_digit(*text)))
		text++;
	return !*text;
}

/* A decimal integer between INT64_MIN and UINT64_MAX. */
static bool parse_wide(const char *text, wide *value)
{
	bool negative = *text == '-';
	uint64_t magnitude;

	if (!parse_u64(text + negative, &magnitude) || (negative && magnitude > 1ULL << 63))
		return false;
	*value = negative ? -(wide)magnitude : (wide)magnitude;
	return true;
}

static bool parse_u32(const char *text, uint32_t *value)
{
	uint64_t number;

	if (!parse_u64(text, &number) || number > UINT32_MAX)
		return false;
	*value = (uint32_t)number;
	return true;
}

/* Cuts `text` at `separator` into at most `max` words; -1: there are more, or an empty one. */
static int split(char *text, char separator, char **words, int max)
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

/* Kind, and the least and the largest raw value, of a type's name. */
static bool parse_type(struct param *param, char *type, wide *least, wide *most)
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

/* param NAME TYPE DEFAULT LOW HIGH OFFSET SIZE */
static int parse_param(struct manifest *manifest, char **words, int n, const struct place *at)
{
	struct param *param = &manifest->params[manifest->n_params];
	wide least, most, holds;

	if (n != 8)
		return complain(at, "a param has 7 items");
	if (manifest->n_params == MAX_PARAMS)
		return complain(at, "more than %d params", MAX_PARAMS);
	if (!is_name(words[1]))
		return complain(at, "a param's name is not an identifier");
	memset(param, 0, sizeof(*param));
	strcpy(param->name, words[1]);
	if (!parse_type(param, words[2], &least, &most))
		return complain(at, "the type of param %s is unknown", param->name);
	if (!parse_wide(words[3], &param->value) || !parse_wide(words[4], &param->low) || !parse_wide(words[5], &param->high))
		return complain(at, "param %s: a value is not a 64-bit number", param->name);
	if (param->low < least || param->high > most || param->value < param->low || param->value > param->high)
		return complain(at, "param %s: its default is outside of its range, or that outside of its type", param->name);
	if (!parse_u32(words[6], &param->offset) || !parse_u32(words[7], &param->size))
		return complain(at, "param %s: bad offset or size", param->name);
	if ((param->size != 1 && param->size != 2 && param->size != 4 && param->size != 8) || param->offset % param->size ||
	    param->offset > MAX_PARAM_BYTES - param->size)
		return complain(at, "param %s: bad offset or size", param->name);
	holds = (wide)1 << (param->size * 8 - (least < 0));
	if (most >= holds)
		return complain(at, "param %s: its size is too small for its type", param->name);
	for (int i = 0; i < manifest->n_params; i++) {
		const struct param *other = &manifest->params[i];

		if (!strcmp(other->name, param->name))
			return complain(at, "param %s is there twice", param->name);
		if (other->offset < param->offset + param->size && param->offset < other->offset + other->size)
			return complain(at, "params %s and %s overlap", other->name, param->name);
	}
	manifest->n_params++;
	return 0;
}

static const struct {
	const char *name;
	enum token token;
	int takes; /* operands */
} token_names[] = {
	{ "capacity", TOKEN_CAPACITY, 0 },
	{ "to_fix", TOKEN_TO_FIX, 1 },
	{ "to_u64", TOKEN_TO_U64, 1 },
	{ "to_s64", TOKEN_TO_S64, 1 },
	{ "floor", TOKEN_FLOOR, 1 },
	{ "ceil", TOKEN_CEIL, 1 },
	{ "add", TOKEN_ADD, 2 },
	{ "sub", TOKEN_SUB, 2 },
	{ "mul", TOKEN_MUL, 2 },
	{ "div", TOKEN_DIV, 2 },
	{ "mod", TOKEN_MOD, 2 },
	{ "min", TOKEN_MIN, 2 },
	{ "max", TOKEN_MAX, 2 },
};

static int find_param(const struct manifest *manifest, const char *name)
{
	for (int i = 0; i < manifest->n_params; i++)
		if (!strcmp(manifest->params[i].name, name))
			return i;
	return -1;
}

/* ghost NAME CAPACITY. Params come before ghosts. */
static int parse_ghost(struct manifest *manifest, char **words, int n, const struct place *at)
{
	struct ghost *ghost = &manifest->ghosts[manifest->n_ghosts];
	char *tokens[MAX_TOKENS];
	int depth = 0;

	if (n != 3)
		return complain(at, "a ghost has 2 items");
	if (manifest->n_ghosts == MAX_GHOSTS)
		return complain(at, "more than %d ghosts", MAX_GHOSTS);
	if (!is_name(words[1]))
		return complain(at, "a ghost's name is not an identifier");
	for (int i = 0; i < manifest->n_ghosts; i++)
		if (!strcmp(manifest->ghosts[i].name, words[1]))
			return complain(at, "ghost %s is there twice", words[1]);
	memset(ghost, 0, sizeof(*ghost));
	strcpy(ghost->name, words[1]);
	ghost->n_tokens = split(words[2], ',', tokens, MAX_TOKENS);
	if (ghost->n_tokens < 0)
		return complain(at, "ghost %s: its capacity is empty or has more than %d items", ghost->name, MAX_TOKENS);

	for (int i = 0; i < ghost->n_tokens; i++) {
		const char *text = tokens[i];
		int takes = 0;

		if (!strncmp(text, "param:", 6)) {
			int param = find_param(manifest, text + 6);

			if (param < 0 || manifest->params[param].kind == KIND_BOOL || manifest->params[param].kind == KIND_ENUM)
				return complain(at, "ghost %s: its capacity names something that is not a numeric param", ghost->name);
			ghost->tokens[i].token = TOKEN_PARAM;
			ghost->tokens[i].param = param;
		} else if (!strncmp(text, "int:", 4) || !strncmp(text, "fix:", 4)) {
			ghost->tokens[i].token = *text == 'i' ? TOKEN_INT : TOKEN_FIX;
			if (!parse_wide(text + 4, &ghost->tokens[i].value) || (*text == 'f' && ghost->tokens[i].value > INT64_MAX))
				return complain(at, "ghost %s: its capacity has a bad number", ghost->name);
		} else {
			size_t k = 0, known = sizeof(token_names) / sizeof(*token_names);

			while (k < known && strcmp(token_names[k].name, text))
				k++;
			if (k == known)
				return complain(at, "ghost %s: its capacity has an unknown operation", ghost->name);
			ghost->tokens[i].token = token_names[k].token;
			takes = token_names[k].takes;
		}
		if (depth < takes)
			return complain(at, "ghost %s: an operation of its capacity lacks an operand", ghost->name);
		depth += 1 - takes;
	}
	if (depth != 1)
		return complain(at, "ghost %s: its capacity is not one value", ghost->name);
	manifest->n_ghosts++;
	return 0;
}

/* lists NAME,NAME,... */
static int parse_lists(struct manifest *manifest, char **words, int n, const struct place *at)
{
	char *names[MAX_LISTS];

	if (n != 2 || manifest->n_lists)
		return complain(at, "one line names the lists, joined by commas");
	manifest->n_lists = split(words[1], ',', names, MAX_LISTS);
	if (manifest->n_lists < 0)
		return complain(at, "no list, or more than %d", MAX_LISTS);
	for (int i = 0; i < manifest->n_lists; i++) {
		if (!is_name(names[i]))
			return complain(at, "a list's name is not an identifier");
		strcpy(manifest->lists[i], names[i]);
	}
	return 0;
}

static int parse_line(struct manifest *manifest, char *line, const struct place *at)
{
	char *words[MAX_WORDS];
	int n = split(line, ' ', words, MAX_WORDS);

	if (n < 0)
		return complain(at, "not words with single spaces between them");
	if (at->line == 1) {
		if (n != 3 || strcmp(words[0], "cpol") || !is_name(words[2]))
			return complain(at, "it does not begin with `cpol 1 POLICY`");
		if (strcmp(words[1], "1"))
			return fail("%s: made by another version of cpolc (manifest version %.16s, this loader knows 1); "
				    "compile the policy again", at->path, words[1]);
		strcpy(manifest->policy, words[2]);
		return 0;
	}
	if (!strcmp(words[0], "param"))
		return parse_param(manifest, words, n, at);
	if (!strcmp(words[0], "ghost"))
		return parse_ghost(manifest, words, n, at);
	if (!strcmp(words[0], "lists"))
		return parse_lists(manifest, words, n, at);
	if (!strcmp(words[0], "meta") && n == 2 && parse_u32(words[1], &manifest->meta) && manifest->meta <= MAX_META)
		return 0;
	return complain(at, "it is not understood");
}

static int parse_text(struct manifest *manifest, char *text, const char *path)
{
	struct place at = { .path = path };

	while (*text) {
		char *end = strchr(text, '\n');

		at.line++;
		if (!end)
			return complain(&at, "it has no end");
		*end = '\0';
		if (parse_line(manifest, text, &at))
			return -1;
		text = end + 1;
	}
	if (!manifest->n_lists)
		return complain(&at, "it names no list");
	return 0;
}

int manifest_read(struct manifest *manifest, const byte *object, size_t size, const char *path)
{
	const char *why;
	size_t length;
	const byte *section = elf_section(object, size, ".cpol", &length, &why);
	char *text;
	int status;

	memset(manifest, 0, sizeof(*manifest));
	if (!section)
		return fail("%s: %s", path, why);
	if (length > MAX_MANIFEST)
		return fail("%s: its manifest is larger than %d bytes", path, MAX_MANIFEST);
	if (length && section[length - 1] == '\0')
		length--;
	for (size_t i = 0; i < length; i++)
		if (section[i] != '\n' && (section[i] < ' ' || section[i] > '~'))
			return fail("%s: its manifest is not plain text; compile the policy again", path);

	manifest->params = need(calloc(MAX_PARAMS, sizeof(*manifest->params)));
	manifest->ghosts = need(calloc(MAX_GHOSTS, sizeof(*manifest->ghosts)));
	text = need(malloc(length + 1));
	memcpy(text, section, length);
	text[length] = '\0';
	status = parse_text(manifest, text, path);
	free(text);
	if (status)
		manifest_free(manifest);
	return status;
}

void manifest_free(struct manifest *manifest)
{
	free(manifest->params);
	free(manifest->ghosts);
	manifest->params = NULL;
	manifest->ghosts = NULL;
	manifest->n_params = manifest->n_ghosts = 0;
}
