/* SPDX-License-Identifier: MIT */
/* What generated C needs before its declarations: integer types, limits, and what depends on the layer. */
#ifndef CPOL_TYPES_H
#define CPOL_TYPES_H

#if defined(__bpf__) && __has_include("cpol/bpf_types.h")
#include "cpol/bpf_types.h"
#else
#include <stdbool.h>
#include <stddef.h>
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char s8;
typedef signed short s16;
typedef signed int s32;
typedef signed long long s64;
#endif

#include "cpol/contract.h"

/* Single events come from Python, which takes longer than they do: there, inlining costs the compiler more than it saves. */
#if CPOL_EVENTS
#define CPOL_INLINE static inline __attribute__((unused))
#else
#define CPOL_INLINE static inline __attribute__((always_inline, unused))
#endif

#define CPOL_U64_MAX 0xffffffffffffffffULL
#define CPOL_S64_MAX 0x7fffffffffffffffLL
#define CPOL_S64_MIN (-CPOL_S64_MAX - 1)

/* Prefetches? Evicts? These are the events without a folio. A policy may do either, or both. */
#define CPOL_PREFETCHES (CPOL_HAS_FAULT || CPOL_HAS_PREFETCH || CPOL_HAS_READAHEAD || CPOL_RANGES || CPOL_HAS_SWAP)
#define CPOL_EVICTS CPOL_HAS_EVICT

/* Needs reports of accesses? */
#define CPOL_HAS_ACCESSES (CPOL_HAS_FIRST_ACCESSED || CPOL_HAS_ACCESSED || CPOL_USES_CLOCK || CPOL_USES_UNREAD)

/*
 * Must records tell whether a folio was accessed before? Upstream reports all accesses alike. Our kernel does so only if it is
 * to report the first one at all. The host's own table knows, so there only `f.unread` needs it.
 */
#if !defined(__bpf__)
#define CPOL_HAS_TOUCHED CPOL_USES_UNREAD
#elif defined(CPOL_UPSTREAM)
#define CPOL_HAS_TOUCHED CPOL_HAS_ACCESSES
#else
#define CPOL_HAS_TOUCHED (CPOL_HAS_FIRST_ACCESSED || CPOL_USES_UNREAD)
#endif

#endif
