// SPDX-License-Identifier: GPL-2.0
/* FIFO, the smallest policy. */
#include "../cache_ext.bpf.h"

FIFO_INIT
FIFO_ADDED
FIFO_EVICT
POLICY("fifo")
