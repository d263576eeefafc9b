/* SPDX-License-Identifier: MIT */
/* The lines of a manifest about inputs. */
#include <string.h>

#include "manifest/manifest_line.h"

static bool is_taken(const struct manifest *manifest, const char *name)
{
	return manifest_input(manifest, name, strlen(name)) || manifest_array(manifest, name, strlen(name));
}

/* array NAME TYPE SIZE */
int manifest_array_line(struct manifest *manifest, char **words, int n, const struct place *at)
{
	struct user_array *array = &manifest->arrays[manifest->n_arrays];

	if (n != 4)
		return complain(at, "an array has 3 items");
	if (manifest->n_arrays == MAX_INPUTS)
		return complain(at, "more than %d arrays", MAX_INPUTS);
	if (is_taken(manifest, words[1]))
		return complain(at, "input %s appears twice", words[1]);
	memset(array, 0, sizeof(*array));
	if (stored_parse(&array->entry, words[1], words[2], "array", at) ||
	    formula_parse(manifest, &array->size, words[3], "array", array->entry.name, at))
		return -1;
	if (array->entry.kind == KIND_ENUM)
		return complain(at, "the entries of array %s are no numbers", array->entry.name);
	array->entries = formula_value(manifest, &array->size, 0); /* of an attached policy, whose formulas are numbers */
	manifest->n_arrays++;
	return 0;
}

/* input NAME set|map KEY TYPE DEFAULT */
int manifest_input_line(struct manifest *manifest, char **words, int n, const struct place *at)
{
	struct input *input = &manifest->inputs[manifest->n_inputs];
	unsigned int key = 0;

	if (n != 6)
		return complain(at, "an input has 5 items");
	if (manifest->n_inputs == MAX_INPUTS)
		return complain(at, "more than %d inputs", MAX_INPUTS);
	if (!is_name(words[1]))
		return complain(at, "an input's name is not an identifier");
	if (is_taken(manifest, words[1]))
		return complain(at, "input %s appears twice", words[1]);
	memset(input, 0, sizeof(*input));
	strcpy(input->name, words[1]);
	input->is_map = !strcmp(words[2], "map");
	if (!input->is_map && strcmp(words[2], "set"))
		return complain(at, "input %s is neither a set nor a map", input->name);
	while (key < INPUT_KEYS && strcmp(input_key_name(key), words[3]))
		key++;
	if (key == INPUT_KEYS)
		return complain(at, "the key of input %s is unknown", input->name);
	input->key = key;
	if (!parse_type(&input->value, words[4], &input->value.low, &input->value.high))
		return complain(at, "the type of input %s is unknown", input->name);
	if (!input->is_map && input->value.kind != KIND_BOOL)
		return complain(at, "input %s: the value of a set is bool", input->name);
	if (!parse_wide(words[5], &input->value.value) || input->value.value < input->value.low ||
	    input->value.value > input->value.high)
		return complain(at, "input %s: its default is not a value of its type", input->name);
	manifest->n_inputs++;
	return 0;
}
