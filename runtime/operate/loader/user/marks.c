/* SPDX-License-Identifier: MIT */
#include "user/marks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "object/capacity.h"

#define SHARE 32	   /* of the limit is the margin */
#define MIN_MARGIN 32	   /* pages: one request */
#define MAX_MARGIN 16384   /* pages, unless the user wants more */
#define MOST_SHARE 8	   /* of the limit is the margin at most, when it grows */
#define QUIET_LOOKS 10	   /* after which it shrinks */
#define MAX_EVENTS 4096
#define LOW_SHARE 8	   /* of the margin is between the marks */
#define GROWN_SHARE 16	   /* of the limit at the start may come to it before that is told */

/* Where the margin begins. */
static uint64_t usual_margin(const struct marks *marks, uint64_t limit)
{
	uint64_t margin = limit / SHARE < MAX_MARGIN ? limit / SHARE : MAX_MARGIN;

	if (marks->margin_wanted)
		return marks->margin_wanted;
	return margin < MIN_MARGIN ? MIN_MARGIN : margin;
}

/* Sets the marks of a limit. */
static void marks_set(struct marks *marks, uint64_t limit, uint64_t margin)
{
	if (margin > limit / 2)
		margin = limit / 2;
	marks->limit = limit;
	marks->margin = margin;
	marks->high = limit - margin;
	marks->low = marks->high - (margin / LOW_SHARE < marks->high ? margin / LOW_SHARE : 0);
}

/* How often the cgroup came to its own limits. */
static uint64_t count_hits(const struct cgroup *cgroup)
{
	char *text = read_file_at(cgroup->fd, "memory.events.local", MAX_EVENTS, NULL), *save = NULL;
	uint64_t sum = 0;

	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save)) {
		uint64_t times;

		if ((!strncmp(line, "high ", 5) && parse_u64(line + 5, &times)) || (!strncmp(line, "max ", 4) && parse_u64(line + 4, &times)))
			sum += times;
	}
	free(text);
	return sum;
}

/* The margin after a look at which the limit had been reached, or not. */
static uint64_t next_margin(struct marks *marks, bool reached)
{
	uint64_t usual = usual_margin(marks, marks->limit), most = marks->limit / MOST_SHARE, margin = marks->margin;

	marks->quiet = reached ? 0 : marks->quiet + 1;
	if (marks->margin_wanted || most < usual)
		return usual;
	if (reached)
		margin += margin / 2;
	else if (marks->quiet % QUIET_LOOKS == 0)
		margin -= margin / 4;
	return margin > most ? most : margin < usual ? usual : margin;
}

/* Says once what a changed limit means. */
static void tell_changed(struct marks *marks, const struct memory_use *use)
{
	if (use->own > use->limit && !marks->told_above)
		warn("the least limit is now that of a cgroup above, so the kernel may evict before this process does; lower memory.max "
		     "(or memory.high) here, or end this and govern the cgroup above");
	marks->told_above |= use->own > use->limit;
	if (marks->limit > marks->first + marks->first / GROWN_SHARE && !marks->told_grown)
		warn("the limit was %llu pages and is %llu now, but how many the policy may have was set at the start; what is beyond that is left "
		     "to the kernel; end this and attach again", (unsigned long long)marks->first, (unsigned long long)marks->limit);
	marks->told_grown |= marks->limit > marks->first + marks->first / GROWN_SHARE;
}

void marks_look(struct marks *marks, const struct cgroup *cgroup)
{
	struct memory_use use = memory_use(cgroup);
	uint64_t limit = use.limit, hits = count_hits(cgroup);

	if (limit != marks->limit)
		marks_set(marks, limit, usual_margin(marks, limit));
	else
		marks_set(marks, limit, next_margin(marks, hits > marks->hits));
	marks->hits = hits;
	if (marks->first)
		tell_changed(marks, &use);
}

int marks_begin(struct marks *marks, const struct cgroup *cgroup, uint64_t margin)
{
	struct memory_use use = memory_use(cgroup);
	struct sysinfo machine;

	*marks = (struct marks){ .current = -1, .page = (uint64_t)sysconf(_SC_PAGESIZE) };
	marks->margin_wanted = (margin + marks->page - 1) / marks->page;
	marks_look(marks, cgroup);
	if (!sysinfo(&machine) && marks->limit >= (uint64_t)machine.totalram * machine.mem_unit / marks->page)
		return fail("%s has no limit, so nothing has to go; set one: echo SIZE > %s/memory.max (or memory.high)", cgroup->path,
			    cgroup->path);
	if (use.own > use.limit)
		return fail("the least limit of %s, %llu bytes, is that of a cgroup above it, which others use up, too; set a lower one here: echo "
			    "SIZE > %s/memory.max (or memory.high); or govern the cgroup above", cgroup->path,
			    (unsigned long long)(use.limit * marks->page), cgroup->path);
	marks->first = marks->limit;
	if (marks->margin_wanted > marks->limit / 2)
		return fail("a margin of %llu bytes is more than half of the limit, which is %llu", (unsigned long long)margin,
			    (unsigned long long)(marks->limit * marks->page));
	marks->current = openat(cgroup->fd, "memory.current", O_RDONLY | O_CLOEXEC);
	return marks->current < 0 ? fail("cannot read %s/memory.current: %s", cgroup->path, reason(errno)) : 0;
}

void marks_end(struct marks *marks)
{
	if (marks->current >= 0)
		close(marks->current);
	marks->current = -1;
}

uint64_t marks_used(const struct marks *marks)
{
	char text[32];
	ssize_t got = pread(marks->current, text, sizeof(text) - 1, 0);
	uint64_t bytes;

	if (got <= 0)
		return 0;
	text[got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return parse_u64(text, &bytes) ? bytes / marks->page : 0;
}

uint64_t marks_over(const struct marks *marks, uint64_t used)
{
	return used > marks->high ? used - marks->low : 0;
}

uint64_t marks_room(const struct marks *marks, uint64_t used, uint64_t owned)
{
	uint64_t others = used > owned ? used - owned : 0;

	return marks->high > others ? marks->high - others : 1;
}
