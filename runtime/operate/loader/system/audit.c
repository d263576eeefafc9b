/* SPDX-License-Identifier: MIT */
#include "system/audit.h"

#include <endian.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define AUTHPRIV 10
#define NOTICE 5
#define WARNING 4

/* Sends a datagram if somebody listens and has room. */
static bool send_to(const char *path, const char *data, size_t size)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	ssize_t sent = -1;

	if (fd < 0)
		return false;
	if (snprintf(address.sun_path, sizeof(address.sun_path), "%s", path) < (int)sizeof(address.sun_path))
		sent = sendto(fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL, (const struct sockaddr *)&address, sizeof(address));
	close(fd);
	return sent == (ssize_t)size;
}

/* A field of journald's native protocol. A value with a line's end has its length before it. */
static void field(FILE *out, const char *name, const char *value)
{
	uint64_t length = htole64(strlen(value));

	if (!strchr(value, '\n')) {
		fprintf(out, "%s=%s\n", name, value);
		return;
	}
	fprintf(out, "%s\n", name);
	fwrite(&length, sizeof(length), 1, out);
	fprintf(out, "%s\n", value);
}

static void number(FILE *out, const char *name, uint64_t value)
{
	fprintf(out, "%s=%" PRIu64 "\n", name, value);
}

/* The user at login, which su does not change. False: none, as for a service. */
static bool login_user(uint64_t *user)
{
	char *text = read_file_at(AT_FDCWD, "/proc/self/loginuid", 64, NULL);
	bool found = text && parse_u64(text, user) && *user != UINT32_MAX;

	free(text);
	return found;
}

static void write_message(FILE *out, const struct audit *entry, int status)
{
	uint64_t user;

	fprintf(out, "%s ", entry->action);
	print_text(out, *entry->policy ? entry->policy : "(unknown policy)");
	fputs(" on ", out);
	print_text(out, entry->cgroup);
	fprintf(out, " by uid %u", getuid());
	if (login_user(&user))
		fprintf(out, " (login uid %" PRIu64 ")", user);
	fputs(status ? ": failed: " : ": done", out);
	if (status)
		print_text(out, first_failure());
	if (entry->sha256)
		fprintf(out, "; object sha256:%s", entry->sha256);
}

static void write_fields(FILE *out, const struct audit *entry, const char *message, int status)
{
	uint64_t user;

	field(out, "MESSAGE", message);
	number(out, "PRIORITY", status ? WARNING : NOTICE);
	number(out, "SYSLOG_FACILITY", AUTHPRIV);
	field(out, "SYSLOG_IDENTIFIER", "cpol-loader");
	field(out, "CPOL_ACTION", entry->action);
	field(out, "CPOL_RESULT", status ? "failed" : "done");
	if (status)
		field(out, "CPOL_REASON", first_failure());
	field(out, "CPOL_POLICY", entry->policy);
	field(out, "CPOL_CGROUP", entry->cgroup);
	if (entry->id)
		number(out, "CPOL_CGROUP_ID", entry->id);
	if (entry->object)
		field(out, "CPOL_OBJECT", entry->object);
	if (entry->sha256)
		field(out, "CPOL_OBJECT_SHA256", entry->sha256);
	if (entry->tag)
		field(out, "CPOL_TAG", entry->tag);
	number(out, "CPOL_UID", getuid());
	if (login_user(&user))
		number(out, "CPOL_LOGINUID", user);
	number(out, "CPOL_PPID", (uint64_t)getppid());
}

void audit_to(const char *journal, const char *syslog, const struct audit *entry, int status)
{
	char *message = NULL, *fields = NULL, *line = NULL;
	size_t size, fields_size, line_size;
	FILE *out = open_memstream(&message, &size);

	write_message(need(out), entry, status);
	fclose(out);
	out = open_memstream(&fields, &fields_size);
	write_fields(need(out), entry, need(message), status);
	fclose(out);
	if (!send_to(journal, need(fields), fields_size)) {
		out = open_memstream(&line, &line_size);
		fprintf(need(out), "<%d>cpol-loader[%d]: %s", AUTHPRIV << 3 | (status ? WARNING : NOTICE), (int)getpid(), message);
		fclose(out);
		send_to(syslog, need(line), line_size);
	}
	free(message);
	free(fields);
	free(line);
}
