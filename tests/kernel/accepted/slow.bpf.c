// SPDX-License-Identifier: GPL-2.0
/* Proposes nothing in every other request (8 calls); proposes enough in the next one. */
#include "../cache_ext.bpf.h"

u64 calls;

FIFO_INIT
FIFO_ADDED
FIFO_EVICT_AFTER(if (__sync_fetch_and_add(&calls, 1) % 9 < 8) return;)
POLICY("slow")
