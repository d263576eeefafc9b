/* SPDX-License-Identifier: MIT */
/* Shared by the readers of a manifest's lines. A reader gets the line as words; the first word names the kind of line. */
#ifndef LOADER_MANIFEST_LINE_H
#define LOADER_MANIFEST_LINE_H

#include "manifest/manifest.h"

/* A line of a manifest, for messages. */
struct place {
	const char *path;
	int line;
};

/* Reports what is wrong there. Returns -1. */
int complain(const struct place *at, const char *format, ...) __attribute__((format(printf, 2, 3)));

bool is_name(const char *text);
bool parse_wide(const char *text, wide *value); /* a decimal integer from INT64_MIN to UINT64_MAX */
bool parse_u32(const char *text, uint32_t *value);
int split(char *text, char separator, char **words, int max); /* returns the number of words; -1: over `max`, or an empty word */

/* Reads a type: sets the kind and, for an enum, the members of `param`, and the type's range of raw values. */
bool parse_type(struct param *param, char *type, wide *least, wide *most);

/* Reads name and type of a state or of a table's elements; `size` becomes the bytes of the type. `kind` is for messages. */
int stored_parse(struct param *stored, const char *name, char *type, const char *kind, const struct place *at);

/* Reads a formula; `kind` and `name` are for messages. */
int formula_parse(const struct manifest *manifest, struct formula *formula, char *words, const char *kind, const char *name,
		  const struct place *at);

int manifest_ghost_line(struct manifest *manifest, char **words, int n, const struct place *at);
int manifest_state_line(struct manifest *manifest, char **words, int n, const struct place *at);
int manifest_states_line(struct manifest *manifest, char **words, int n, const struct place *at);
int manifest_table_line(struct manifest *manifest, char **words, int n, const struct place *at);
int manifest_lists_line(struct manifest *manifest, char **words, int n, const struct place *at);
int manifest_tick_line(struct manifest *manifest, char **words, int n, const struct place *at);
int manifest_pin_line(struct manifest *manifest, char **words, int n, const struct place *at);
int manifest_keep_line(struct manifest *manifest, char **words, int n, const struct place *at);
int manifest_input_line(struct manifest *manifest, char **words, int n, const struct place *at);
int manifest_array_line(struct manifest *manifest, char **words, int n, const struct place *at);

#endif
