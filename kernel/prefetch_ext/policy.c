// SPDX-License-Identifier: GPL-2.0
/*
 * The policies that have a link, and the lock of their list.
 * How one comes and goes is told in ops.c.
 */
#include "prefetch_ext.h"

/* Attach, detach, the list of policies; see prefetch_ext.h for the order. */
DEFINE_MUTEX(prefetch_ext_mutex);
/* Policies that have a link. Under prefetch_ext_mutex. */
LIST_HEAD(prefetch_ext_policies);
