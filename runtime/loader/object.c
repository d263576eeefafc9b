/* SPDX-License-Identifier: MIT */
#include "object.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "system.h"
#include "verifier.h"

#define VERIFIER_LOG_SIZE (16 << 20)
#define LIBBPF_SAID 8192
#define GHOST_BYTES_LIMIT ((1U << 29) - (1U << 20)) /* the verifier's bound on offsets into a map's value, less the head */
#define OPS_TYPE "cache_ext_ops"
#define ESCAPED "cpol_n_" /* how the compiler writes names that C has taken */

/* What libbpf warned of last: its own reasons for a refusal. */
static char libbpf_said[LIBBPF_SAID];

static int listen(enum libbpf_print_level level, const char *format, va_list args)
{
	size_t used = strlen(libbpf_said);

	if (verbose)
		return vfprintf(stderr, format, args);
	if (level == LIBBPF_WARN)
		vsnprintf(libbpf_said + used, sizeof(libbpf_said) - used, format, args);
	return 0;
}

/* Fails with libbpf's words, without the verifier's log among them. */
static int fail_with_libbpf(const char *path, const char *what, int error)
{
	char *log = strstr(libbpf_said, "-- BEGIN PROG LOAD LOG --");

	if (log)
		*log = '\0';
	fail("%s: %s: %s", path, what, reason(error));
	for (char *line = libbpf_said; *line;) {
		size_t length = strcspn(line, "\n");

		if (length)
			fprintf(stderr, "  %.*s\n", (int)length, line);
		line += length + (line[length] == '\n');
	}
	return -1;
}

/* Where a variable lies in a data section of the object: its offset and size, from the object's BTF. */
static int find_variable(const struct btf *btf, const char *section, const char *name, uint32_t *offset, uint32_t *size)
{
	int id = btf__find_by_name_kind(btf, section, BTF_KIND_DATASEC);
	const struct btf_type *type;
	const struct btf_var_secinfo *variable;

	if (id < 0)
		return -1;
	type = btf__type_by_id(btf, (uint32_t)id);
	variable = btf_var_secinfos(type);
	for (int i = 0; i < btf_vlen(type); i++, variable++) {
		const struct btf_type *declared = btf__type_by_id(btf, variable->type);
		const char *called = declared ? btf__name_by_offset(btf, declared->name_off) : NULL;

		if (called && !strcmp(called, name)) {
			*offset = variable->offset;
			*size = variable->size;
			return 0;
		}
	}
	return -1;
}

/* The initial contents of a variable that is at least `size` bytes large; NULL: it is not there. */
static byte *variable_in(struct bpf_object *object, const char *section, const char *name, uint32_t size)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, section);
	uint32_t offset, has;
	size_t room = 0;
	byte *data;

	if (!map || find_variable(bpf_object__btf(object), section, name, &offset, &has) || has < size)
		return NULL;
	data = bpf_map__initial_value(map, &room);
	return data && offset <= room && has <= room - offset ? data + offset : NULL;
}

/* `at` is aligned to `size`, so that a policy that reads it meanwhile sees the old value or the new one. */
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
		if (manifest->params_in_data && data != bpf_map__initial_value(map, &room)) /* live.c goes by their offsets */
			return fail("%s: its params are not alone in %s; compile the policy again", path, section);
		store_value(data + param->offset, param->value, param->size);
	}
	return 0;
}

/* That each input's map is what the manifest promises; hostile objects are not to have other maps filled. */
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
		    bpf_map__value_size(map) != sizeof(int64_t))
			return fail("%s: its manifest names the input %s, for which the object has no such map; compile the policy again",
				    path, input->name);
	}
	return 0;
}

/* Bytes of an element of the slots that a ghost's map ends with; 0: it is not so. */
static uint32_t slot_size(const struct btf *btf, const char *section, const char *slots)
{
	uint32_t offset, size;

	return find_variable(btf, section, slots, &offset, &size) ? 0 : size;
}

