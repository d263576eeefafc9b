/* SPDX-License-Identifier: MIT */
/* Sizes the maps of an object before it is loaded, by its params and by the capacity. */
#ifndef LOADER_OBJECT_MEMORY_H
#define LOADER_OBJECT_MEMORY_H

#include <bpf/libbpf.h>

#include "manifest/manifest.h"

/* The initial content of a variable of at least `size` bytes in a data section; NULL: it is not there. */
byte *variable_in(struct bpf_object *object, const char *section, const char *name, uint32_t size);

#define TABLES ".bss.table_" /* sections of tables */

/* The map of a table; `prefix` becomes what stands before the name in C. NULL: there is none. */
struct bpf_map *table_map(const struct bpf_object *object, const char *name);

/* Gives ghosts, tables and an array of lists their sizes, and finds the states. -1: reported. */
int set_memory(struct bpf_object *object, struct manifest *manifest, uint64_t capacity, const char *path);

#endif
