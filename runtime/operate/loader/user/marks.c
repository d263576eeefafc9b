/* SPDX-License-Identifier: MIT */
#include "user/marks.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "object/capacity.h"

#define SHARE 32	   /* of the limit is the margin */
#define MIN_MARGIN 32	   /* pages: one request */
#define MAX_MARGIN 16384   /* pages, unless the user wants more */
#define LOW_SHARE 8	   /* of the margin is between the marks */

void marks_set(struct marks *marks, uint64_t limit)
{
	uint64_t margin = marks->margin_wanted ? marks->margin_wanted : limit / SHARE;

	if (!marks->margin_wanted && margin > MAX_MARGIN)
		margin = MAX_MARGIN;
	if (margin < MIN_MARGIN)
		margin = MIN_MARGIN;
	if (margin > limit / 2)
		margin = limit / 2;
	marks->limit = limit;
	marks->margin = margin;
	marks->high = limit - margin;
	marks->low = marks->high - (margin / LOW_SHARE < marks->high ? margin / LOW_SHARE : 0);
}

void marks_look(struct marks *marks, const struct cgroup *cgroup)
{
	uint64_t limit = memory_use(cgroup).limit;

	if (limit != marks->limit)
		marks_set(marks, limit);
}

int marks_begin(struct marks *marks, const struct cgroup *cgroup, uint64_t margin)
{
	struct sysinfo machine;

	*marks = (struct marks){ .current = -1, .page = (uint64_t)sysconf(_SC_PAGESIZE) };
	marks->margin_wanted = (margin + marks->page - 1) / marks->page;
	marks_look(marks, cgroup);
	if (!sysinfo(&machine) && marks->limit >= (uint64_t)machine.totalram * machine.mem_unit / marks->page)
		return fail("%s has no limit, so nothing has to go; set one: echo SIZE > %s/memory.max (or memory.high)", cgroup->path,
			    cgroup->path);
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
