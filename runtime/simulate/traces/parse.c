/* SPDX-License-Identifier: MIT */
/*
 * Converts traces to ids in one pass. Traces come in pieces, as they are read or decompressed. A part of a record or line at the end of
 * a piece is carried into the next one. parser.py builds and calls this, and has the messages for the errors.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpol/types.h"
#include "belady.h"
#include "numbers.h"
#include "fields.h"
#include "records.h"
#include "requests.h"
#include "sample.h"
#include "stack.h"

EXPORT struct parser *parser_new(u32 format, u32 cut, u32 details, u32 sized, u64 request_limit, u64 limit);
EXPORT void parser_free(struct parser *parser);
EXPORT int parser_feed(struct parser *parser, const char *data, u64 length);
EXPORT int parser_read(struct parser *parser, struct numbers *known, int file, u32 *numbers, u64 room, u64 *count, s64 *objects);
EXPORT int parser_finish(struct parser *parser);
EXPORT void parser_take(struct parser *parser);
EXPORT void parser_columns(struct parser *parser, const s32 *columns, u64 time_unit, u32 heading, u32 separator, u32 file_width);
EXPORT u64 parser_back(const struct parser *parser, u64 *where, u64 *ms);
EXPORT void parser_details(const struct parser *parser, const u64 **times, const u64 **tasks, const u64 **processes);
EXPORT u64 parser_names(const struct parser *parser, const u64 **files, const u64 **indices);
EXPORT u64 parser_comms(const struct parser *parser, const u64 **comms, const u64 **firsts, const u64 **seconds);
EXPORT const u64 *parser_writes(const struct parser *parser);
EXPORT const u64 *parser_sizes(const struct parser *parser);
EXPORT u64 parser_state(const struct parser *parser, const u64 **ids, u64 *where, u64 *skipped, u64 *found);

static int parse_columns(struct parser *parser, struct field line)
{
	struct field columns[MAX_COLUMNS];
	u64 count = split(line, ',', columns), size = 0, value_size = 0;
	bool twitter = parser->format == TWITTER;

	parser->found = count;
	if (twitter ? count != 7 : count < 3 || count > 4)
		return BAD_COLUMNS;
	if (!is_time(columns[0]))
		return parser->where == 1 && !looks_like_number(columns[0]) ? FINE : BAD_TIME; /* a heading */
	if (columns[1].length == 0)
		return NO_KEY;
	parser->found = is_number(columns[2], &size) ? 3 : 2;
	if (parser->found == 2 || (twitter && !is_number(columns[3], &value_size)))
		return BAD_SIZE;
	if (twitter && is_word(columns[5], "delete\0")) {
		parser->skipped++;
		return FINE;
	}
	if (twitter && !is_word(columns[5], "get\0gets\0set\0add\0replace\0cas\0append\0prepend\0incr\0decr\0"))
		return BAD_OPERATION;
	at_time(parser, time_in_ms(columns[0]), parser->where);
	if (twitter)
		parser->task = key_id(columns[4]);
	if (__builtin_add_overflow(size, value_size, &size))
		size = CPOL_U64_MAX;
	return push_object(parser, key_id(columns[1]), size);
}

/* The field of a column that the line has; empty: it is not among --columns. */
static struct field column(const struct parser *parser, const struct field *columns, enum column which)
{
	return parser->columns[which] < 0 ? (struct field){ "", 0 } : columns[parser->columns[which]];
}

/* The id of a file, thread or process; 0: it is not known. */
static u64 optional_id(struct field field)
{
	return field.length ? key_id(field) : 0;
}

/* Sets the command of the current request. A name is cut as the kernel cuts it. False: no memory. */
static bool read_comm(struct parser *parser, struct field field)
{
	char name[COMM_SIZE] = "";

	memcpy(name, field.text, field.length < COMM_SIZE ? field.length : COMM_SIZE - 1);
	return name_number(&parser->commands, load(name, 8), load(name + 8, 8), &parser->comm);
}

/* Sets whether the current request writes: a word that begins with R or W tells. */
static bool read_rw(struct parser *parser, struct field field)
{
	char letter = field.length ? (char)(field.text[0] | 0x20) : 0;

	parser->write = letter == 'w';
	parser->found = (u64)parser->columns[AT_RW];
	return letter == 'r' || letter == 'w';
}

