/* SPDX-License-Identifier: MIT */
/* `set`: shows the params of an attached policy, and changes those that are live. */
#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "command/commands.h"
#include "object/object.h"
#include "pins/attached.h"

#define PAGE_SIZE_BYTES ((size_t)sysconf(_SC_PAGESIZE))

/* Maps the params, which the policy reads, from their pinned map. NULL: reported. */
static byte *map_params(const struct attached *attached, bool write, size_t *size)
{
	struct bpf_map_info info = {};
	uint32_t room = sizeof(info);
	int fd = pins_open(&attached->pins, "data_params", true);
	byte *memory = MAP_FAILED;

	if (fd < 0 || bpf_map_get_info_by_fd(fd, &info, &room) || info.type != BPF_MAP_TYPE_ARRAY)
		fail("cannot open the params of %s: %s", attached->cgroup.path, reason(errno));
	else {
		*size = (info.value_size + PAGE_SIZE_BYTES - 1) / PAGE_SIZE_BYTES * PAGE_SIZE_BYTES;
		memory = mmap(NULL, *size, write ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
		if (memory == MAP_FAILED)
			fail("cannot map the params of %s: %s", attached->cgroup.path, reason(errno));
	}
	if (fd >= 0)
		close(fd);
	return memory == MAP_FAILED ? NULL : memory;
}

/* The names of all live params, for a message; the caller frees them. */
static char *live_names(const struct manifest *manifest)
{
	char *all = NULL;
	size_t size, n = 0;
	FILE *out = need(open_memstream(&all, &size));

	for (int i = 0; i < manifest->n_params; i++)
		if (manifest->params[i].live)
			fprintf(out, "%s%s", n++ ? ", " : "; live params: ", manifest->params[i].name);
	if (fclose(out))
		need(NULL);
	return need(all);
}

/* Applies all settings to the manifest. -1: reported, and nothing in the kernel is changed. */
static int check(struct manifest *manifest, const char **settings, int n)
{
	for (int i = 0; i < n; i++) {
		const char *equals = strchr(settings[i], '=');
		const struct param *param = equals ? manifest_param(manifest, settings[i], (size_t)(equals - settings[i])) : NULL;

		if (param && !param->live) {
			char *names = live_names(manifest);

			fail("set: %s is not live; only attach can set it: cpolc attach --replace --set %s%s", param->name, settings[i],
			     names);
			free(names);
			return -1;
		}
		if (manifest_set(manifest, "set", settings[i]))
			return -1;
	}
	return 0;
}

static void show(const struct manifest *manifest, bool json)
{
	if (json)
		putchar('[');
	for (int i = 0; i < manifest->n_params; i++) {
		const struct param *param = &manifest->params[i];

		if (!json) {
			printf("%-16s = ", param->name);
			param_print(stdout, param, param->value);
			printf("  (%s, from ", param->live ? "live" : "fixed");
			param_print(stdout, param, param->low);
			printf(" to ");
			param_print(stdout, param, param->high);
			puts(")");
			continue;
		}
		printf("%s{\"name\": \"%s\", \"type\": \"%s\", \"live\": %s, \"value\": ", i ? ", " : "", param->name, param->type,
		       param->live ? "true" : "false");
		param_json(param, param->value);
		printf(", \"low\": ");
		param_json(param, param->low);
		printf(", \"high\": ");
		param_json(param, param->high);
		putchar('}');
	}
	if (json)
		puts("]");
	else if (!manifest->n_params)
		printf("the policy %s has no params\n", manifest->policy);
}

/*
 * An aligned store shows the policy each value at once. Several values follow each other in the order of the command, and nothing
 * between them can fail.
 */
static int change(struct attached *attached, const char **settings, int n)
{
	struct manifest *manifest = &attached->manifest;
	size_t size;
	byte *memory;

	if (check(manifest, settings, n))
		return -1;
	memory = map_params(attached, true, &size);
	if (!memory)
		return -1;
	for (int i = 0; i < n; i++) {
		const struct param *param = manifest_param(manifest, settings[i], strcspn(settings[i], "="));
		wide before = load_value(memory + param->offset, param, 0);

		store_value(memory + param->offset, param->value, param->size);
		printf("%s = ", param->name);
		param_print(stdout, param, param->value);
		printf(" (was ");
		param_print(stdout, param, before);
		puts(")");
	}
	munmap(memory, size);
	return 0;
}

int command_set(const struct which *which, const char *cgroup, const char **settings, int n, bool json)
{
	struct attached attached;
	size_t size;
	byte *memory;
	int status = 0;

	if (attached_open(&attached, cgroup, which))
		return -1;
	if (n) {
		status = change(&attached, settings, n);
	} else {
		memory = attached.manifest.params_in_data ? map_params(&attached, false, &size) : NULL;
		if (attached.manifest.params_in_data && !memory)
			status = -1;
		for (int i = 0; memory && i < attached.manifest.n_params; i++) {
			struct param *param = &attached.manifest.params[i];

			param->value = load_value(memory + param->offset, param, 0);
		}
		if (memory)
			munmap(memory, size);
		if (!status)
			show(&attached.manifest, json);
	}
	attached_close(&attached);
	return status;
}
