/* SPDX-License-Identifier: MIT */
/* The lines of a manifest about states, and what states and tables have in common. */
#include <stdlib.h>
#include <string.h>

#include "manifest/manifest_line.h"

int stored_parse(struct param *stored, const char *name, char *type, const char *kind, const struct place *at)
{
	memset(stored, 0, sizeof(*stored));
	if (!is_name(name))
		return complain(at, "a %s's name is not an identifier", kind);
	strcpy(stored->name, name);
	if (!parse_type(stored, type, &stored->low, &stored->high))
		return complain(at, "the type of %s %s is unknown", kind, name);
	for (stored->size = 1; stored->size < 8 && stored->high >= (wide)1 << (stored->size * 8 - (stored->low < 0));)
		stored->size *= 2;
	return 0;
}

/* state NAME TYPE OFFSET SIZE */
int manifest_state_line(struct manifest *manifest, char **words, int n, const struct place *at)
{
	struct param *state;
	uint32_t offset, size;

	if (n != 5)
		return complain(at, "a state has 4 items");
	for (int i = 0; i < manifest->n_states; i++)
		if (!strcmp(manifest->states[i].name, words[1]))
			return complain(at, "state %s appears twice", words[1]);
	manifest->states = need(realloc(manifest->states, ((size_t)manifest->n_states + 1) * sizeof(*state)));
	state = &manifest->states[manifest->n_states];
	if (stored_parse(state, words[1], words[2], "state", at))
		return -1;
	if (!parse_u32(words[3], &offset) || !parse_u32(words[4], &size) || size != state->size || offset > MAX_MANIFEST)
		return complain(at, "state %s: bad offset or size", state->name);
	state->offset = offset;
	manifest->n_states++;
	return 0;
}

/* states data|bss OFFSET, of an attached policy */
int manifest_states_line(struct manifest *manifest, char **words, int n, const struct place *at)
{
	if (n != 3 || (strcmp(words[1], "data") && strcmp(words[1], "bss")) || !parse_u32(words[2], &manifest->states_offset))
		return complain(at, "after `states` come data or bss, and an offset");
	manifest->states_in_data = *words[1] == 'd';
	return 0;
}
