/* SPDX-License-Identifier: MIT */
/* All that libcpol needs: open the policy of this cgroup and two arrays once; for each step, write a version of both and publish it. */
#include "query.h"

#include <stdlib.h>

#include <libcpol.h>

struct teller {
	struct cpol_array *next, *later;
	uint32_t pages;
};

static struct cpol_array *open_array(const struct cpol *policy, const char *name, uint32_t pages)
{
	struct cpol_array_info info;
	struct cpol_array *array;

	if (cpol_array_open(policy, name, &array))
		die("the policy is not told", cpol_error());
	cpol_array_info(array, &info);
	if (info.width != sizeof(uint32_t) || info.type != CPOL_UNSIGNED || info.size < pages)
		die("the policy is not told", "its array is too small, or of another type");
	return array;
}

struct teller *teller_open(uint32_t pages)
{
	struct teller *teller = calloc(1, sizeof(*teller));
	struct cpol *policy;

	if (!teller)
		die("the policy is not told", "out of memory");
	if (cpol_open(&policy, NULL))
		die("the policy is not told", cpol_error());
	teller->next = open_array(policy, "next", pages);
	teller->later = open_array(policy, "later", pages);
	teller->pages = pages;
	cpol_close(policy);
	return teller;
}

void teller_tell(struct teller *teller, const struct plan *plan, uint32_t at)
{
	void *next, *later;

	if (cpol_array_begin(teller->next, CPOL_ZERO, &next) || cpol_array_begin(teller->later, CPOL_ZERO, &later))
		die("the policy is not told", cpol_error());
	plan_announce(plan, at, teller->pages, next, later);
	if (cpol_array_publish(teller->next) || cpol_array_publish(teller->later))
		die("the policy is not told", cpol_error());
}

void teller_close(struct teller *teller)
{
	if (!teller)
		return;
	cpol_array_close(teller->next);
	cpol_array_close(teller->later);
	free(teller);
}
