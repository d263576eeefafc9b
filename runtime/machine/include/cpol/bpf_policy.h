/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of BPF that is the same for both kernel interfaces: forms of functions and handlers, params, states, loops over numbers,
 * ghosts, tables, inputs. bpf.h (cpol's kernels) and upstream.h include it first, and add the primitives that call the kernel.
 */
#ifndef CPOL_BPF_POLICY_H
#define CPOL_BPF_POLICY_H

#include "cpol/bpf_ghost.h"
#include "cpol/bpf_kernel.h"
#include "cpol/math.h"

#pragma clang attribute pop /* of bpf_types.h */

#include "cpol/bpf_arith.h"

/*
 * An inlined function without debug information takes the line of its caller. So the verifier's log annotates every instruction of a
 * statement with the line of that statement in the policy.
 */
#define CPOL_PRIMITIVE static inline __attribute__((always_inline, unused, nodebug))

/* Functions that read the kernel's structs: CO-RE relocates them, which needs debug information. */
#define CPOL_RELOCATED static inline __attribute__((always_inline, unused))

typedef struct cpol_bpf cpol_ctx; /* a handler's context, on the program's stack */
typedef struct folio *cpol_folio;

#define CPOL_HANDLER(name, ...) static __always_inline void cpol_on_##name(__VA_ARGS__)
#define CPOL_HANDLER_INIT(c) CPOL_HANDLER(init, cpol_ctx *c)
#define CPOL_HANDLER_MISSED(c, f) CPOL_HANDLER(missed, cpol_ctx *c, cpol_folio f)
#define CPOL_HANDLER_ADMIT(c, f) CPOL_HANDLER(admit, cpol_ctx *c, cpol_folio f)
#define CPOL_HANDLER_ADDED(c, f) CPOL_HANDLER(added, cpol_ctx *c, cpol_folio f)
#define CPOL_HANDLER_FIRST_ACCESSED(c, f) CPOL_HANDLER(first_accessed, cpol_ctx *c, cpol_folio f)
#define CPOL_HANDLER_ACCESSED(c, f) CPOL_HANDLER(accessed, cpol_ctx *c, cpol_folio f)
#define CPOL_HANDLER_REMOVED(c, f, why) CPOL_HANDLER(removed, cpol_ctx *c, cpol_folio f, u32 why)
#define CPOL_HANDLER_EVICT(c) CPOL_HANDLER(evict, cpol_ctx *c)
#define CPOL_HANDLER_ASKED(name, c) CPOL_HANDLER(name, cpol_ctx *c)
#define CPOL_HANDLER_EVERY(number, c) \
	static __always_inline void cpol_every_##number(cpol_ctx *c, u64 cpol_periods __attribute__((unused)))

/*
 * libbpf makes a map that user space can mmap of each section with a variable that is not hidden. Such a map takes whole pages, for its
 * head and for its value. Only live params need that, so all other variables are hidden.
 */
#if CPOL_USES_LIVE
volatile struct cpol_param_values cpol_params SEC(".data.params") = CPOL_PARAM_DEFAULTS; /* user space stores new values */
#elif CPOL_N_PARAMS
__hidden const volatile struct cpol_param_values cpol_params = CPOL_PARAM_DEFAULTS; /* in .rodata; the loader writes it */
#endif

#if CPOL_N_STATES
__hidden struct cpol_state_values cpol_state = CPOL_STATE_INIT;
#endif

#include "cpol/bpf_loop.h"
#if CPOL_N_GHOSTS
#include "cpol/bpf_ghost_define.h"
#endif
#if CPOL_N_TABLES
#include "cpol/bpf_table.h"
#endif
#if CPOL_N_INPUTS
#include "cpol/bpf_input.h"
#endif
#if CPOL_N_ARRAYS
#include "cpol/bpf_array.h"
#endif

#endif
