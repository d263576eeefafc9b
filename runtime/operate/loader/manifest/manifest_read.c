/* SPDX-License-Identifier: MIT */
/* Reads the text of a manifest, line by line, into `struct manifest`. */
#include <stdlib.h>
#include <string.h>

#include "manifest/manifest_line.h"

#define MAX_WORDS 10

/* What may stand behind the 8 words of a param. Returns how many words it has so. */
static int notes(char **words, int n, bool *ms, bool *live)
{
	int used = 8;

	*ms = used < n && !strcmp(words[used], "ms");
	used += *ms;
	*live = used < n && !strcmp(words[used], "live");
	return used + *live;
}

/* param NAME TYPE DEFAULT LOW HIGH OFFSET SIZE [ms] [live] */
static int parse_param(struct manifest *manifest, char **words, int n, const struct place *at)
{
	struct param *param = &manifest->params[manifest->n_params];
	wide least, most, holds;
	bool ms, live;

	if (n < 8 || n != notes(words, n, &ms, &live))
		return complain(at, "a param has 7 items, and perhaps `ms`, and perhaps `live`");
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
		return complain(at, "param %s: its default is outside its range, or its range outside its type", param->name);
	if (!parse_u32(words[6], &param->offset) || !parse_u32(words[7], &param->size))
		return complain(at, "param %s: bad offset or size", param->name);
	if ((param->size != 1 && param->size != 2 && param->size != 4 && param->size != 8) || param->offset % param->size ||
	    param->offset > MAX_PARAM_BYTES - param->size)
		return complain(at, "param %s: bad offset or size", param->name);
	holds = (wide)1 << (param->size * 8 - (least < 0));
	if (most >= holds)
		return complain(at, "param %s: its size is too small for its type", param->name);
	param->ms = ms;
	param->live = live;
	for (int i = 0; i < manifest->n_params; i++) {
		const struct param *other = &manifest->params[i];

		if (!strcmp(other->name, param->name))
			return complain(at, "param %s appears twice", param->name);
		if (other->offset < param->offset + param->size && param->offset < other->offset + other->size)
			return complain(at, "params %s and %s overlap", other->name, param->name);
	}
	manifest->n_params++;
	return 0;
}

/* params rodata|data */
static int parse_params(struct manifest *manifest, char **words, int n, const struct place *at)
{
	if (n != 2 || (strcmp(words[1], "data") && strcmp(words[1], "rodata")))
		return complain(at, "after `params` comes rodata or data");
	manifest->params_in_data = *words[1] == 'd';
	return 0;
}

/* profile NAME */
static int parse_profile(struct manifest *manifest, char **words, int n, const struct place *at)
{
	if (n != 2 || strlen(words[1]) >= sizeof(manifest->profile))
		return complain(at, "after `profile` comes a name");
	strcpy(manifest->profile, words[1]);
	return 0;
}

/* meta BYTES */
static int parse_meta(struct manifest *manifest, char **words, int n, const struct place *at)
{
	if (n != 2 || !parse_u32(words[1], &manifest->meta) || manifest->meta > MAX_META)
		return complain(at, "after `meta` comes a number from 0 to %d", MAX_META);
	return 0;
}

#define parse_array manifest_array_line
#define parse_ghost manifest_ghost_line
#define parse_input manifest_input_line
#define parse_lists manifest_lists_line
#define parse_state manifest_state_line
#define parse_states manifest_states_line
#define parse_table manifest_table_line
#define parse_tick manifest_tick_line
#define parse_pin manifest_pin_line
#define parse_keep manifest_keep_line
#define LINE_ROW(name) { #name, parse_##name },

static const struct {
	const char *name;
	int (*parse)(struct manifest *manifest, char **words, int n, const struct place *at);
} line_kinds[] = { MANIFEST_LINES(LINE_ROW) };

/* cpol VERSION POLICY */
static int parse_first(struct manifest *manifest, char **words, int n, const struct place *at)
{
	uint64_t version;

	if (n != 3 || strcmp(words[0], "cpol") || !is_name(words[2]))
		return complain(at, "it does not begin with `cpol %d POLICY`", MANIFEST_VERSION);
	if (!parse_u64(words[1], &version) || version != MANIFEST_VERSION)
		return fail("%s: made by another version of cpolc (manifest version %.16s, this loader knows %d); "
			    "compile the policy again", at->path, words[1], MANIFEST_VERSION);
	strcpy(manifest->policy, words[2]);
	return 0;
}

static int parse_line(struct manifest *manifest, char *line, const struct place *at)
{
	char *words[MAX_WORDS];
	int n = split(line, ' ', words, MAX_WORDS);

	if (n < 0)
		return complain(at, "its words are not separated by single spaces");
	if (at->line == 1)
		return parse_first(manifest, words, n, at);
	for (size_t i = 0; i < sizeof(line_kinds) / sizeof(*line_kinds); i++)
		if (!strcmp(words[0], line_kinds[i].name))
			return line_kinds[i].parse(manifest, words, n, at);
	return complain(at, "unknown kind of line");
}

static int parse_text(struct manifest *manifest, char *text, const char *path)
{
	struct place at = { .path = path };

	while (*text) {
		char *end = strchr(text, '\n');

		at.line++;
		if (!end)
			return complain(&at, "it does not end with a newline");
		*end = '\0';
		if (parse_line(manifest, text, &at))
			return -1;
		text = end + 1;
	}
	if (at.line == 0)
		return complain(&at, "it is empty");
	for (int i = 0; i < manifest->n_params; i++)
		if (manifest->params[i].live && !manifest->params_in_data)
			return complain(&at, "param %s is live, but the params are not in .data.params", manifest->params[i].name);
	return 0;
}

int manifest_parse(struct manifest *manifest, const byte *section, size_t length, const char *path)
{
	char *text;
	int status;

	memset(manifest, 0, sizeof(*manifest));
	if (length > MAX_MANIFEST)
		return fail("%s: its manifest is larger than %d bytes", path, MAX_MANIFEST);
	if (length && section[length - 1] == '\0')
		length--;
	for (size_t i = 0; i < length; i++)
		if (section[i] != '\n' && (section[i] < ' ' || section[i] > '~'))
			return fail("%s: its manifest is not plain text; compile the policy again", path);

	manifest->params = need(calloc(MAX_PARAMS, sizeof(*manifest->params)));
	manifest->ghosts = need(calloc(MAX_GHOSTS, sizeof(*manifest->ghosts)));
	manifest->tables = need(calloc(MAX_MAPS, sizeof(*manifest->tables)));
	manifest->inputs = need(calloc(MAX_INPUTS, sizeof(*manifest->inputs)));
	manifest->arrays = need(calloc(MAX_INPUTS, sizeof(*manifest->arrays)));
	text = need(malloc(length + 1));
	memcpy(text, section, length);
	text[length] = '\0';
	status = parse_text(manifest, text, path);
	free(text);
	if (status)
		manifest_free(manifest);
	return status;
}
