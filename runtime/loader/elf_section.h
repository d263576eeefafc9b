/* SPDX-License-Identifier: MIT */
#ifndef LOADER_ELF_SECTION_H
#define LOADER_ELF_SECTION_H

#include "util.h"

/*
 * Finds a section of a BPF object by name. NULL: not an ELF file of 64-bit BPF for this machine's byte order, malformed,
 * or without that section; `why` then says which.
 */
const byte *elf_section(const byte *object, size_t size, const char *name, size_t *section_size, const char **why);

#endif
