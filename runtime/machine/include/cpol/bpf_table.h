/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables in BPF. Each has a section of its own, and so an array map with one value, which programs address directly. If the size of a
 * table is known, the object has all its elements. Otherwise it has one, and the loader sets the rows, the columns and the map's size.
 * Memory is zero at first, so an element is stored as its difference (xor) from the initial value.
 *
 * Reads and writes are global functions, which the verifier checks once. If they were inlined, the tests of each index would double the
 * verifier's paths, and a sketch reads four elements in one expression. Their arguments are opaque. Otherwise the compiler would leave
 * those that a table does not use undefined at the calls, which the verifier refuses.
 */
#ifndef CPOL_BPF_TABLE_H
#define CPOL_BPF_TABLE_H

#define CPOL_BPF_TABLE(NAME, TYPE, INIT, ROWS, COLUMNS)                                                                        \
	__hidden const volatile u64 cpol_table_rows__##NAME SEC(".rodata") = ROWS;                                             \
	__hidden const volatile u64 cpol_table_columns__##NAME SEC(".rodata") = COLUMNS;                                       \
	__hidden TYPE cpol_table__##NAME[(ROWS) && (COLUMNS) ? (ROWS) * (COLUMNS) : 1] SEC(".bss.table_" #NAME);               \
	CPOL_PRIMITIVE u64 cpol_table_rows_of__##NAME(void)                                                                    \
	{                                                                                                                      \
		return (ROWS) && (COLUMNS) ? (u64)(ROWS) : cpol_table_rows__##NAME;                                            \
	}                                                                                                                      \
	/* Each index saturates at the last of its dimension. Never NULL; the test is for the verifier. */                     \
	CPOL_PRIMITIVE TYPE *cpol_table_element__##NAME(u64 row, u64 column)                                                   \
	{                                                                                                                      \
		u64 rows = cpol_table_rows_of__##NAME();                                                                       \
		u64 columns = (ROWS) && (COLUMNS) ? (u64)(COLUMNS) : cpol_table_columns__##NAME, at;                           \
		TYPE *elements = cpol_table__##NAME;                                                                           \
                                                                                                                               \
		row = row < rows ? row : rows - 1;                                                                             \
		column = column < columns ? column : columns - 1;                                                              \
		at = row * columns + column;                                                                                   \
		CPOL_OPAQUE(at);                                                                                               \
		CPOL_OPAQUE(elements);                                                                                         \
		if (at >= rows * columns)                                                                                      \
			return NULL;                                                                                           \
		CPOL_OPAQUE(at);                                                                                               \
		return elements + at;                                                                                          \
	}                                                                                                                      \
	__noinline u64 cpol_table_get__##NAME(u64 row, u64 column)                                                             \
	{                                                                                                                      \
		TYPE *element;                                                                                                 \
                                                                                                                               \
		CPOL_OPAQUE(row);                                                                                              \
		CPOL_OPAQUE(column);                                                                                           \
		element = cpol_table_element__##NAME(row, column);                                                             \
		return (u64)(element ? (TYPE)(*element ^ (TYPE)(INIT)) : (TYPE)(INIT));                                        \
	}                                                                                                                      \
	__noinline int cpol_table_set__##NAME(u64 row, u64 column, u64 value)                                                  \
	{                                                                                                                      \
		TYPE *element;                                                                                                 \
                                                                                                                               \
		CPOL_OPAQUE(row);                                                                                              \
		CPOL_OPAQUE(column);                                                                                           \
		element = cpol_table_element__##NAME(row, column);                                                             \
		if (element)                                                                                                   \
			*element = (TYPE)((TYPE)value ^ (TYPE)(INIT));                                                         \
		return 0;                                                                                                      \
	}                                                                                                                      \
	typedef TYPE cpol_element__##NAME;
CPOL_TABLES(CPOL_BPF_TABLE)

#define cpol_table_get(c, NAME, row, column) ((cpol_element__##NAME)cpol_table_get__##NAME(row, column))
#define cpol_table_set(c, NAME, row, column, value) ((void)cpol_table_set__##NAME(row, column, (u64)(value)))
#define cpol_table_rows(c, NAME) cpol_table_rows_of__##NAME()

#endif