/* The whole numbers of a line. */
struct place {
	u64 page, offset, size, count;
};

/* Reads the whole numbers of a line. Sets `found` to the column of one that is none. */
static bool read_numbers(struct parser *parser, const struct field *columns, struct place *place)
{
	const struct { enum column which; u64 *value; } wanted[] = {
		{ AT_PAGE, &place->page }, { AT_OFFSET, &place->offset }, { AT_SIZE, &place->size }, { AT_COUNT, &place->count },
	};

	for (u32 number = 0; number < 4; number++)
		if (parser->columns[wanted[number].which] >= 0 &&
		    !is_number(column(parser, columns, wanted[number].which), wanted[number].value)) {
			parser->found = (u64)parser->columns[wanted[number].which];
			return false;
		}
	return true;
}

/* A request for a place in a file: its page, or each page that it touches. */
static int push_place(struct parser *parser, const struct place *place)
{
	u64 first = has(parser, AT_OFFSET) ? place->offset / PAGE : place->page, bytes = place->size;
	u64 inside = has(parser, AT_OFFSET) ? place->offset % PAGE : 0;
	u64 pages = bytes ? (bytes - 1) / PAGE + ((bytes - 1) % PAGE + inside) / PAGE + 1 : 1;

	parser->bytes = bytes;
	if (!parser->cut)
		return push(parser, first);
	parser->found = pages;
	return first > CPOL_U64_MAX - (pages - 1) ? FAR_PAGE : push_pages(parser, first, pages);
}

/* The request of a line: for an object, or for a place in a file; as many times as its count says. */
static int push_row(struct parser *parser, const struct field *columns, const struct place *place)
{
	struct field key = column(parser, columns, AT_OBJECT);
	u64 id = key_id(key), before = parser->taken + parser->count;
	int error = FINE;

	if (has(parser, AT_OBJECT) && key.length == 0)
		return NO_KEY;
	parser->found = place->count;
	if (place->count > 1 && (place->count > parser->limit || before > parser->limit - place->count))
		return MANY_REQUESTS;
	for (u64 number = 0; number < place->count && !error; number++)
		error = has(parser, AT_OBJECT) ? push_object(parser, id, place->size) : push_place(parser, place);
	return error;
}

/* The id of the file: that of a column, or of several that follow one another. */
static u64 file_of(const struct parser *parser, const struct field *columns)
{
	u64 file = optional_id(column(parser, columns, AT_FILE));

	if (has(parser, AT_FILE))
		for (u32 next = 1; next < parser->file_width; next++)
			file = mix(file + mix(optional_id(columns[(u32)parser->columns[AT_FILE] + next]) + next));
	return file;
}

/* Whether a line of so many columns has all that --columns names. */
static bool is_complete(const struct parser *parser, u64 count)
{
	for (u32 which = 0; which < N_COLUMNS; which++)
		if (parser->columns[which] >= (s64)count)
			return false;
	return !has(parser, AT_FILE) || (u64)parser->columns[AT_FILE] + parser->file_width <= count;
}

/* A line whose columns --columns names. */
static int parse_mapped(struct parser *parser, struct field line)
{
	struct field columns[MAX_COLUMNS], time;
	struct place place = { .count = 1 };
	char separator = (char)parser->separator;
	u64 count;
	bool first = parser->where == 1, heading = first && parser->heading != ROWS; /* of a heading, no number is one */

	if (first && parser->heading == HEADING)
		return FINE;
	count = memchr(line.text, '"', line.length) ? split_quoted(line, separator, columns, parser->plain) : split(line, separator, columns);
	if (count == 0)
		return QUOTED;
	parser->found = count;
	if (!is_complete(parser, count))
		return FEW_COLUMNS;
	time = column(parser, columns, AT_TIME);
	if (has(parser, AT_TIME) && !is_time(time)) {
		parser->found = (u64)parser->columns[AT_TIME];
		return heading && !looks_like_number(time) ? FINE : BAD_COLUMN_TIME;
	}
	if (!read_numbers(parser, columns, &place))
		return heading && !looks_like_number(columns[parser->found]) ? FINE : BAD_NUMBER;
	if (has(parser, AT_RW) && !read_rw(parser, column(parser, columns, AT_RW)))
		return BAD_RW;
	at_time(parser, parser->time_unit ? units_in_ms(time, parser->time_unit) : time_in_ms(time), parser->where);
	parser->task = optional_id(column(parser, columns, AT_THREAD));
	parser->process = optional_id(column(parser, columns, AT_PROCESS));
	parser->file = file_of(parser, columns);
	if (has(parser, AT_COMM) && parser->details && !read_comm(parser, column(parser, columns, AT_COMM)))
		return NO_MEMORY;
	return push_row(parser, columns, &place);
}

