/* SPDX-License-Identifier: MIT */
#include "record_text.h"

#include <inttypes.h>
#include <string.h>

#define RECORD_NAME(enumerator, name) name,
static const char *const names[] = { RECORD_EVENTS(RECORD_NAME) };

void recording_begin(struct recording *recording)
{
	fputs("cpol-record 1\n# time_ns,event,file,page,pages,thread,process,comm\n", recording->out);
}

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("-_./:+@", c));
}

/* A task chooses its own name. It is quoted as in CSV unless it is plain, and a control character becomes `?`. */
static void write_comm(FILE *out, const char *comm)
{
	size_t length = strnlen(comm, RECORD_COMM - 1), plain = 0;

	while (plain < length && is_plain(comm[plain]))
		plain++;
	if (plain == length) {
		fwrite(comm, 1, length, out);
		return;
	}
	putc('"', out);
	for (size_t i = 0; i < length; i++) {
		byte c = (byte)comm[i];

		if (c == '"')
			putc('"', out);
		putc(c < ' ' || c == 0x7f ? '?' : c, out);
	}
	putc('"', out);
}

void recording_add(struct recording *recording, const struct record *record)
{
	uint64_t ns = record->ns > recording->begun_ns ? record->ns - recording->begun_ns : 0;

	if (record->event >= N_RECORD_EVENTS)
		return;
	recording->counts[record->event]++;
	fprintf(recording->out, "%" PRIu64 ",%s,%u:%u:%" PRIu64 ",%" PRIu64 ",%u,%u,%u,", ns, names[record->event],
		record->device >> 20, record->device & 0xfffff, record->inode, record->page, record->pages, record->thread,
		record->process);
	write_comm(recording->out, record->comm);
	putc('\n', recording->out);
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
