/* SPDX-License-Identifier: MIT */
#include "object/object.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "inputs/elements.h"
#include "object/arrays.h"
#include "object/capacity.h"
#include "object/libbpf_said.h"
#include "object/object_check.h"
#include "object/object_memory.h"
#include "object/verifier.h"
#include "system/system.h"

#define VERIFIER_LOG_SIZE (16 << 20)

/* `at` is aligned to `size`, so a policy that reads it meanwhile sees the old value or the new one. */
void store_value(byte *at, wide value, uint32_t size)
{
	uint64_t raw = (uint64_t)value;

	switch (size) {
	case 1:
		__atomic_store_n(at, (byte)raw, __ATOMIC_RELAXED);
		break;
	case 2:
		__atomic_store_n((uint16_t *)(void *)at, (uint16_t)raw, __ATOMIC_RELAXED);
		break;
	case 4:
		__atomic_store_n((uint32_t *)(void *)at, (uint32_t)raw, __ATOMIC_RELAXED);
		break;
	default:
		__atomic_store_n((uint64_t *)(void *)at, raw, __ATOMIC_RELAXED);
	}
}

static int set_params(struct bpf_object *object, const struct manifest *manifest, const char *path)
{
	const char *section = manifest->params_in_data ? LIVE_PARAMS : ".rodata";

	for (int i = 0; i < manifest->n_params; i++) {
		const struct param *param = &manifest->params[i];
		byte *data = variable_in(object, section, "cpol_params", param->offset + param->size);
		struct bpf_map *map = bpf_object__find_map_by_name(object, section);
		size_t room;

		if (!data || (uintptr_t)(data + param->offset) % param->size)
			return fail("%s: its manifest names a param that the object does not have; compile the policy again", path);
		if (manifest->params_in_data && data != bpf_map__initial_value(map, &room)) /* set.c relies on their offsets */
			return fail("%s: its params are not alone in %s; compile the policy again", path, section);
		store_value(data + param->offset, param->value, param->size);
	}
	return 0;
}

/* Checks that each input has the map that the manifest promises, so that a hostile object gets no other map filled. */
static int check_inputs(struct bpf_object *object, const struct manifest *manifest, const char *path)
{
	for (int i = 0; i < manifest->n_inputs; i++) {
		const struct input *input = &manifest->inputs[i];
		bool page = input->key == INPUT_PAGE;
		char name[NAME_SIZE + sizeof(INPUT_MAP)];
		struct bpf_map *map;

		snprintf(name, sizeof(name), INPUT_MAP "%s", input->name);
		map = bpf_object__find_map_by_name(object, name);
		if (!map || bpf_map__type(map) != (page ? BPF_MAP_TYPE_LPM_TRIE : BPF_MAP_TYPE_HASH) ||
		    bpf_map__key_size(map) != (page ? PAGE_KEY_SIZE : sizeof(uint64_t)) ||
		    bpf_map__value_size(map) != (input->key == INPUT_COMM ? sizeof(struct map_value) : sizeof(int64_t)))
			return fail("%s: its manifest names the input %s, but the object has no map for it; compile the policy again",
				    path, input->name);
	}
	return 0;
}

/* Milliseconds between ticks; 0: the policy has no periodic ticks. */
static uint32_t tick_ms(const struct manifest *manifest, uint64_t capacity)
{
	uint64_t ms = manifest->ticks ? formula_value(manifest, &manifest->tick_ms, capacity) : 0;

	return manifest->ticks && ms < 1 ? 1 : ms > MAX_TICK_MS ? MAX_TICK_MS : (uint32_t)ms;
}

/* All lists; 0: there is no array. set_memory() refuses what is out of range. */
static uint32_t all_lists(const struct manifest *manifest, uint64_t capacity)
{
	uint32_t lists = (uint32_t)(manifest->n_lists - manifest->n_list_arrays);

	for (int i = 0; i < manifest->n_list_arrays; i++) {
		uint64_t length = formula_value(manifest, &manifest->list_lengths[i], capacity);

		lists += length > MAX_LIST_ARRAY ? MAX_LIST_ARRAY : (uint32_t)length;
	}
	return manifest->n_list_arrays ? lists : 0;
}

/* What the loader sets in a struct_ops map. */
struct settings {
	int32_t procs;
	uint64_t pin_pages;  /* 0: the policy does not pin */
	uint64_t keep_pages; /* 0: it keeps nothing from swap */
	uint32_t ticks;	     /* 0: not by time */
	uint32_t lists;	     /* 0: as the object says */
};

