/* SPDX-License-Identifier: MIT */
#include "inputs/task.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define INITIAL_PID_NAMESPACE 0xEFFFFFFCU /* PROC_PID_INIT_INO */

bool task_initial_namespace(void)
{
	struct stat status;

	return stat("/proc/self/ns/pid", &status) || status.st_ino == INITIAL_PID_NAMESPACE;
}

/* Signal 0 only asks. The kernel finds a task before it looks at permissions, and no mount option of /proc hides one from it. */
const char *task_missing(uint64_t number, bool process)
{
	pid_t id = (pid_t)number;

	if (syscall(SYS_tkill, id, 0) && errno == ESRCH)
		return "there is none of that number";
	if (process && syscall(SYS_tgkill, id, id, 0) && errno == ESRCH)
		return "it is the number of another process's thread";
	return NULL;
}

bool task_name(uint64_t number, char name[TASK_NAME_SIZE])
{
	char path[64], *text;
	size_t length;

	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/comm", number);
	text = read_file_at(AT_FDCWD, path, 4096, NULL);
	memset(name, 0, TASK_NAME_SIZE);
	if (!text)
		return false;
	length = strlen(text);
	length -= length && text[length - 1] == '\n';
	memcpy(name, text, length < TASK_NAME_SIZE ? length : TASK_NAME_SIZE - 1);
	free(text);
	return true;
}
