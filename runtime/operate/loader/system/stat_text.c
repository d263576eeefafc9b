/* SPDX-License-Identifier: MIT */
#include "system/stat_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool stat_next(char **rest, struct stat_pair *pair)
{
	char *at = *rest;

	for (;;) {
		size_t length;

		at += strspn(at, " ");
		if (!*at)
			break;
		pair->key = at;
		at += strcspn(at, "= ");
		if (*at != '=')
			continue; /* a word without a value */
		*at++ = '\0';
		pair->value = at + (*at == '"');
		length = strcspn(pair->value, *at == '"' ? "\"" : " ");
		at = pair->value + length;
		if (*at)
			*at++ = '\0';
		*rest = at;
		return true;
	}
	*rest = at;
	return false;
}

/* Copies a value, cut to the room there is. */
static void copy(char *to, size_t room, const char *value)
{
	snprintf(to, room, "%.*s", (int)room - 1, value);
}

bool stat_ending(const char *line, struct ending *ending)
{
	char *text = need(strdup(line)), *rest = text;
	struct stat_pair pair;

	*ending = (struct ending){};
	while (stat_next(&rest, &pair)) {
		if (!strcmp(pair.key, "cgroup"))
			ending->cgroup = strtoull(pair.value, NULL, 10);
		else if (!strcmp(pair.key, "name"))
			copy(ending->name, sizeof(ending->name), pair.value);
		else if (!strcmp(pair.key, "state"))
			copy(ending->state, sizeof(ending->state), pair.value);
		else if (!strcmp(pair.key, "exit"))
			copy(ending->exit, sizeof(ending->exit), pair.value);
		else if (!strcmp(pair.key, "code"))
			ending->code = strtoll(pair.value, NULL, 10);
		else if (!strcmp(pair.key, "message") || (!strcmp(pair.key, "reason") && !*ending->message))
			copy(ending->message, sizeof(ending->message), pair.value);
		else if (!strcmp(pair.key, "ended_ms"))
			ending->ended_ms = strtoull(pair.value, NULL, 10);
	}
	free(text);
	if (!*ending->exit && !strcmp(ending->state, "overruled")) /* an older kernel */
		copy(ending->exit, sizeof(ending->exit), "watchdog");
	return *ending->exit || !strcmp(ending->state, STATE_ENDED);
}

/* A copy of the first line of *text, which the caller frees; *text moves on. NULL: there is none. */
static char *next_line(const char **text)
{
	size_t length = strcspn(*text, "\n");
	char *line = length || **text ? need(strndup(*text, length)) : NULL;

	*text += length + ((*text)[length] == '\n');
	return line;
}

static bool is_of(const char *line, uint64_t cgroup)
{
	char prefix[40];

	snprintf(prefix, sizeof(prefix), "cgroup=%" PRIu64 " ", cgroup);
	return !strncmp(line, prefix, strlen(prefix));
}

char *stat_line_of(const char *text, uint64_t cgroup)
{
	char *line, *found = NULL;
	uint64_t last = 0;

	while ((line = next_line(&text))) {
		struct ending ending;

		if (!is_of(line, cgroup)) {
			free(line);
			continue;
		}
		if (!stat_ending(line, &ending) || strcmp(ending.state, STATE_ENDED)) {
			free(found);
			return line;
		}
		if (!found || ending.ended_ms >= last) {
			free(found);
			found = line;
			last = ending.ended_ms;
		} else {
			free(line);
		}
	}
	return found;
}

int stat_policies(const char *text, bool ended, struct ending **policies)
{
	int n = 0;
	char *line;

	*policies = NULL;
	while ((line = next_line(&text))) {
		struct ending policy;

		if (stat_ending(line, &policy) == ended && policy.cgroup) {
			*policies = need(realloc(*policies, ((size_t)n + 1) * sizeof(**policies)));
			(*policies)[n++] = policy;
		}
		free(line);
	}
	return n;
}

/* What the kinds mean; the message says more. */
static const struct {
	const char *exit, *words;
} kinds[] = {
	{ "unreg", "it was detached" },
	{ "replaced", "another policy replaced it" },
	{ "cgroup", "its cgroup was removed" },
	{ "watchdog", "the kernel detached it for its offences" },
	{ "error", "its program reported an error" },
	{ "init", "its init failed" },
};

void print_ending(FILE *out, const struct ending *ending, uint64_t now_ms)
{
	const char *words = NULL;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].exit, ending->exit))
			words = kinds[i].words;
	if (words) {
		fputs(words, out);
	} else {
		fputs("it ended: ", out);
		print_text(out, *ending->exit ? ending->exit : "the kernel does not say why");
	}
	if (ending->code)
		fprintf(out, ", code %" PRId64, ending->code);
	if (*ending->message) {
		fputs(" (", out);
		print_text(out, ending->message);
		fputs(")", out);
	}
	if (ending->ended_ms && ending->ended_ms <= now_ms)
		fprintf(out, ", %.1f s ago", (double)(now_ms - ending->ended_ms) / 1e3);
}

void print_ending_json(FILE *out, const struct ending *ending)
{
	fputs(", \"exit\": ", out);
	json_string(out, ending->exit);
	fprintf(out, ", \"code\": %" PRId64 ", \"message\": ", ending->code);
	json_string(out, ending->message);
	fprintf(out, ", \"ended_ms\": %" PRIu64, ending->ended_ms);
}

uint64_t boot_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}