/* A range of blocks: the first, how many, a number without a meaning, and the line's number. */
static int parse_range(struct parser *parser, struct field line)
{
	struct field columns[MAX_COLUMNS];
	u64 values[4], count = split(line, ' ', columns);

	parser->found = count;
	if (count != 4)
		return BAD_RANGE;
	for (u32 number = 0; number < 4; number++)
		if (!is_number(columns[number], &values[number]))
			return BAD_RANGE;
	parser->found = values[1];
	if (values[1] == 0)
		return BAD_RANGE;
	return values[0] > CPOL_U64_MAX - (values[1] - 1) ? FAR_PAGE : push_pages(parser, values[0], values[1]);
}

static int parse_line(struct parser *parser, const char *text, u64 length)
{
	struct field line = trim((struct field){ text, length });
	u64 id;

	parser->where++;
	if (memchr(text, 0, length))
		return NUL_BYTE;
	if (parser->format == COLUMNS && parser->heading == ROWS)
		return parse_mapped(parser, line);
	if (line.length == 0)
		return FINE;
	if (parser->format == COLUMNS && parser->separator == '\t') /* the first and the last column may be empty */
		line = (struct field){ text, length - (text[length - 1] == '\r') };
	if (memchr(line.text, '\r', line.length))
		return BARE_RETURN;
	switch (parser->format) {
	case TEXT:
		if (has_blank(line))
			return BLANKS;
		return push(parser, key_id(line));
	case LINES:
		return push(parser, key_id(line));
	case LIS:
		return parse_range(parser, line);
	case LIRS:
		if (has_blank(line))
			return BLANKS;
		if (line.length == 1 && line.text[0] == '*')
			return FINE;
		return is_number(line, &id) ? push(parser, id) : NOT_A_NUMBER;
	default:
		if (line.text[0] == '#' && parser->where == 1)
			return FINE;
		return parser->format == COLUMNS ? parse_mapped(parser, line) : parse_columns(parser, line);
	}
}

static bool is_binary(const struct parser *parser)
{
	return parser->format <= LCS2;
}

static int feed_lines(struct parser *parser, const char *data, u64 length)
{
	while (length) {
		const char *end = memchr(data, '\n', length);
		u64 part = end ? (u64)(end - data) : length;
		int error;

		if (parser->carried + part > MAX_LINE) {
			parser->where++;
			return memchr(parser->carry, '\r', parser->carried) || memchr(data, '\r', MAX_LINE - parser->carried) ?
				       BARE_RETURN : LONG_LINE;
		}
		if (parser->carried || !end) {
			memcpy(parser->carry + parser->carried, data, part);
			parser->carried += (u32)part;
		}
		if (!end)
			return FINE;
		error = parser->carried ? parse_line(parser, parser->carry, parser->carried) : parse_line(parser, data, part);
		if (error)
			return error;
		parser->carried = 0;
		data = end + 1;
		length -= part + 1;
	}
	return FINE;
}

EXPORT struct parser *parser_new(u32 format, u32 cut, u32 details, u32 sized, u64 request_limit, u64 limit)
{
	struct parser *parser = calloc(1, sizeof(*parser));

	if (parser) {
		parser->format = format;
		parser->cut = cut;
		parser->details = details;
		parser->sized = sized;
		parser->request_limit = request_limit;
		parser->limit = limit;
	}
	return parser;
}

EXPORT void parser_free(struct parser *parser)
{
	free(parser->ids);
	free(parser->times);
	free(parser->tasks);
	free(parser->processes);
	free(parser->comms);
	free(parser->writes);
	free(parser->sizes);
	names_free(&parser->names);
	names_free(&parser->commands);
	free(parser);
}