/* Gives a ghost its memory: the map's last variable, the slots, was declared with one and gets as many as there are entries. */
static int set_ghost(struct bpf_object *object, const struct manifest *manifest, const struct ghost *ghost, uint64_t capacity,
		     const char *path)
{
	static const char *const prefixes[] = { "", ESCAPED };
	uint64_t entries = ghost_entries(manifest, ghost, capacity), most;
	struct bpf_map *map = NULL;
	char section[NAME_SIZE + 32], limit[NAME_SIZE + 32], slots[NAME_SIZE + 32];
	uint32_t slot, head;
	byte *data;

	for (size_t i = 0; !map && i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		snprintf(section, sizeof(section), ".data.ghost_%s%s", prefixes[i], ghost->name);
		snprintf(limit, sizeof(limit), "cpol_ghost_limit__%s%s", prefixes[i], ghost->name);
		snprintf(slots, sizeof(slots), "cpol_ghost_slots__%s%s", prefixes[i], ghost->name);
		map = bpf_object__find_map_by_name(object, section);
	}
	slot = map ? slot_size(bpf_object__btf(object), section, slots) : 0;
	data = map ? variable_in(object, ".rodata", limit, sizeof(entries)) : NULL;
	if (!slot || !data || bpf_map__value_size(map) < slot)
		return fail("%s: its manifest names the ghost %s, which the object does not have; compile the policy again", path,
			    ghost->name);
	head = bpf_map__value_size(map) - slot;
	most = (GHOST_BYTES_LIMIT - head) / slot;
	if (entries > most) {
		warn("the ghost %s would remember %" PRIu64 " folios; it will remember %" PRIu64 ", the most that fit", ghost->name,
		     entries, most);
		entries = most;
	}
	memcpy(data, &entries, sizeof(entries));
	if (entries > 1 && bpf_map__set_value_size(map, head + (uint32_t)entries * slot))
		return fail("%s: cannot give the ghost %s its %" PRIu64 " entries: %s", path, ghost->name, entries, reason(errno));
	return 0;
}

/* The policy's struct_ops map; its cgroup is set. NULL: said why. */
static struct bpf_map *set_ops(struct bpf_object *object, uint64_t cgroup_id, const char *path)
{
	const struct btf *btf = bpf_object__btf(object);
	int id = btf__find_by_name_kind(btf, OPS_TYPE, BTF_KIND_STRUCT);
	const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(btf, (uint32_t)id);
	struct bpf_map *map, *found = NULL;
	size_t room = 0;
	byte *data;

	bpf_object__for_each_map(map, object) {
		if (bpf_map__type(map) != BPF_MAP_TYPE_STRUCT_OPS)
			continue;
		if (found)
			goto malformed;
		found = map;
	}
	data = found ? bpf_map__initial_value(found, &room) : NULL;
	if (!type || !data || type->size != room)
		goto malformed;
	for (int i = 0; i < btf_vlen(type); i++) {
		const struct btf_member *member = btf_members(type) + i;
		uint32_t offset = member->offset / 8;

		if (strcmp(btf__name_by_offset(btf, member->name_off), "cgroup_id"))
			continue;
		if (offset > room || room - offset < sizeof(cgroup_id))
			goto malformed;
		memcpy(data + offset, &cgroup_id, sizeof(cgroup_id));
		return found;
	}
malformed:
	fail("%s: it does not hold one policy for cache_ext; compile the policy again", path);
	return NULL;
}

struct bpf_object *object_load(const byte *content, size_t size, const struct manifest *manifest, const struct cgroup *cgroup,
			       const char *path, struct bpf_map **ops)
{
	char *log = need(calloc(1, VERIFIER_LOG_SIZE));
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = manifest->policy, .kernel_log_buf = log,
		    .kernel_log_size = VERIFIER_LOG_SIZE);
	struct bpf_object *object;
	uint64_t capacity = cgroup_capacity(cgroup);
	int error;

	libbpf_set_print(listen);
	object = bpf_object__open_mem(content, size, &options);
	if (!object) {
		fail_with_libbpf(path, "libbpf cannot open it", errno);
		goto bad;
	}
	if (!bpf_object__btf(object)) {
		fail("%s: it has no BTF; compile the policy again", path);
		goto bad;
	}
	*ops = set_ops(object, cgroup->id, path);
	if (!*ops || set_params(object, manifest, path) || check_inputs(object, manifest, path))
		goto bad;
	for (int i = 0; i < manifest->n_ghosts; i++)
		if (set_ghost(object, manifest, &manifest->ghosts[i], capacity, path))
			goto bad;

	error = bpf_object__load(object);
	if (error) {
		if (strstr(log, "\nprocessed ") || (*log && (error == -EACCES || error == -EINVAL || error == -E2BIG)))
			explain_refusal(manifest->policy, log);
		else if (!check_kernel()) /* which takes long to find out, so it is asked when it explains something */
			fail_with_libbpf(path, "the kernel did not load it", error);
		goto bad;
	}
	free(log);
	return object;
bad:
	bpf_object__close(object);
	free(log);
	return NULL;
}
