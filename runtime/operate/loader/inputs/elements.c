/* SPDX-License-Identifier: MIT */
#include "inputs/elements.h"

#include <stdlib.h>

void elements_append(struct elements *elements, struct element element)
{
	if (!(elements->n & (elements->n - 1))) /* a power of two: full */
		elements->list = need(realloc(elements->list, (elements->n ? 2 * elements->n : 1) * sizeof(element)));
	elements->list[elements->n++] = element;
}

void elements_free(struct elements *elements)
{
	free(elements->list);
	elements->list = NULL;
	elements->n = 0;
}

bool elements_find(const struct elements *all, const struct element *wanted, int64_t *value)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct element *one = &all->list[i];

		if (one->id == wanted->id && one->first <= wanted->first && one->last >= wanted->first) {
			*value = one->value;
			return true;
		}
	}
	return false;
}

wide input_value(const struct input *input, int64_t raw)
{
	return input->value.low < 0 ? (wide)raw : (wide)(uint64_t)raw;
}
