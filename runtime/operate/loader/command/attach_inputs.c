/* SPDX-License-Identifier: MIT */
#include "command/attach_inputs.h"

#include <stdlib.h>
#include <string.h>

#include "inputs/inputs.h"

int attach_parse_input(struct job *job, const char *setting)
{
	const char *equals = strchr(setting, '=');
	const struct input *input = equals ? manifest_input(&job->manifest, setting, (size_t)(equals - setting)) : NULL;
	struct user_array *array = equals ? manifest_array(&job->manifest, setting, (size_t)(equals - setting)) : NULL;
	char *values, *save = NULL, command[NAME_SIZE + 32];
	int status = 0;

	if (!equals || equals == setting)
		return fail("--input needs name=value,value..., not `%s`", setting);
	if (array && equals[1] != '@')
		return fail("--input: %s is an array: write %s=@FILE", array->entry.name, array->entry.name);
	if (array) {
		array->file = equals + 2;
		return 0;
	}
	if (!input)
		return fail("--input: the policy %s has no input %.*s", job->manifest.policy, (int)(equals - setting), setting);
	snprintf(command, sizeof(command), "--input %s", input->name);
	values = need(strdup(equals + 1));
	for (char *value = strtok_r(values, ",", &save); value && !status; value = strtok_r(NULL, ",", &save))
		status = elements_parse(&job->inputs[input - job->manifest.inputs], input, value, true, command);
	free(values);
	return status;
}

int attach_fill_inputs(const struct job *job)
{
	for (int i = 0; i < job->manifest.n_inputs; i++) {
		const struct input *input = &job->manifest.inputs[i];
		char name[NAME_SIZE + sizeof(INPUT_MAP)];
		struct changes changes;

		snprintf(name, sizeof(name), INPUT_MAP "%s", input->name);
		if (job->inputs[i].n &&
		    elements_add(bpf_object__find_map_fd_by_name(job->object, name), input, &job->inputs[i], &changes))
			return -1;
	}
	return 0;
}
