/* SPDX-License-Identifier: MIT */
/* Inputs that are arrays: in an object before it is loaded, and in its maps (cpol/array.h). */
#ifndef LOADER_ARRAYS_H
#define LOADER_ARRAYS_H

#include <bpf/libbpf.h>

#include "inputs/elements.h"
#include "manifest/manifest.h"
#include "pins/pins.h"

#define ARRAY_PIN_SIZE (NAME_SIZE + sizeof(INPUT_MAP) + sizeof(SYNC_MAP))

/* Whether the map is an array's; then `pin` becomes the name of its pin. */
bool array_pin(const struct bpf_object *object, const struct manifest *manifest, const struct bpf_map *map, char pin[ARRAY_PIN_SIZE]);

/* Makes and pins the maps through which writers of arrays wait for the readers (app/array.c). -1: reported. */
int arrays_stage(const struct bpf_object *object, const struct manifest *manifest, const struct pins *pins);

/* Gives the arrays of an object their sizes, their headers, and what they hold from the start. -1: reported. */
int set_arrays(struct bpf_object *object, struct manifest *manifest, uint64_t capacity, const char *path);

#endif
