/* SPDX-License-Identifier: MIT */
/* The number of a device in policies: that of a file system's superblock. cpol_folio_device in bpf_read.h reads the same. */
#ifndef LOADER_DEVICE_ID_H
#define LOADER_DEVICE_ID_H

#include "system/util.h"

#define MAX_MAJOR 0xfff
#define MAX_MINOR 0xfffff

/* Reads MAJOR:MINOR, the path of a mounted block device, or of a file or folder on the file system. -1: reported. */
int device_id(const char *text, uint64_t *id, const char *command);

#endif
