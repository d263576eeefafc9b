/* SPDX-License-Identifier: MIT */
/* `input`: the sets and maps that an application fills for its policy. */
#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/commands.h"
#include "command/input_array.h"
#include "inputs/device_id.h"
#include "inputs/inputs.h"
#include "inputs/task.h"
#include "pins/attached.h"
#include "system/cgroup.h"

/* -1: reported. */
static int open_map(const struct attached *attached, const struct input *input, bool write)
{
	char name[NAME_SIZE + sizeof(INPUT_MAP)];
	int map;

	snprintf(name, sizeof(name), INPUT_MAP "%s", input->name);
	map = pins_open(&attached->pins, name, write);
	if (map < 0)
		return fail("cannot open the input %s: %s%s", input->name, reason(errno),
			    errno == EACCES || errno == EPERM ?
				    " (run this with sudo, or as a member of the group given to cpolc attach --input-group)" : "");
	return map;
}

/* The keys of inputs, in words. */
static const char *const kinds[] = { "threads", "processes", "commands", "files", "pages", "devices", "cgroups" };

static int show_inputs(const struct attached *attached, bool json)
{
	const struct manifest *manifest = &attached->manifest;

	if (json)
		putchar('[');
	for (int i = 0; i < manifest->n_inputs; i++) {
		const struct input *input = &manifest->inputs[i];
		struct elements all = {};
		int map = open_map(attached, input, false), status = map < 0 ? -1 : elements_read(map, input, &all);

		if (map >= 0)
			close(map);
		if (status)
			return -1;
		if (json) {
			printf("%s{\"name\": \"%s\", \"kind\": \"%s\", \"key\": \"%s\", \"type\": \"%s\", \"default\": ", i ? ", " : "",
			       input->name, input->is_map ? "map" : "set", input_key_name(input->key), input->value.type);
			param_json(&input->value, input->value.value);
			printf(", \"elements\": %zu}", all.n);
		} else {
			printf("%-16s %s of %s", input->name, input->is_map ? "map" : "set", kinds[input->key]);
			if (input->is_map) {
				printf(" to %s, otherwise ", input->value.type);
				param_print(stdout, &input->value, input->value.value);
			}
			printf("; holds %zu\n", all.n);
		}
		elements_free(&all);
	}
	if (arrays_show(attached, json, !manifest->n_inputs))
		return -1;
	if (json)
		puts("]");
	else if (!manifest->n_inputs && !manifest->n_arrays)
		printf("the policy %s has no inputs\n", manifest->policy);
	return 0;
}

/* The key, but not the range of pages. */
static void show_key(const struct input *input, const struct element *element, bool json)
{
	char name[COMM_SIZE + 1] = "", *path = NULL;
	bool gone;

	switch (input->key) {
	case INPUT_THREAD:
	case INPUT_PROCESS:
		printf("%" PRIu64, element->id);
		break;
	case INPUT_COMM:
		memcpy(name, element->name, COMM_SIZE); /* who may write the map may leave out the zero */
		(json ? json_string : print_text)(stdout, name);
		break;
	case INPUT_DEVICE:
		printf(json ? "\"%" PRIu64 ":%" PRIu64 "\"" : "%" PRIu64 ":%" PRIu64, element->id >> 20, element->id & MAX_MINOR);
		break;
	case INPUT_CGROUP:
		path = cgroup_path(element->id, &gone);
		if (path) {
			(json ? json_string : print_text)(stdout, path);
			free(path);
			break;
		}
		/* fallthrough: it has an id only */
	default:
		printf(json ? "\"id:%016" PRIx64 "\"" : "id:%016" PRIx64, element->id);
	}
}

/* The command of a thread or process, which has its number now; `(ended)` if none has. */
static void show_name(const struct element *element, bool json)
{
	char name[TASK_NAME_SIZE];
	bool known = task_initial_namespace() && task_name(element->id, name);

	if (json) {
		fputs(", \"comm\": ", stdout);
		if (known)
			json_string(stdout, name);
		else
			fputs("null", stdout);
	} else if (known) {
		fputs("  ", stdout);
		print_text(stdout, name);
	} else if (task_initial_namespace() && task_missing(element->id, false)) {
		fputs("  (ended)", stdout);
	}
}

