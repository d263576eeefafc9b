/* SPDX-License-Identifier: MIT */
/* All that libcpol needs: open the policy of this cgroup, open its arrays, write a version of each and publish it. */
#include "graph.h"

#include <string.h>

#include <libcpol.h>

static void publish(const struct cpol *policy, const char *name, const uint32_t *values, uint32_t number)
{
	struct cpol_array_info info;
	struct cpol_array *array;
	void *entries;

	if (cpol_array_open(policy, name, &array))
		die("the policy is not told", cpol_error());
	cpol_array_info(array, &info);
	if (info.width != sizeof(*values) || info.type != CPOL_UNSIGNED || info.size < number)
		die("the policy is not told", "its array is too small, or of another type");
	if (cpol_array_begin(array, CPOL_ZERO, &entries))
		die("the policy is not told", cpol_error());
	memcpy(entries, values, number * sizeof(*values));
	if (cpol_array_publish(array))
		die("the policy is not told", cpol_error());
	cpol_array_close(array);
}

void tell(const uint32_t *degrees, uint32_t pages, uint32_t hub)
{
	struct cpol *policy;

	if (cpol_open(&policy, NULL))
		die("the policy is not told", cpol_error());
	publish(policy, "degree", degrees, pages);
	publish(policy, "hub", &hub, 1);
	cpol_close(policy);
}
