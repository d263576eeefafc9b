/* SPDX-License-Identifier: MIT */
/* Includes the callers of the handlers above: the struct_ops programs, or the simulator's driver. */
#ifndef __bpf__
#include "driver.h" /* runtime/machine/native */
#elif defined(CPOL_UPSTREAM)
#include "cpol/upstream_entry.h"
#else
#if CPOL_EVICTS
#include "cpol/bpf_entry.h"
#endif
#if CPOL_PREFETCHES
#include "cpol/bpf_prefetch_entry.h"
#endif
#endif
