/* SPDX-License-Identifier: MIT */
/* What an object must be before the loader changes or loads it: one policy, whose maps are its own. */
#include "object/object_check.h"

#include <bpf/btf.h>
#include <string.h>

#include "pins/pins.h"

#define LINK_SECTION ".struct_ops.link"

static const char *const ops_types[POLICY_KINDS] = { [EVICTS] = "cache_ext_ops", [PREFETCHES] = "prefetch_ext_ops" };

/* The type of the variable `name` in LINK_SECTION; NULL: there is no such variable. */
static const struct btf_type *type_of(const struct btf *btf, const char *name)
{
	int id = btf__find_by_name_kind(btf, LINK_SECTION, BTF_KIND_DATASEC);
	const struct btf_type *section = id < 0 ? NULL : btf__type_by_id(btf, (uint32_t)id);

	for (int i = 0; section && i < btf_vlen(section); i++) {
		const struct btf_var_secinfo *variable = btf_var_secinfos(section) + i;
		const struct btf_type *declared = btf__type_by_id(btf, variable->type);
		const char *called = declared ? btf__name_by_offset(btf, declared->name_off) : NULL;

		if (called && !strcmp(called, name)) {
			id = btf__resolve_type(btf, variable->type);
			return id < 0 ? NULL : btf__type_by_id(btf, (uint32_t)id);
		}
	}
	return NULL;
}

/*
 * The kind of policy that a map is; -1: reported. The map's own type counts: the object may hold other types of any name and size. libbpf
 * looks the type up in the kernel's BTF and its modules' by this name, so a map of another type would register something else than a
 * policy.
 */
static int kind_of(const struct btf *btf, const struct bpf_map *map, const struct btf_type **type, const char *path)
{
	const char *name;

	*type = type_of(btf, bpf_map__name(map));
	if (!*type)
		return fail("%s: its struct_ops map %s is not in the section " LINK_SECTION ", so it cannot be attached by a link; compile "
			    "the policy again", path, bpf_map__name(map));
	name = btf__name_by_offset(btf, (*type)->name_off);
	for (int kind = 0; kind < POLICY_KINDS; kind++)
		if (btf_is_struct(*type) && name && !strcmp(name, ops_types[kind]))
			return kind;
	return fail("%s: its struct_ops map %s is of the type %s, but a policy is of the type %s or %s, and the loader attaches nothing else; "
		    "compile a policy with cpolc", path, bpf_map__name(map), name && *name ? name : "(without a name)",
		    ops_types[EVICTS], ops_types[PREFETCHES]);
}

int check_ops(const struct bpf_object *object, struct policy_ops *ops, const char *path)
{
	const struct btf *btf = bpf_object__btf(object);
	struct bpf_map *map;

	*ops = (struct policy_ops){};
	bpf_object__for_each_map(map, object) {
		const struct btf_type *type;
		int kind;

		if (bpf_map__type(map) != BPF_MAP_TYPE_STRUCT_OPS)
			continue;
		kind = kind_of(btf, map, &type, path);
		if (kind < 0)
			return -1;
		if (ops->map[kind])
			return fail("%s: it holds two struct_ops maps of the type %s, %s and %s, but a policy is one; compile the policy again",
				    path, ops_types[kind], bpf_map__name(ops->map[kind]), bpf_map__name(map));
		ops->map[kind] = map;
		ops->type[kind] = type;
	}
	if (!ops->map[EVICTS] && !ops->map[PREFETCHES])
		return fail("%s: it holds no struct_ops map, so there is no policy to attach; compile the policy again", path);
	return 0;
}

int check_maps(const struct bpf_object *object, const char *path)
{
	const struct bpf_map *map;

	bpf_object__for_each_map(map, object) {
		const char *name = bpf_map__name(map), *pin = bpf_map__pin_path(map);

		/* libbpf would use what is pinned there, and pin what is not. */
		if (pin)
			return fail("%s: its map %s asks to be pinned as %s, so the policy would share the map with whoever pinned or "
				    "opens that; remove the attribute `pinning` from the map and compile again: the loader pins a "
				    "policy's maps itself, each policy's in a folder of its own", path, name, pin);
		if (!strcmp(name, LINK_PIN) || !strcmp(name, PREFETCH_LINK_PIN) || !strcmp(name, MANIFEST_PIN))
			return fail("%s: it has a map %s, but the loader pins something else by this name; rename the map and compile "
				    "again", path, name);
	}
	return 0;
}
