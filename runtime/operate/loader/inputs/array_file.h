/* SPDX-License-Identifier: MIT */
#ifndef LOADER_ARRAY_FILE_H
#define LOADER_ARRAY_FILE_H

#include "manifest/manifest.h"

/*
 * Reads a file into entries of the array, all of which it sets; those that the file does not have become 0. `format` is "text", "binary",
 * or NULL: what the file looks like. `count` becomes how many the file has. -1: reported, with `command` in front.
 */
int array_read_file(const struct user_array *array, const char *path, const char *format, byte *entries, uint64_t *count,
		    const char *command);

#endif
