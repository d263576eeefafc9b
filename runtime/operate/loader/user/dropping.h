/* SPDX-License-Identifier: MIT */
/* Drops folios from the page cache, by posix_fadvise() on runs of adjacent pages. */
#ifndef LOADER_DROPPING_H
#define LOADER_DROPPING_H

#include "user/executor.h"
#include "user/known_files.h"

/*
 * Asks the kernel to drop them, but for those that wait, and marks those whose file cannot be opened any more. The kernel keeps what is mapped, dirty or in use; it does not say
 * what. Returns the calls of posix_fadvise().
 */
uint64_t drop_folios(struct known_files *files, struct user_folio *folios, size_t n);

#endif
