/* SPDX-License-Identifier: MIT */
#include "object/libbpf_said.h"

#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>

#include "system/util.h"

#define LIBBPF_SAID 8192

/* With -v: every message of libbpf. */
static void say_lines(const char *format, va_list args)
{
	char *text, *rest, *line;

	if (vasprintf(&text, format, args) < 0)
		need(NULL);
	rest = text;
	while ((line = strsep(&rest, "\n")))
		if (*line)
			note("%s", line);
	free(text);
}

/* The warnings of libbpf: its reasons for a refusal. */
static char libbpf_said[LIBBPF_SAID];

static int listen(enum libbpf_print_level level, const char *format, va_list args)
{
	size_t used = strlen(libbpf_said);

	if (verbose)
		say_lines(format, args);
	else if (level == LIBBPF_WARN)
		vsnprintf(libbpf_said + used, sizeof(libbpf_said) - used, format, args);
	return 0;
}

bool libbpf_misses_something(void)
{
	return strstr(libbpf_said, "not found in kernel or module BTFs") || strstr(libbpf_said, "func_proto [") ||
	       strstr(libbpf_said, "struct_ops init_kern");
}

int fail_with_libbpf(const char *path, const char *what, int error)
{
	char *log = strstr(libbpf_said, "-- BEGIN PROG LOAD LOG --");

	if (log)
		*log = '\0';
	fail("%s: %s: %s", path, what, reason(error));
	for (char *line = libbpf_said; *line;) {
		size_t length = strcspn(line, "\n");

		if (length)
			note("%.*s", (int)length, line);
		line += length + (line[length] == '\n');
	}
	return -1;
}

void libbpf_listen(void)
{
	libbpf_set_print(listen);
}
