/* SPDX-License-Identifier: MIT */
#include "system/kind.h"

const char *kind_word(enum policy_kind kind)
{
	return kind == EVICTS ? "evict" : "prefetch";
}
