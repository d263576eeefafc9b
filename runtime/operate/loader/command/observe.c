/* SPDX-License-Identifier: MIT */
/* `observe`: counts how a cgroup uses the page cache. The programs are those of runtime/operate/observe. A line on standard input asks for the counts. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "command/commands.h"
#include "command/observe_text.h"
#include "command/tracer.h"
#include "system/cgroup.h"
#include "system/system.h"

#define POLL_MS 1000 /* a signal that came just before */

static int load(struct tracer *tracer, const struct observe_command *command, uint64_t cgroup)
{
	struct observe_options *options = tracer_open(tracer, "observe_options", sizeof(*options));

	if (!options)
		return -1;
	*options = (struct observe_options){ .cgroup = cgroup, .observer = (uint32_t)getpid() };
	options->heat = command->heat;
	options->heat_shift = (uint32_t)command->heat_shift;
	return tracer_load(tracer, "observer");
}

/* How many lines were asked for; 0: a signal came; -1: standard input ended. */
static int asked(void)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

	while (!tracer_stopped) {
		char words[64];
		ssize_t got;
		int lines = 0;

		if (poll(&input, 1, POLL_MS) <= 0)
			continue;
		got = read(STDIN_FILENO, words, sizeof(words));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -1;
		for (ssize_t i = 0; i < got; i++)
			lines += words[i] == '\n';
		if (lines)
			return lines;
	}
	return 0;
}

static int answer(const struct tracer *tracer, struct observed *observed, const struct cgroup *cgroup)
{
	int lines;

	fprintf(stdout, "{\"observing\":");
	json_string(stdout, cgroup->path);
	fprintf(stdout, "}\n");
	fflush(stdout);
	while ((lines = asked()) > 0)
		while (lines--)
			if (observed_write(observed, stdout, tracer_missed(tracer), cgroup_is_gone(cgroup)))
				return -1;
	return 0;
}

int command_observe(const struct observe_command *command)
{
	struct tracer tracer = { .path = command->object, .command = "cpolc observe" };
	struct observed observed = {};
	struct cgroup cgroup;
	int status;

	if (cgroup_open(&cgroup, command->cgroup))
		return -1;
	tracer_listen();
	status = check_privileges() || cgroup_check_memory(&cgroup, false) || load(&tracer, command, cgroup.id) ||
		 observed_open(&observed, tracer.object) || tracer_attach(&tracer) || answer(&tracer, &observed, &cgroup);
	observed_close(&observed);
	tracer_close(&tracer);
	cgroup_close(&cgroup);
	return status ? -1 : 0;
}
