/* SPDX-License-Identifier: MIT */
/*
 * The text of /proc/cache_ext/stat: a line for each policy, of pairs key=value with spaces between. A value with spaces in it stands in
 * quotation marks, and has no quotation mark itself. A cgroup has at most one line of a policy that has a link; how that has ended, if
 * it has, stands in the same line. For policies that ended and whose link is gone there are lines with state=ended and no numbers, as
 * long as the kernel remembers them.
 */
#ifndef LOADER_STAT_TEXT_H
#define LOADER_STAT_TEXT_H

#include "system/util.h"

struct stat_pair {
	char *key, *value;
};

/* The next pair of a line, which it changes. false: there is none. */
bool stat_next(char **rest, struct stat_pair *pair);

#define STATE_ENDED "ended"

/* How a policy ended. */
struct ending {
	uint64_t cgroup;
	char name[64];
	char state[16]; /* the kernel's word; STATE_ENDED: its link is gone */
	char exit[32]; /* the kind: unreg, replaced, cgroup, watchdog, error, init */
	int64_t code; /* of the program, or -errno */
	char message[256];
	uint64_t ended_ms; /* CLOCK_BOOTTIME; 0: unknown */
};

/*
 * A copy of the line of the cgroup's policy that has a link; if there is none, of the one that ended last. The caller frees it. NULL:
 * there is no such line.
 */
char *stat_line_of(const char *text, uint64_t cgroup);

/* Reads the line of a policy that has ended. false: it has not. */
bool stat_ending(const char *line, struct ending *ending);

/* All policies of the text that have ended, or all that have not, in its order; the caller frees them. Returns how many. */
int stat_policies(const char *text, bool ended, struct ending **policies);

/* Writes how it ended, in words, as of `now_ms` of CLOCK_BOOTTIME. */
void print_ending(FILE *out, const struct ending *ending, uint64_t now_ms);

/* Writes the members of a JSON object that say how it ended, each after a comma. */
void print_ending_json(FILE *out, const struct ending *ending);

/* Now, in milliseconds of CLOCK_BOOTTIME. */
uint64_t boot_ms(void);

#endif
