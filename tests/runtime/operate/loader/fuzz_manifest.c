/* SPDX-License-Identifier: MIT */
/* For libFuzzer: a manifest that the loader accepts can be read again once it is pinned, and means the same. */
#include <stdlib.h>
#include <string.h>

#include "manifest/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Computes all formulas, as the loader does before it pins. */
static void attach(struct manifest *manifest, uint64_t capacity)
{
	for (int i = 0; i < manifest->n_ghosts; i++)
		manifest->ghosts[i].entries = formula_value(manifest, &manifest->ghosts[i].capacity, capacity);
	for (int i = 0; i < manifest->n_tables; i++)
		for (int n = 0; n < manifest->tables[i].n_sizes; n++)
			manifest->tables[i].count[n] = formula_value(manifest, &manifest->tables[i].sizes[n], capacity);
	for (int i = 0; i < manifest->n_list_arrays; i++)
		manifest->list_counts[i] = (uint32_t)(formula_value(manifest, &manifest->list_lengths[i], capacity) % MAX_LIST_ARRAY);
}

static void check(const struct manifest *manifest)
{
	struct manifest again;
	size_t length, same;
	char *text = manifest_text(manifest, &length), *second;

	if (!text) /* too long: the loader does not attach it */
		return;
	if (manifest_parse(&again, (const byte *)text, length, "pinned"))
		abort();
	second = manifest_text(&again, &same);
	if (same != length || memcmp(text, second, length) || again.n_params != manifest->n_params ||
	    memcmp(again.params, manifest->params, (size_t)again.n_params * sizeof(*again.params)))
		abort();
	manifest_free(&again);
	free(second);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t capacities[] = { 0, 100000, UINT64_MAX };

	for (size_t i = 0; i < sizeof(capacities) / sizeof(*capacities); i++) {
		struct manifest manifest;

		if (manifest_parse(&manifest, data, size, "object"))
			return 0;
		attach(&manifest, capacities[i]);
		check(&manifest);
		manifest_free(&manifest);
	}
	return 0;
}
