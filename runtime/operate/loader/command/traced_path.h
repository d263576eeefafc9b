/* SPDX-License-Identifier: MIT */
#ifndef LOADER_TRACED_PATH_H
#define LOADER_TRACED_PATH_H

#include "cpol/traced.h"
#include "system/util.h"

/* Writes the path whose parts tracing programs told, `bytes` of them, the last part first. Returns its length, without a NUL. */
size_t traced_path(char path[TRACED_PATH + 1], const char *parts, size_t bytes);

#endif
