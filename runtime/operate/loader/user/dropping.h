/* SPDX-License-Identifier: MIT */
/* Drops folios from the page cache, by posix_fadvise() on runs of adjacent pages. */
#ifndef LOADER_DROPPING_H
#define LOADER_DROPPING_H

#include "user/executor.h"
#include "user/known_files.h"

/* Sorts the folios by file and index. */
void sort_folios(struct user_folio *folios, size_t n);

/* How many folios from the first on are one run of the file's pages; they are sorted. */
size_t run_length(const struct user_folio *folios, size_t n);

/*
 * Asks the kernel to drop them, and marks those whose file cannot be opened. The kernel keeps what is mapped, dirty or in use; it does not say
 * what. Returns the calls of posix_fadvise().
 */
uint64_t drop_folios(struct known_files *files, struct user_folio *folios, size_t n);

#endif
