/* SPDX-License-Identifier: MIT */
/* Checks of an opened object, which may be hostile. */
#ifndef LOADER_OBJECT_CHECK_H
#define LOADER_OBJECT_CHECK_H

#include <bpf/btf.h>
#include <bpf/libbpf.h>

/* The only struct_ops map, which is a policy's and can be attached by a link; `type` becomes its type. NULL: reported. */
struct bpf_map *check_ops(const struct bpf_object *object, const struct btf_type **type, const char *path);

/* Refuses maps that ask for a pin of their own, or whose name the loader's own pins have. -1: reported. */
int check_maps(const struct bpf_object *object, const char *path);

#endif
