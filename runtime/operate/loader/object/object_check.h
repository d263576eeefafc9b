/* SPDX-License-Identifier: MIT */
/* Checks of an opened object, which may be hostile. */
#ifndef LOADER_OBJECT_CHECK_H
#define LOADER_OBJECT_CHECK_H

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "system/kind.h"

/* The struct_ops maps of a policy, and their types: one for each kind of thing that it does, else NULL. */
struct policy_ops {
	struct bpf_map *map[POLICY_KINDS];
	const struct btf_type *type[POLICY_KINDS];
};

/* Finds all struct_ops maps: each is a policy's, can be attached by a link, and is the only one of its kind. -1: reported. */
int check_ops(const struct bpf_object *object, struct policy_ops *ops, const char *path);

/* Refuses maps that ask for a pin of their own, or whose name the loader's own pins have. -1: reported. */
int check_maps(const struct bpf_object *object, const char *path);

#endif
