/* SPDX-License-Identifier: MIT */
/*
 * The id of a file in policies: a mix of device, inode number and generation of the inode that has the page cache
 * (docs/semantics.md, Identity). cpol_folio_file in bpf_read.h computes the same in the kernel.
 */
#ifndef LOADER_FILE_ID_H
#define LOADER_FILE_ID_H

#include "system/util.h"

/* The kernel's own form of a device number. */
#define KERNEL_DEVICE(major, minor) ((uint64_t)(major) << 20 | (minor))

struct file_handle;

/* The generation of an inode, from its handle. false: the handle tells none, or is of another inode. */
bool generation_of(const struct file_handle *handle, uint64_t inode, uint32_t *generation);

/* The device of a mount's superblock. -1: the mount is not found. */
int mount_device(uint64_t mount, uint64_t *device);

/* What a file is to the kernel, and its id. */
struct file_identity {
	uint64_t device; /* of the superblock, in the kernel's form */
	uint64_t inode, id;
};

/* The id of the regular file `path`, whose last component is no symbolic link. -1: reported. */
int file_identity(const char *path, struct file_identity *found);

/* Only the id of that file. */
int file_id(const char *path, uint64_t *id);

/*
 * The ids of a regular file, or of all regular files under a folder; the caller frees them. It follows no symbolic link and enters
 * no other mount. -1: reported; more than `most` files are an error.
 */
int file_ids(const char *path, size_t most, uint64_t **ids, size_t *n);

#endif
