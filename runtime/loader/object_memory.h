/* SPDX-License-Identifier: MIT */
/* What the loader gives an object before it is loaded: memory of the sizes that params and the capacity make. */
#ifndef LOADER_OBJECT_MEMORY_H
#define LOADER_OBJECT_MEMORY_H

#include <bpf/libbpf.h>

#include "manifest.h"

/* The initial contents of a variable of a data section that is at least `size` bytes large; NULL: it is not there. */
byte *variable_in(struct bpf_object *object, const char *section, const char *name, uint32_t size);

/* Gives ghosts, tables and an array of lists their sizes. -1: said why. */
int set_memory(struct bpf_object *object, struct manifest *manifest, uint64_t capacity, const char *path);

#endif
