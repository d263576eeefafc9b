/* SPDX-License-Identifier: MIT */
/* What calls the handlers before this line: the struct_ops programs, or the simulator's driver. */
#ifndef __bpf__
#include "driver.h" /* runtime/native */
#elif defined(CPOL_UPSTREAM)
#include "cpol/upstream_entry.h"
#else
#include "cpol/bpf_entry.h"
#endif
