/* SPDX-License-Identifier: MIT */
/*
 * What policies call a file: a mix of the device, inode number and generation of the inode whose page cache it is
 * (docs/semantics.md, Identity; cpol_folio_file in bpf.h computes the same in the kernel).
 */
#ifndef LOADER_FILE_ID_H
#define LOADER_FILE_ID_H

#include "util.h"

/* The id of the regular file `path`, whose last component is no symbolic link. -1: said why. */
int file_id(const char *path, uint64_t *id);

/*
 * The ids of a regular file, or of all regular files under a folder: no symbolic link is followed, no other mount entered. To be
 * freed. -1: said why; more than `most` files are an error.
 */
int file_ids(const char *path, size_t most, uint64_t **ids, size_t *n);

#endif
