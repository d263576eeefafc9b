/* SPDX-License-Identifier: MIT */
#include "command/attach_stage.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "object/arrays.h"
#include "object/object.h"
#include "object/object_memory.h"
#include "pins/origin.h"
#include "system/step.h"

/* Pins the manifest, which later commands read. */
static int pin_manifest(const struct job *job)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_RDONLY_PROG);
	size_t length;
	char *text = manifest_text(&job->manifest, &length);
	uint32_t zero = 0;
	int map, status;

	if (!text)
		return -1;
	map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "cpol_manifest", sizeof(zero), (uint32_t)length, 1, &options);
	status = map < 0 || bpf_map_update_elem(map, &zero, text, BPF_ANY);
	status = status ? fail("cannot pin the manifest: %s", reason(errno)) : pins_add(&job->pins, MANIFEST_PIN, map);
	if (map >= 0)
		close(map);
	free(text);
	return status;
}

int attach_stage(const struct job *job)
{
	struct bpf_map *map;
	char table[NAME_SIZE + sizeof(TABLE_PIN)], array[ARRAY_PIN_SIZE];

	if (pins_stage(&job->pins))
		return -1;
	STEP("the staged folder is made");
	bpf_object__for_each_map(map, job->object) {
		const char *name = bpf_map__name(map), *section = strchr(name, '.');

		/* libbpf names .rodata POLICY.rodata, and keeps 15 characters of .bss.table_NAME: two tables may have one name. */
		for (int i = 0; i < job->manifest.n_tables; i++) {
			const char *called = job->manifest.tables[i].element.name;

			if (map == table_map(job->object, called)) {
				snprintf(table, sizeof(table), TABLE_PIN "%s", called);
				section = table;
			}
		}
		if (array_pin(job->object, &job->manifest, map, array))
			section = array;
		if (pins_add(&job->pins, section ? section : name, bpf_map__fd(map)))
			return -1;
		STEP("a map is pinned");
	}
	if (arrays_stage(job->object, &job->manifest, &job->pins) || pin_manifest(job) || origin_pin(&job->pins, job->options->tag))
		return -1;
	STEP("all maps are pinned");
	return job->options->input_group ? pins_share(&job->pins, job->options->input_group) : 0;
}
