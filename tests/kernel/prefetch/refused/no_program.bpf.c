// SPDX-License-Identifier: GPL-2.0
/* A policy without any of the three programs. */
#include "../prefetch.bpf.h"

PREFETCHER("no_program", .waste_percent = 1)
