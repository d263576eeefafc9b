// SPDX-License-Identifier: GPL-2.0
/* First in, first out: the least policy. */
#include "../cache_ext.bpf.h"

FIFO_INIT
FIFO_ADDED
FIFO_EVICT
POLICY("fifo")
