/* SPDX-License-Identifier: MIT */
/* The primitives that generated C is written in, over the declarations before this line: README.md lists them. */
#ifdef __bpf__
#include "cpol/bpf.h"
#else
#include "cpol/host.h"
#endif
