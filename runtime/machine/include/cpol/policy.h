/* SPDX-License-Identifier: MIT */
/* Includes the primitives of generated C (README.md lists them). They use the declarations above. */
#ifndef __bpf__
#include "cpol/host.h"
#elif defined(CPOL_UPSTREAM)
#include "cpol/upstream.h"
#else
#include "cpol/bpf.h"
#endif
