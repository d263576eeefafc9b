/* SPDX-License-Identifier: MIT */
/*
 * Inputs on the host (host.h): what they were filled with, in order; what was filled last decides. Numbers are found by a hash
 * table over the fills, which open addressing keeps at most half full; ranges of pages by looking at one after the other.
 */
#ifndef CPOL_HOST_INPUT_H
#define CPOL_HOST_INPUT_H

/* `last` is `first` for a number, whose `file` is 0. */
struct cpol_fill {
	u64 file, first, last;
	s64 value;
	bool present;
};

struct cpol_input {
	struct cpol_fill *fills;
	u64 used, size;
	u32 *cells; /* number of a fill, plus 1; 0 is empty. NULL: of pages */
	u64 mask;
};

/* The cell of a number: the one that has it, or the empty one where it belongs. */
CPOL_INLINE u64 cpol_input_cell(const struct cpol_input *input, u64 key)
{
	u64 cell = cpol_mix64(key) & input->mask;

	while (input->cells[cell] && input->fills[input->cells[cell] - 1].first != key)
		cell = (cell + 1) & input->mask;
	return cell;
}

CPOL_INLINE const struct cpol_fill *cpol_input_find(const struct cpol_input *input, u64 key)
{
	u32 number = input->cells ? input->cells[cpol_input_cell(input, key)] : 0;

	return number && input->fills[number - 1].present ? &input->fills[number - 1] : NULL;
}

CPOL_INLINE const struct cpol_fill *cpol_input_find_page(const struct cpol_input *input, u64 file, u64 index)
{
	for (u64 number = input->used; number != 0; number--) {
		const struct cpol_fill *fill = &input->fills[number - 1];

		if (fill->file == file && fill->first <= index && index <= fill->last)
			return fill->present ? fill : NULL;
	}
	return NULL;
}

#define CPOL_INPUT_VALUE(found, name) ({ const struct cpol_fill *cpol_fill = (found); cpol_fill ? cpol_fill->value : CPOL_DEFAULT_##name; })
#define CPOL_INPUT_PAGE(c, name, f) cpol_input_find_page(&(c)->inputs[INPUT_##name], cpol_folio_file(c, f), cpol_folio_index(c, f))

#define cpol_input_has(c, name, key) (cpol_input_find(&(c)->inputs[INPUT_##name], key) != NULL)
#define cpol_input_has_page(c, name, f) (CPOL_INPUT_PAGE(c, name, f) != NULL)
#define cpol_input_get(c, name, key) CPOL_INPUT_VALUE(cpol_input_find(&(c)->inputs[INPUT_##name], key), name)
#define cpol_input_get_page(c, name, f) CPOL_INPUT_VALUE(CPOL_INPUT_PAGE(c, name, f), name)

#endif
