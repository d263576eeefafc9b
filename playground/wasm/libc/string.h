/* SPDX-License-Identifier: MIT */
/* Both are instructions of WebAssembly. */
#ifndef CPOL_WASM_STRING_H
#define CPOL_WASM_STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t size);
void *memset(void *memory, int byte, size_t size);

#endif