/* For COLUMNS: where the columns are, what separates them, and whether the first line is a heading (enum heading). */
EXPORT void parser_columns(struct parser *parser, const s32 *columns, u64 time_unit, u32 heading, u32 separator, u32 file_width)
{
	memcpy(parser->columns, columns, sizeof(parser->columns));
	parser->time_unit = time_unit;
	parser->heading = heading;
	parser->separator = separator;
	parser->file_width = file_width;
}

EXPORT int parser_feed(struct parser *parser, const char *data, u64 length)
{
	return is_binary(parser) ? feed_records(parser, data, length) : feed_lines(parser, data, length);
}

#define BLOCK (1 << 16) /* small, so that the processor's own caches have it until it is numbered */
#define BLOCK_REQUESTS (BLOCK / 24 + 1) /* of the smallest records, with one that was carried */

/*
 * Reads records from a file, one request each, and numbers their objects: `count` requests, as many as there is room for, or up to the
 * end. `objects`: so many have a number then; -1: no memory, or there are more than 2^32. Returns an error, or -errno: the file cannot be read.
 */
EXPORT int parser_read(struct parser *parser, struct numbers *known, int file, u32 *numbers, u64 room, u64 *count, s64 *objects)
{
	char block[BLOCK];
	int error;

	*count = 0;
	*objects = (s64)known->count;
	while (*objects >= 0 && room - *count >= BLOCK_REQUESTS) {
		ssize_t length = read(file, block, sizeof(block));

		if (length < 0)
			return -errno;
		if (length == 0)
			break;
		if ((error = parser_feed(parser, block, (u64)length)))
			return error;
		*objects = numbers_add(known, parser->ids, parser->count, numbers + *count);
		*count += parser->count;
		parser_take(parser);
	}
	return FINE;
}

EXPORT int parser_finish(struct parser *parser)
{
	if (!parser->carried)
		return FINE;
	parser->found = parser->carried;
	return is_binary(parser) ? TRUNCATED : parse_line(parser, parser->carry, parser->carried);
}

/* Forgets the requests so far, which the caller has. */
EXPORT void parser_take(struct parser *parser)
{
	parser->taken += parser->count;
	parser->count = 0;
}

EXPORT u64 parser_state(const struct parser *parser, const u64 **ids, u64 *where, u64 *skipped, u64 *found)
{
	*ids = parser->ids;
	*where = parser->where;
	*skipped = parser->skipped;
	*found = parser->found;
	return parser->count;
}

/* How many requests are before the latest time so far; of the first one, where it is, and by how many milliseconds. */
EXPORT u64 parser_back(const struct parser *parser, u64 *where, u64 *ms)
{
	*where = parser->back_where;
	*ms = parser->back_ms;
	return parser->back;
}

/* NULL: the format has none, or `details` is not set. */
EXPORT void parser_details(const struct parser *parser, const u64 **times, const u64 **tasks, const u64 **processes)
{
	bool keys = parser->format >= LIRS && parser->format <= LINES;
	bool timed = parser->format == COLUMNS ? has(parser, AT_TIME) : !keys;

	*times = timed ? parser->times : NULL;
	*tasks = parser->format == TWITTER || has(parser, AT_THREAD) ? parser->tasks : NULL;
	*processes = parser->processes;
}

/* The file and index of each id, and how many there are. NULL: ids are no names. */
EXPORT u64 parser_names(const struct parser *parser, const u64 **files, const u64 **indices)
{
	*files = parser->names.files;
	*indices = parser->names.indices;
	return parser->names.count;
}

/* The command of each request, the two parts of the name of each, and how many names there are. NULL: the trace has none. */
EXPORT u64 parser_comms(const struct parser *parser, const u64 **comms, const u64 **firsts, const u64 **seconds)
{
	*comms = parser->comms;
	*firsts = parser->commands.files;
	*seconds = parser->commands.indices;
	return parser->commands.count;
}

/* Whether each request writes. NULL: the trace does not tell. */
EXPORT const u64 *parser_writes(const struct parser *parser)
{
	return parser->writes;
}

/* The bytes of each request. NULL: `sized` is not set. */
EXPORT const u64 *parser_sizes(const struct parser *parser)
{
	return parser->sizes;
}
