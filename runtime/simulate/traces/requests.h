/* SPDX-License-Identifier: MIT */
/* The parser's state, and how a request is added to it, whatever the format was. */
#ifndef CPOL_REQUESTS_H
#define CPOL_REQUESTS_H

#include "numbers.h"
#include "names.h"

#define MAX_LINE 65536
#define PAGE 4096
#define SECTOR 512
#define COMM_SIZE 16 /* TASK_COMM_LEN: the name of a command, and a zero */

/* ORACLE_GENERAL is also version 1 of LCS, behind its header. A key of TEXT has no blanks, one of LINES may. */
enum format { ORACLE_GENERAL, VSCSI1, VSCSI2, LCS2, LIRS, LIS, TEXT, LINES, CSV, TWITTER, COLUMNS };

/* The columns that --columns names, in the order of columns.py. */
enum column {
	AT_TIME, AT_OBJECT, AT_FILE, AT_PAGE, AT_OFFSET, AT_SIZE, AT_THREAD, AT_PROCESS, AT_COMM, AT_RW, AT_COUNT, N_COLUMNS
};

enum error {
	FINE, NO_MEMORY, TRUNCATED, BAD_VERSION, LONG_LINE, NUL_BYTE, NOT_A_NUMBER, BAD_COLUMNS, BAD_TIME, BAD_SIZE,
	NO_KEY, BAD_OPERATION, LARGE_REQUEST, MANY_PAGES, FEW_COLUMNS, QUOTED, BAD_NUMBER, BAD_COLUMN_TIME, BAD_RW, FAR_PAGE,
	BLANKS, BARE_RETURN, BAD_RANGE, MANY_REQUESTS,
};

/* Whether the first line of COLUMNS is a heading. ROWS: it is none, and an empty line is a row, too. */
enum heading { MAY_BE_HEADING, HEADING, ROWS };

struct parser {
	u32 format, cut, details, sized; /* cut: into pages of 4 KiB; details: keep times and tasks; sized: keep sizes */
	u64 *ids, *times, *tasks, *processes; /* times: milliseconds since the first request */
	u64 *comms, comm;          /* numbers of commands */
	u64 *writes, write;        /* whether requests write */
	u64 *sizes, bytes;         /* of requests, in bytes */
	struct names commands;     /* each is the two parts of its name */
	u64 time, task, process, file;        /* of the current request; milliseconds */
	u64 latest;                /* the latest time so far */
	u64 back, back_where, back_ms; /* requests before that time; where the first one is, and by how much it is before */
	s32 columns[N_COLUMNS];    /* where each is in a line of COLUMNS, from 0; -1: nowhere */
	u32 separator;             /* of COLUMNS: a comma, a semicolon, a tab; a blank stands for blanks and tabs, one or more */
	u32 file_width;            /* so many columns name the file */
	u64 time_unit;             /* how many are a millisecond; 0: the unit is a second */
	u32 heading;               /* enum heading */
	struct names names;        /* ids are their numbers, if COLUMNS has files */
	u64 first_time;            /* of the first request; milliseconds */
	u64 count, size;           /* requests in the arrays, and room in them */
	u64 taken;                 /* requests that were in the arrays before */
	u64 request_limit, limit; /* the most pages of a request, and of all; only if cut */
	u64 where;   /* lines or bytes consumed so far */
	u64 skipped; /* deletions */
	u64 found;   /* for a message: columns of a line, bytes of a record, or pages of a request */
	u32 carried;
	char carry[MAX_LINE + 1];
	char plain[MAX_LINE + 1]; /* columns of the current line, without their quotes */
};

static bool has(const struct parser *parser, enum column column)
{
	return parser->format == COLUMNS && parser->columns[column] >= 0;
}

/* Sets the time of the current request, which begins at `where`. */
static void at_time(struct parser *parser, u64 ms, u64 where)
{
	parser->time = ms;
	if (__builtin_expect(ms >= parser->latest, 1)) {
		parser->latest = ms;
		return;
	}
	if (parser->back++ == 0) {
		parser->back_where = where;
		parser->back_ms = parser->latest - ms;
	}
}

/* Makes room for twice as many requests. False: no memory. */
static bool more_room(struct parser *parser)
{
	u64 size = parser->size ? 2 * parser->size : 1 << 16;

	if (!grow(&parser->ids, size) || (parser->sized && !grow(&parser->sizes, size)) ||
	    (parser->details && (!grow(&parser->times, size) || !grow(&parser->tasks, size) ||
	      (has(parser, AT_PROCESS) && !grow(&parser->processes, size)) ||
	      (has(parser, AT_COMM) && !grow(&parser->comms, size)) || (has(parser, AT_RW) && !grow(&parser->writes, size)))))
		return false;
	parser->size = size;
	return true;
}

static int push(struct parser *parser, u64 id)
{
	if (has(parser, AT_FILE) && !name_number(&parser->names, parser->file, id, &id))
		return NO_MEMORY;
	if (parser->count == parser->size && !more_room(parser))
		return NO_MEMORY;
	if (parser->details) {
		if (parser->count + parser->taken == 0)
			parser->first_time = parser->time;
		parser->times[parser->count] = parser->time > parser->first_time ? parser->time - parser->first_time : 0;
		parser->tasks[parser->count] = parser->task;
		if (has(parser, AT_PROCESS))
			parser->processes[parser->count] = parser->process;
		if (has(parser, AT_COMM))
			parser->comms[parser->count] = parser->comm;
		if (has(parser, AT_RW))
			parser->writes[parser->count] = parser->write;
	}
	if (parser->sized)
		parser->sizes[parser->count] = parser->bytes;
	parser->ids[parser->count++] = id;
	return FINE;
}

static int push_pages(struct parser *parser, u64 first, u64 pages)
{
	int error;

	parser->found = pages;
	if (pages > parser->request_limit)
		return LARGE_REQUEST;
	if (pages > parser->limit - parser->taken - parser->count)
		return MANY_PAGES;
	for (u64 page = 0; page < pages; page++)
		if ((error = push(parser, first + page)))
			return error;
	return FINE;
}

/* A request of an object: itself, or each of its pages. */
static int push_object(struct parser *parser, u64 id, u64 bytes)
{
	u64 pages = bytes / PAGE + (bytes % PAGE != 0);

	parser->bytes = bytes;
	return parser->cut ? push_pages(parser, mix(id), pages ? pages : 1) : push(parser, id);
}

/* A request of a block device: its first sector, or each page that it touches. */
static int push_blocks(struct parser *parser, u64 sector, u64 bytes)
{
	u64 first = sector / (PAGE / SECTOR), last = bytes ? (bytes - 1) / SECTOR : 0; /* sectors after the first */

	parser->bytes = bytes;
	if (!parser->cut)
		return push(parser, sector);
	last = (last > CPOL_U64_MAX - sector ? CPOL_U64_MAX : sector + last) / (PAGE / SECTOR);
	return push_pages(parser, first, last - first + 1);
}

#endif
