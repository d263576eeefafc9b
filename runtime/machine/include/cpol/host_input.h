/* SPDX-License-Identifier: MIT */
/*
 * Inputs on the host (host.h): a sequence of fills. The last fill that matches counts. A hash table with open addressing, at most
 * half full, finds numbers. Ranges of pages are searched one after the other.
 */
#ifndef CPOL_HOST_INPUT_H
#define CPOL_HOST_INPUT_H

/* For a number, `last` is `first` and `file` is 0. */
struct cpol_fill {
	u64 file, first, last;
	s64 value;
	bool present;
};

struct cpol_input {
	struct cpol_fill *fills;
	u64 used, size;
	u32 *cells; /* number of a fill, plus 1; 0: empty. NULL: the keys are pages */
	u64 mask;
};

/* The cell that has the number, or else the empty cell for it. */
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
