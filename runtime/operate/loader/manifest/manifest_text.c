/* SPDX-License-Identifier: MIT */
/* Writes the manifest that the loader pins for an attached policy. */
#include <inttypes.h>
#include <stdlib.h>

#include "manifest/manifest.h"

static void print_raw(FILE *out, wide value)
{
	if (value < 0)
		fprintf(out, " %" PRId64, (int64_t)value);
	else
		fprintf(out, " %" PRIu64, (uint64_t)value);
}

static void print_states(FILE *out, const struct manifest *manifest)
{
	if (manifest->n_states)
		fprintf(out, "states %s %" PRIu32 "\n", manifest->states_in_data ? "data" : "bss", manifest->states_offset);
	for (int i = 0; i < manifest->n_states; i++) {
		const struct param *state = &manifest->states[i];

		fprintf(out, "state %s ", state->name);
		print_type(out, state);
		fprintf(out, " %" PRIu32 " %" PRIu32 "\n", state->offset, state->size);
	}
}

static void print_tables(FILE *out, const struct manifest *manifest)
{
	for (int i = 0; i < manifest->n_tables; i++) {
		const struct table *table = &manifest->tables[i];

		fprintf(out, "table %s ", table->element.name);
		print_type(out, &table->element);
		print_raw(out, table->element.value);
		for (int n = 0; n < table->n_sizes; n++)
			fprintf(out, " int:%" PRIu64, table->count[n]);
		fputc('\n', out);
	}
}

char *manifest_text(const struct manifest *manifest, size_t *length)
{
	char *text = NULL;
	FILE *out = need(open_memstream(&text, length));

	fprintf(out, "cpol 1 %s\n", manifest->policy);
	for (int i = 0; i < manifest->n_params; i++) {
		const struct param *param = &manifest->params[i];

		fprintf(out, "param %s ", param->name);
		print_type(out, param);
		print_raw(out, param->value);
		print_raw(out, param->low);
		print_raw(out, param->high);
		fprintf(out, " %" PRIu32 " %" PRIu32 "%s%s\n", param->offset, param->size, param->ms ? " ms" : "",
			param->live ? " live" : "");
	}
	fprintf(out, "params %s\n", manifest->params_in_data ? "data" : "rodata");
	for (int i = 0; i < manifest->n_inputs; i++) {
		const struct input *input = &manifest->inputs[i];

		fprintf(out, "input %s %s %s ", input->name, input->is_map ? "map" : "set", input_key_name(input->key));
		print_type(out, &input->value);
		print_raw(out, input->value.value);
		fputc('\n', out);
	}
	for (int i = 0; i < manifest->n_arrays; i++) {
		const struct user_array *array = &manifest->arrays[i];

		fprintf(out, "array %s %s int:%" PRIu64 "\n", array->entry.name, array->entry.type, array->entries);
	}
	for (int i = 0, array = manifest->n_list_arrays - manifest->n_lists; i < manifest->n_lists; i++, array++) {
		fprintf(out, "%s%s", i ? "," : "lists ", manifest->lists[i]);
		if (array >= 0)
			fprintf(out, "[int:%" PRIu32 "]", manifest->list_counts[array]);
	}
	if (manifest->n_lists)
		fputc('\n', out);
	for (int i = 0; i < manifest->n_ghosts; i++)
		fprintf(out, "ghost %s int:%" PRIu64 "\n", manifest->ghosts[i].name, manifest->ghosts[i].entries);
	print_states(out, manifest);
	print_tables(out, manifest);
	fprintf(out, "meta %" PRIu32 "\n", manifest->meta);
	if (fclose(out))
		need(NULL);
	need(text);
	if (*length <= MAX_MANIFEST)
		return text;
	free(text);
	fail("the manifest of %s would be %zu bytes once it is attached, and the most is %d: the policy has too many states", manifest->policy,
	     *length, MAX_MANIFEST);
	return NULL;
}
