/* SPDX-License-Identifier: MIT */
#ifndef LOADER_STAT_LISTS_H
#define LOADER_STAT_LISTS_H

#include "manifest/manifest.h"

/* Writes the sizes of lists as a line of `stat`, each behind its name if the manifest has it. Changes `sizes`. */
void stat_lists(const struct manifest *manifest, char *sizes);

#endif
