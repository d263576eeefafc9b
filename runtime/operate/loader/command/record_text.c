/* SPDX-License-Identifier: MIT */
#include "command/record_text.h"

#include <inttypes.h>
#include <string.h>

#include "command/traced_path.h"

#define RECORD_NAME(enumerator, name) name,
static const char *const names[] = { RECORD_EVENTS(RECORD_NAME) };

void recording_begin(struct recording *recording)
{
	fputs("cpol-record 3\n# time_ns,event,file,page,pages,thread,process,comm[,first,last]\n", recording->out);
}

void recording_governed(struct recording *recording, const char *policy)
{
	fprintf(recording->out, "governed,%s\n", policy);
}

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("-_./:+@", c));
}

/* Names are chosen by others. They are quoted as in CSV unless they are plain, and a control character becomes `?`. */
static void write_name(FILE *out, const char *name, size_t length)
{
	size_t plain = 0;

	while (plain < length && is_plain(name[plain]))
		plain++;
	if (plain == length) {
		fwrite(name, 1, length, out);
		return;
	}
	putc('"', out);
	for (size_t i = 0; i < length; i++) {
		byte c = (byte)name[i];

		if (c == '"')
			putc('"', out);
		putc(c < ' ' || c == 0x7f ? '?' : c, out);
	}
	putc('"', out);
}

static void write_file(FILE *out, const struct record *record)
{
	fprintf(out, "%u:%u:%" PRIu64 ",", record->device >> 20, record->device & 0xfffff, record->inode);
}

static void add_name(FILE *out, const struct record_name *name)
{
	char path[TRACED_PATH + 1];
	size_t length = traced_path(path, name->parts, name->record.pages);

	fputs("name,", out);
	write_file(out, &name->record);
	write_name(out, path, length);
	putc('\n', out);
}

void recording_add(struct recording *recording, const struct record *record, size_t size)
{
	FILE *out = recording->out;
	uint64_t ns;
	bool is_fault;

	if (size < sizeof(*record))
		return;
	if (record->event == RECORD_FILE_NAME && size >= sizeof(struct record_name))
		add_name(out, (const struct record_name *)record);
	is_fault = record->event >= RECORD_FAULT;
	if (record->event >= N_RECORD_EVENTS || (is_fault && size < sizeof(struct record_fault)))
		return;
	recording->counts[record->event]++;
	ns = record->ns > recording->begun_ns ? record->ns - recording->begun_ns : 0;
	fprintf(out, "%" PRIu64 ",%s,", ns, names[record->event]);
	if (is_fault)
		fprintf(out, "swap:%u:%" PRIu64 ",", record->device, record->inode);
	else
		write_file(out, record);
	fprintf(out, "%" PRIu64 ",%u,%u,%u,", record->page, record->pages, record->thread, record->process);
	write_name(out, record->comm, strnlen(record->comm, TRACED_COMM - 1));
	if (is_fault) {
		const struct record_fault *fault = (const struct record_fault *)record;

		fprintf(out, ",%" PRIu64 ",%" PRIu64, fault->first, fault->last);
	}
	putc('\n', out);
}

void recording_room(struct recording *recording, uint64_t ns, uint64_t limit, uint64_t room)
{
	if (recording->limit == limit && recording->room == room)
		return;
	recording->limit = limit;
	recording->room = room;
	ns = ns > recording->begun_ns ? ns - recording->begun_ns : 0;
	fprintf(recording->out, "room,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", ns, limit, room);
}

uint64_t recording_events(const struct recording *recording)
{
	uint64_t events = 0;

	for (int i = 0; i < N_RECORD_EVENTS; i++)
		events += recording->counts[i];
	return events;
}

void recording_end(const struct recording *recording, uint64_t lost)
{
	fprintf(recording->out, "end,%" PRIu64 ",%" PRIu64 "\n", recording_events(recording), lost);
}

void recording_summary(const struct recording *recording, FILE *out)
{
	for (int i = 0; i < N_RECORD_EVENTS; i++)
		fprintf(out, "%s%" PRIu64 " %s", i ? ", " : "", recording->counts[i], names[i]);
}
