/* SPDX-License-Identifier: MIT */
#ifndef LOADER_VERSION_H
#define LOADER_VERSION_H

#define LOADED_VERSION "/sys/module/cache_ext/version" /* not there: cache_ext is a part of the kernel */

/* Tells if the module that is loaded, whose version is in the file, is of another X.Y.Z than this program. */
void note_version(const char *file);

#endif
