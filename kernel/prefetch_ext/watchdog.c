// SPDX-License-Identifier: GPL-2.0
/*
 * Policies that waste. What counts are outcomes: a prefetched page is used, or it
 * leaves the cache unused. After each PREFETCH_EXT_WINDOW outcomes, a share of
 * waste above the policy's waste_percent is an offence; PREFETCH_EXT_OFFENCES in a
 * row stop the policy, and the kernel's own readahead takes over. Pages that still
 * are in the cache are neither: while there is memory for them they cost no more
 * than what it took to read them.
 */
#include "prefetch_ext.h"

static void stop(struct prefetch_ext_policy *p, u32 share)
{
	char message[POLICY_EXT_EXIT_MESSAGE];

	snprintf(message, sizeof(message),
		 "wastes %u %% of what it prefetches, and %u %% is too much",
		 share, p->watchdog.percent);
	policy_ext_exit(&p->life, POLICY_EXT_EXIT_WATCHDOG, share, message);
}

/* A page that @p prefetched is used, or wasted. Interrupts are off. */
void prefetch_ext_judge(struct prefetch_ext_policy *p, bool wasted)
{
	struct prefetch_ext_watchdog *w = &p->watchdog;
	bool too_much = false;
	u32 share = 0;

	spin_lock(&w->lock);
	w->judged++;
	w->wasted += wasted;
	if (w->judged == PREFETCH_EXT_WINDOW) {
		share = DIV_ROUND_UP(w->wasted * 100, w->judged);
		too_much = w->wasted * 100 > w->percent * w->judged;
		w->row = too_much ? w->row + 1 : 0;
		w->judged = w->wasted = 0;
		if (too_much)
			pes_inc(p, PES_OFFENCES);
		too_much = too_much && w->row == PREFETCH_EXT_OFFENCES;
	}
	spin_unlock(&w->lock);
	if (too_much)
		stop(p, share);
}
