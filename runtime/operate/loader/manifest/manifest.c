/* SPDX-License-Identifier: MIT */
#include "manifest/manifest.h"

#include <stdlib.h>
#include <string.h>

static const char *const input_key_names[] = { "thread", "process", "comm", "file", "page", "device", "cgroup" };

const char *input_key_name(enum input_key key)
{
	return input_key_names[key];
}

struct param *manifest_param(const struct manifest *manifest, const char *name, size_t length)
{
	for (int i = 0; i < manifest->n_params; i++)
		if (strlen(manifest->params[i].name) == length && !memcmp(manifest->params[i].name, name, length))
			return &manifest->params[i];
	return NULL;
}

const struct input *manifest_input(const struct manifest *manifest, const char *name, size_t length)
{
	for (int i = 0; i < manifest->n_inputs; i++)
		if (strlen(manifest->inputs[i].name) == length && !memcmp(manifest->inputs[i].name, name, length))
			return &manifest->inputs[i];
	return NULL;
}

struct user_array *manifest_array(const struct manifest *manifest, const char *name, size_t length)
{
	for (int i = 0; i < manifest->n_arrays; i++) {
		const char *called = manifest->arrays[i].entry.name;

		if (strlen(called) == length && !memcmp(called, name, length))
			return &manifest->arrays[i];
	}
	return NULL;
}

void manifest_free(struct manifest *manifest)
{
	free(manifest->params);
	free(manifest->ghosts);
	free(manifest->states);
	free(manifest->tables);
	free(manifest->inputs);
	free(manifest->arrays);
	memset(manifest, 0, sizeof(*manifest));
}
