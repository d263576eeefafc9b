/* SPDX-License-Identifier: MIT */
/* A policy's BPF object: opened, told what it is to be (params, ghosts, cgroup), loaded into the kernel. Nothing is attached here. */
#ifndef LOADER_OBJECT_H
#define LOADER_OBJECT_H

#include <bpf/libbpf.h>

#include "cgroup.h"
#include "manifest.h"

#define LIVE_PARAMS ".data.params"

/*
 * Opens the object with libbpf, sets all that is set before loading, and loads it; `ops` is the map that makes a policy of it.
 * NULL: said why.
 */
struct bpf_object *object_load(const byte *content, size_t size, struct manifest *manifest, const struct cgroup *cgroup,
			       const char *path, struct bpf_map **ops);

/* Stores a raw value of `size` bytes, at once, where it is naturally aligned. */
void store_value(byte *at, wide value, uint32_t size);

#endif
