/* SPDX-License-Identifier: MIT */
#include "verifier.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util.h"

struct span {
	const char *text;
	int length;
};

/* A file of its own, that nobody else can read or have prepared. NULL: it could not be written. To be freed. */
static char *save(const char *log)
{
	const char *folder = getenv("TMPDIR");
	size_t left = strlen(log);
	char *path;
	int fd;

	if (asprintf(&path, "%s/cpol-verifier-XXXXXX.log", folder && *folder == '/' ? folder : "/tmp") < 0)
		return NULL;
	fd = mkostemps(path, 4, 0);
	while (fd >= 0 && left) {
		ssize_t wrote = write(fd, log, left);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			break;
		log += wrote;
		left -= (size_t)wrote;
	}
	if (fd >= 0)
		close(fd);
	if (fd < 0 || left) {
		free(path);
		return NULL;
	}
	return path;
}

/*
 * The log is, roughly, instructions, between them lines `; SOURCE @ FILE:LINE`, at its end the reason and statistics
 * ("processed 12 insns ..."). Finds the last source line that is the policy's, and the reason.
 */
static void read_log(const char *log, struct span *source, struct span *why)
{
	while (*log) {
		int length = (int)strcspn(log, "\n");
		struct span line = { log, length };

		if (!strncmp(log, "processed ", 10))
			return;
		if (length > 2 && !strncmp(log, "; ", 2)) {
			if (memmem(log, (size_t)length, ".cpol:", 6) && memmem(log, (size_t)length, " @ ", 3))
				*source = (struct span){ log + 2, length - 2 };
		} else if (length > 0) {
			*why = line;
		}
		log += length + (log[length] == '\n');
	}
}

void explain_refusal(const char *policy, const char *log)
{
	struct span source = { "", 0 }, why = { "it did not say why", 18 };
	char *path;

	read_log(log, &source, &why);
	fail("the kernel's verifier refused the policy %s", policy);
	if (source.length)
		fprintf(stderr, "  at:     %.*s\n", source.length, source.text);
	fprintf(stderr, "  reason: %.*s\n", why.length, why.text);
	path = save(log);
	if (path)
		fprintf(stderr, "  log:    %s\n", path);
	else
		fprintf(stderr, "  log:    could not be saved: %s\n", reason(errno));
	free(path);
	fprintf(stderr, "  cpol promises programs that verifiers accept: please report this, with the policy and the log\n");
}
