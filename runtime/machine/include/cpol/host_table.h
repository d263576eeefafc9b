/* SPDX-License-Identifier: MIT */
/* Tables on the host (host.h), row by row in memory. runtime/machine/native/attach.h allocates them. */
#ifndef CPOL_HOST_TABLE_H
#define CPOL_HOST_TABLE_H

/* A character may be part of anything in memory; a number of as many bits may not. So the compiler need not read all anew after a store. */
#define CPOL_ELEMENT(type) __typeof__(_Generic((type)0, u8: (unsigned _BitInt(8))0, default: (type)0))

struct cpol_tables {
#define X(name, type, init, constant_rows, constant_columns) \
	struct {                                                     \
		CPOL_ELEMENT(type) *elements;                        \
		u64 rows, columns;                                   \
	} name;
	CPOL_TABLES(X)
#undef X
};

/* The position of an element. Each index saturates at the last of its dimension. */
CPOL_INLINE u64 cpol_table_place(u64 rows, u64 columns, u64 row, u64 column)
{
	row = row < rows ? row : rows - 1;
	column = column < columns ? column : columns - 1;
	return row * columns + column;
}

/* For a table of one dimension `columns` is the constant 1, so the multiplication vanishes. */
#define CPOL_TABLE_SIZE(c, name, what, constant) ((constant) ? (u64)(constant) : (c)->tables.name.what)
#define CPOL_TABLE_ELEMENT(c, name, row, column)                                                             \
	((c)->tables.name.elements[cpol_table_place(CPOL_TABLE_SIZE(c, name, rows, CPOL_ROWS_##name),       \
						    CPOL_TABLE_SIZE(c, name, columns, CPOL_COLUMNS_##name), \
						    row, column)])

#define cpol_table_get(c, name, row, column) CPOL_TABLE_ELEMENT(c, name, row, column)
#define cpol_table_set(c, name, row, column, value) ((void)(CPOL_TABLE_ELEMENT(c, name, row, column) = (value)))
#define cpol_table_rows(c, name) CPOL_TABLE_SIZE(c, name, rows, CPOL_ROWS_##name)

#endif
