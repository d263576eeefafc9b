/* SPDX-License-Identifier: MIT */
/* What calls the handlers before this line: the struct_ops programs, or the simulator's driver. */
#ifdef __bpf__
#include "cpol/bpf_entry.h"
#else
#include "driver.h" /* runtime/native */
#endif
