/* SPDX-License-Identifier: MIT */
/* The binary formats: records of one size. */
#ifndef CPOL_RECORDS_H
#define CPOL_RECORDS_H

#include "requests.h"

/* The formats are little-endian, and so are the machines that cpol runs on. */
static u64 load(const char *from, u32 bytes)
{
	u64 value = 0;

	memcpy(&value, from, bytes);
	return value;
}

static u64 record_size(u32 format)
{
	static const u8 sizes[] = { [ORACLE_GENERAL] = 24, [VSCSI1] = 32, [VSCSI2] = 40, [LCS2] = 28 };

	return sizes[format];
}

static int parse_record(struct parser *parser, const char *record)
{
	switch (parser->format) {
	case ORACLE_GENERAL: /* time in seconds, id, size, next */
	case LCS2: /* time in seconds, id, size, operation and tenant, next */
		at_time(parser, load(record, 4) * 1000, parser->where);
		return push_object(parser, load(record + 4, 8), load(record + 12, 4));
	case VSCSI1: /* sn, len, nSG, cmd, ver, lbn, time in microseconds */
		at_time(parser, load(record + 24, 8) / 1000, parser->where);
		if (load(record + 14, 2) >> 8 != 1)
			return BAD_VERSION;
		return push_blocks(parser, load(record + 16, 8), load(record + 4, 4));
	default: /* cmd, ver, sn, len, nSG, lbn, time in microseconds, rt */
		at_time(parser, load(record + 24, 8) / 1000, parser->where);
		if (load(record + 2, 2) >> 8 != 2)
			return BAD_VERSION;
		return push_blocks(parser, load(record + 16, 8), load(record + 8, 4));
	}
}

/* Whole records of ORACLE_GENERAL, of which only the ids count, and whether times go back. */
static int feed_ids(struct parser *parser, const char *data, u64 records)
{
	while (parser->size - parser->count < records)
		if (!more_room(parser))
			return NO_MEMORY;
	for (u64 number = 0; number < records; number++) {
		at_time(parser, load(data + 24 * number, 4) * 1000, parser->where + 24 * number);
		parser->ids[parser->count + number] = load(data + 24 * number + 4, 8);
	}
	parser->count += records;
	parser->where += 24 * records;
	return FINE;
}

static int feed_records(struct parser *parser, const char *data, u64 length)
{
	u64 size = record_size(parser->format);
	int error;

	if (parser->carried) {
		u64 part = size - parser->carried < length ? size - parser->carried : length;

		memcpy(parser->carry + parser->carried, data, part);
		parser->carried += (u32)part;
		data += part, length -= part;
		if (parser->carried < size)
			return FINE;
		parser->carried = 0;
		if ((error = parse_record(parser, parser->carry)))
			return error;
		parser->where += size;
	}
	if (parser->format == ORACLE_GENERAL && !parser->cut && !parser->details && !parser->sized) {
		if ((error = feed_ids(parser, data, length / size)))
			return error;
		data += length / size * size, length %= size;
	}
	for (; length >= size; data += size, length -= size, parser->where += size)
		if ((error = parse_record(parser, data)))
			return error;
	memcpy(parser->carry, data, length);
	parser->carried = (u32)length;
	return FINE;
}

#endif