/* The value of the member `name`, and its size; NULL: it is not the loader's. */
static const void *setting_of(const struct settings *settings, const char *name, size_t *bytes)
{
	*bytes = sizeof(uint64_t);
	if (!strcmp(name, "pin_pages") && settings->pin_pages)
		return &settings->pin_pages;
	if (!strcmp(name, "keep_pages") && settings->keep_pages)
		return &settings->keep_pages;
	*bytes = sizeof(uint32_t);
	if (!strcmp(name, "procs_fd"))
		return &settings->procs;
	if (!strcmp(name, "nr_lists") && settings->lists)
		return &settings->lists;
	return !strcmp(name, "tick_ms") && settings->ticks ? &settings->ticks : NULL;
}

/* Sets the cgroup, the lists, the ticks and the quotas in a struct_ops map. -1: reported. */
static int set_members(const struct btf *btf, struct bpf_map *ops, const struct btf_type *type, const struct settings *settings,
		       const char *path)
{
	bool has_cgroup = false;
	size_t room = 0;
	byte *data = bpf_map__initial_value(ops, &room);

	if (!data || type->size != room)
		goto malformed;
	for (int i = 0; i < btf_vlen(type); i++) {
		const struct btf_member *member = btf_members(type) + i;
		const char *name = btf__name_by_offset(btf, member->name_off);
		uint32_t offset = member->offset / 8;
		size_t bytes;
		const void *value = setting_of(settings, name, &bytes);

		if (!value)
			continue;
		if (offset > room || room - offset < bytes)
			goto malformed;
		memcpy(data + offset, value, bytes);
		has_cgroup |= value == &settings->procs;
	}
	if (has_cgroup)
		return 0;
malformed:
	return fail("%s: its %s has no member procs_fd, or one outside of it; compile the policy again", path,
		    btf__name_by_offset(btf, type->name_off));
}

/* Finds the policy's struct_ops maps, and sets them. -1: reported. */
static int set_ops(struct bpf_object *object, const struct manifest *manifest, const struct cgroup *cgroup, uint64_t capacity,
		   struct bpf_map *maps[POLICY_KINDS], const char *path)
{
	struct settings settings = {
		.procs = cgroup->procs,
		.pin_pages = manifest->pins ? formula_value(manifest, &manifest->pin_pages, capacity) : 0,
		.keep_pages = manifest->keeps ? formula_value(manifest, &manifest->keep_pages, capacity) : 0,
		.ticks = tick_ms(manifest, capacity),
		.lists = all_lists(manifest, capacity),
	};
	struct policy_ops ops;

	if (check_ops(object, &ops, path))
		return -1;
	for (int kind = 0; kind < POLICY_KINDS; kind++) {
		maps[kind] = ops.map[kind];
		if (maps[kind] && set_members(bpf_object__btf(object), maps[kind], ops.type[kind], &settings, path))
			return -1;
	}
	return 0;
}

struct bpf_object *object_load(const byte *content, size_t size, struct manifest *manifest, const struct cgroup *cgroup,
			       const char *path, struct bpf_map *ops[POLICY_KINDS])
{
	char *log = need(calloc(1, VERIFIER_LOG_SIZE));
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = manifest->policy, .kernel_log_buf = log,
		    .kernel_log_size = VERIFIER_LOG_SIZE);
	struct bpf_object *object;
	uint64_t capacity = capacity_at_attach(cgroup);
	int error;

	libbpf_listen();
	object = bpf_object__open_mem(content, size, &options);
	if (!object) {
		fail_with_libbpf(path, "libbpf cannot open it", errno);
		goto bad;
	}
	if (!bpf_object__btf(object)) {
		fail("%s: it has no BTF; compile the policy again", path);
		goto bad;
	}
	if (check_maps(object, path) || set_ops(object, manifest, cgroup, capacity, ops, path) || set_params(object, manifest, path) ||
	    check_inputs(object, manifest, path))
		goto bad;
	if (set_memory(object, manifest, capacity, path) || set_arrays(object, manifest, capacity, path))
		goto bad;

	error = bpf_object__load(object);
	if (error) {
		if (strstr(log, "\nprocessed ") || (*log && (error == -EACCES || error == -EINVAL || error == -E2BIG)))
			explain_refusal(manifest->policy, log);
		else if (!check_kernel() && !check_kfuncs()) /* slow, so asked only where it explains something */
			fail_with_libbpf(path,
					 libbpf_misses_something() ?
						 "cache_ext in this kernel is of another version of cpol than the object; compile the policy "
						 "with cpolc of the kernel's version, or build the kernel or the module of this version" :
						 "the kernel did not load it", error);
		goto bad;
	}
	free(log);
	return object;
bad:
	bpf_object__close(object);
	free(log);
	return NULL;
}
