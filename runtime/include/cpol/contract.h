/* SPDX-License-Identifier: MIT */
/* Made from compiler/contract.toml by scripts/contract.py. Limits. */
#ifndef CPOL_CONTRACT_H
#define CPOL_CONTRACT_H

/* Pages that one call of the evict handler can be asked for. */
#define CPOL_MAX_BATCH 32
/* Calls of the evict handler in one request, before the machine falls back. */
#define CPOL_EVICT_ROUNDS 8
/* Pages that one call of a handler can prefetch. */
#define CPOL_PREFETCH_TARGETS 64
/* Lists in all arrays of lists. */
#define CPOL_MAX_LIST_ARRAY 16384
/* Rounds of a for, and steps of one scan in the kernel. */
#define CPOL_MAX_ROUNDS 65536
/* Elements of a table. */
#define CPOL_MAX_TABLE 16777216ULL
/* Bytes of record that the kernel keeps beside a folio. */
#define CPOL_MAX_RECORD 64
/* Keys of an input in the kernel; prefixes of a page input. */
#define CPOL_INPUT_ENTRIES 65536
/* Pages that one call of a prefetching handler can ask for. */
#define CPOL_MAX_TARGETS 64

#endif
