/* SPDX-License-Identifier: MIT */
/* The primitives that generated C is written in, over the declarations before this line: README.md lists them. */
#ifndef __bpf__
#include "cpol/host.h"
#elif defined(CPOL_UPSTREAM)
#include "cpol/upstream.h"
#else
#include "cpol/bpf.h"
#endif
