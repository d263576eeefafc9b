/* SPDX-License-Identifier: MIT */
/* A policy's BPF object: opened, configured (params, ghosts, cgroup) and loaded into the kernel. Nothing is attached here. */
#ifndef LOADER_OBJECT_H
#define LOADER_OBJECT_H

#include <bpf/libbpf.h>

#include "manifest/manifest.h"
#include "system/cgroup.h"
#include "system/kind.h"

#define LIVE_PARAMS ".data.params"

/*
 * Opens the object with libbpf, configures it, and loads it. `ops` becomes its struct_ops maps, whose links attach the policy. NULL:
 * reported.
 */
struct bpf_object *object_load(const byte *content, size_t size, struct manifest *manifest, const struct cgroup *cgroup,
			       const char *path, struct bpf_map *ops[POLICY_KINDS]);

/* Stores a raw value of `size` bytes with one instruction; `at` must be naturally aligned. */
void store_value(byte *at, wide value, uint32_t size);

#endif
