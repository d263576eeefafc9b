/* SPDX-License-Identifier: MIT */
#include "object/verifier.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "object/reasons.h"
#include "system/util.h"

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

struct span {
	const char *text;
	int length;
};

/*
 * Keeps one log of each policy: logs have up to 16 MiB, and nobody removes them. rename() follows no link that somebody put there. Where it
 * is refused, as if the log before is another user's, the file keeps its name. Returns the path.
 */
static char *replace_last(char *path, const char *folder, const char *policy)
{
	char *last;

	if (!*policy || policy[strspn(policy, NAME_CHARACTERS)] || asprintf(&last, "%s/cpol-verifier-%s.log", folder, policy) < 0)
		return path;
	if (rename(path, last)) {
		free(last);
		return path;
	}
	free(path);
	return last;
}

/* Writes the log to a new file that only its owner can read. Its path, which the caller frees; NULL: it could not be written. */
static char *save(const char *policy, const char *log)
{
	const char *folder = getenv("TMPDIR");
	size_t left = strlen(log);
	char *path;
	int fd;

	if (!folder || *folder != '/')
		folder = "/tmp";
	if (asprintf(&path, "%s/cpol-verifier-XXXXXX.log", folder) < 0)
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
		int error = errno;

		if (fd >= 0)
			unlink(path);
		free(path);
		errno = error;
		return NULL;
	}
	return replace_last(path, folder, policy);
}

/* What a log says: the policy's line (its text, then ` @ FILE:LINE`) or the function of cpol's own, and the reason. */
struct refusal {
	struct span text, place, function, why;
};

static bool starts(struct span line, const char *with)
{
	return line.length >= (int)strlen(with) && !strncmp(line.text, with, strlen(with));
}

/* Reads `TEXT @ FILE.cpol:LINE`. The text may hold ` @ ` too: the last one counts. */
static void read_source(struct span line, struct refusal *found)
{
	for (int at = line.length - 3; at >= 0; at--) {
		struct span place = { line.text + at + 3, line.length - at - 3 };

		if (strncmp(line.text + at, " @ ", 3))
			continue;
		if (memmem(place.text, (size_t)place.length, ".cpol:", 6)) {
			found->text = (struct span){ line.text, at };
			found->place = place;
		}
		return;
	}
}

/* Whether a line is an instruction: `113: (15) if r7 == 0x0 goto pc+1`. */
static bool is_instruction(struct span line)
{
	int at = 0;

	while (at < line.length && line.text[at] >= '0' && line.text[at] <= '9')
		at++;
	return at && line.length >= at + 7 && !strncmp(line.text + at, ": (", 3) && !strncmp(line.text + at + 5, ") ", 2);
}

/* What stands behind a jump. The verifier breaks off its line if it gives up before it has told the registers. */
static struct span behind_jump(struct span line)
{
	static const char jump[] = "goto pc";
	const char *found = memmem(line.text, (size_t)line.length, jump, sizeof(jump) - 1);
	int at = found ? (int)(found - line.text) + (int)sizeof(jump) - 1 : line.length;

	while (at < line.length && line.text[at] != ' ')
		at++;
	while (at < line.length && line.text[at] == ' ')
		at++;
	if (at < line.length && line.text[at] == ';') /* the registers */
		at = line.length;
	return (struct span){ line.text + at, line.length - at };
}

/*
 * The log holds instructions, between them lines `; SOURCE @ FILE:LINE`, and at its end the reason and statistics
 * ("processed 12 insns ..."). The last source line of the policy counts. The log of a function that is verified by itself
 * starts with "Validating NAME() func#1..."; it has nothing to do with what came before.
 */
static struct refusal read_log(const char *log)
{
	struct refusal found = { .why = { "the log has none", 16 } };

	while (*log) {
		struct span line = { log, (int)strcspn(log, "\n") };

		log += line.length + (log[line.length] == '\n');
		if (starts(line, "processed ")) {
			break;
		} else if (starts(line, "; ")) {
			read_source((struct span){ line.text + 2, line.length - 2 }, &found);
		} else if (starts(line, "Validating ")) {
			found = (struct refusal){ .function = { line.text + 11, (int)strcspn(line.text + 11, "( \n") }, .why = found.why };
		} else if (line.length > 0) {
			struct span why = is_instruction(line) ? behind_jump(line) : line;

			if (why.length > 0)
				found.why = why;
		}
	}
	return found;
}

static void show_log(const char *policy, const char *log)
{
	char *path = save(policy, log);

	if (path)
		note("log:    %s", path);
	else
		note("log:    could not be saved: %s", reason(errno));
	free(path);
}

void explain_refusal(const char *policy, const char *log)
{
	struct refusal found = read_log(log);
	const struct plain_words *plain = in_plain_words(found.why.text, (size_t)found.why.length);

	fail("the kernel's verifier refused the policy %s", policy);
	if (found.place.length)
		note("at:     %.*s: %.*s", found.place.length, found.place.text, found.text.length, found.text.text);
	else if (found.function.length)
		note("at:     %.*s, one of cpol's own functions", found.function.length, found.function.text);
	note("reason: %.*s", found.why.length, found.why.text);
	if (plain)
		note("means:  %s", plain->means);
	if (plain && plain->advice)
		note("try:    %s", plain->advice);
	show_log(policy, log);
	if (!plain || !plain->advice)
		note("The verifier should accept what cpol compiles: please report this, with the policy and the log");
}