static void show_element(const struct input *input, const struct element *element, bool json, bool first)
{
	if (json) {
		printf("%s{\"%s\": ", first ? "" : ", ", input->key == INPUT_PAGE ? "file" : input_key_name(input->key));
		show_key(input, element, true);
		if (input->key == INPUT_PAGE)
			printf(", \"first\": %" PRIu64 ", \"last\": %" PRIu64, element->first, element->last);
		printf(", \"value\": ");
		param_json(&input->value, input_value(input, element->value));
		if (input->key == INPUT_THREAD || input->key == INPUT_PROCESS)
			show_name(element, true);
		putchar('}');
		return;
	}
	show_key(input, element, false);
	if (input->key == INPUT_PAGE)
		printf(":%" PRIu64 "..%" PRIu64, element->first, element->last);
	if (input->is_map) {
		putchar('=');
		param_print(stdout, &input->value, input_value(input, element->value));
	}
	if (input->key == INPUT_THREAD || input->key == INPUT_PROCESS)
		show_name(element, false);
	putchar('\n');
}

/* Shows all elements, or those of `wanted` that the input has. */
static int list(int map, const struct input *input, const struct elements *wanted, bool json)
{
	struct elements all = {};
	bool first = true;

	if (elements_read(map, input, &all)) {
		elements_free(&all);
		return -1;
	}
	if (json)
		putchar('[');
	for (size_t i = 0; i < (wanted->n ? wanted : &all)->n; i++) {
		struct element element = (wanted->n ? wanted : &all)->list[i];

		if (wanted->n && !elements_find(&all, &element, &element.value))
			continue;
		show_element(input, &element, json, first);
		first = false;
	}
	if (json)
		puts("]");
	elements_free(&all);
	return 0;
}

static void report(const struct input *input, const struct changes *changes, bool json)
{
	const struct {
		const char *what;
		size_t n;
	} parts[] = {
		{ "added", changes->added },
		{ "replaced", changes->replaced },
		{ "removed", changes->removed },
		{ "not there", changes->missing },
	};
	bool first = true;

	if (json) {
		printf("{\"added\": %zu, \"replaced\": %zu, \"removed\": %zu, \"missing\": %zu}\n", changes->added, changes->replaced,
		       changes->removed, changes->missing);
		return;
	}
	printf("%s:", input->name);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (!parts[i].n)
			continue;
		printf("%s %zu %s", first ? "" : ",", parts[i].n, parts[i].what);
		first = false;
	}
	puts(first ? " unchanged" : "");
}

static int unknown_input(const struct manifest *manifest, const char *name)
{
	char *all = NULL;
	size_t size;
	FILE *out = need(open_memstream(&all, &size));

	for (int i = 0; i < manifest->n_inputs; i++)
		fprintf(out, "%s %s", i ? "," : "; it has:", manifest->inputs[i].name);
	for (int i = 0; i < manifest->n_arrays; i++)
		fprintf(out, "%s %s", i || manifest->n_inputs ? "," : "; it has:", manifest->arrays[i].entry.name);
	if (fclose(out) || !all)
		need(NULL);
	fail("the policy %s has no input %s%s", manifest->policy, name, all);
	free(all);
	return -1;
}

static int act(const struct attached *attached, const struct input_options *options)
{
	const struct input *input = manifest_input(&attached->manifest, options->name, strlen(options->name));
	const struct user_array *array = manifest_array(&attached->manifest, options->name, strlen(options->name));
	bool add = !strcmp(options->action, "add"), reads = !strcmp(options->action, "list");
	struct elements elements = {};
	struct changes changes;
	char command[NAME_SIZE + 32];
	int map, status = 0;

	if (array)
		return array_act(attached, array, options);
	if (!input)
		return unknown_input(&attached->manifest, options->name);
	if (!strcmp(options->action, "load"))
		return fail("%s is a %s: it takes list, add, remove and clear, not load", input->name, input->is_map ? "map" : "set");
	snprintf(command, sizeof(command), "input %s %s", input->name, options->action);
	for (int i = 0; i < options->n_values && !status; i++)
		status = elements_parse(&elements, input, options->values[i], add, command);
	map = status ? -1 : open_map(attached, input, !reads);
	if (map >= 0) {
		if (reads)
			status = list(map, input, &elements, options->json);
		else if (!strcmp(options->action, "clear"))
			status = elements_clear(map, input, &changes);
		else
			status = add ? elements_add(map, input, &elements, &changes) :
				       elements_remove(map, input, &elements, &changes);
		if (!status && !reads)
			report(input, &changes, options->json);
		close(map);
	}
	elements_free(&elements);
	return map < 0 ? -1 : status;
}

int command_input(const struct input_options *options)
{
	struct attached attached;
	int status;

	if (attached_open(&attached, options->cgroup, &options->which))
		return -1;
	status = options->name ? act(&attached, options) : show_inputs(&attached, options->json);
	attached_close(&attached);
	return status;
}
