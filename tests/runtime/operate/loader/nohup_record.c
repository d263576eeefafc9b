/* SPDX-License-Identifier: MIT */
/* nohup_record: begins a recording in a kernel that is made up, and prints what SIGHUP does when the recorder's object is read. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>

#include "command/commands.h"
#include "made_up_cgroup.h"

char *read_file_at(int dir, const char *path, size_t limit, size_t *size)
{
	struct sigaction now;

	(void)dir;
	(void)path;
	(void)limit;
	(void)size;
	sigaction(SIGHUP, NULL, &now);
	puts(now.sa_handler == SIG_IGN ? "ignored" : now.sa_handler == SIG_DFL ? "kills" : "ends the recording");
	errno = ENOENT;
	return NULL;
}

int main(void)
{
	const struct record_command command = { .object = "none", .cgroup = "/cgroup" };

	return command_record(&command) ? 1 : 0;
}
