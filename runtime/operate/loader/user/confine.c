/* SPDX-License-Identifier: MIT */
#include "user/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define TO_OPEN (1U << CAP_DAC_READ_SEARCH)
#define NOBODY 65534
#define GRACE_S 2 /* of processor time, until a policy that does not return is ended */
#define MAX_STATUS 65536
#define MAX_CAPABILITY 63

static volatile sig_atomic_t exceeded;

static struct __user_cap_header_struct header(void)
{
	return (struct __user_cap_header_struct){ .version = _LINUX_CAPABILITY_VERSION_3 };
}

int confine_check(void)
{
	struct __user_cap_header_struct mine = header();
	struct __user_cap_data_struct sets[2] = {};

	if (geteuid())
		return fail("no permission: a cgroup is governed by root, who gives up the rights when it is set up; run it with sudo");
	if (syscall(SYS_capget, &mine, sets) || !(sets[0].effective & TO_OPEN))
		return fail("no permission: files are opened by their handles, which takes CAP_DAC_READ_SEARCH in the initial user namespace; "
			    "run it with sudo");
	return 0;
}

int confine_rights(void)
{
	struct __user_cap_header_struct mine = header();
	struct __user_cap_data_struct sets[2] = { { .effective = TO_OPEN, .permitted = TO_OPEN } };

	for (int capability = 0; capability <= MAX_CAPABILITY; capability++)
		prctl(PR_CAPBSET_DROP, capability, 0, 0, 0); /* without CAP_SETPCAP it fails, and what follows suffices */
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) || setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY))
		return fail("cannot become a user without rights (number %d): %s", NOBODY, reason(errno));
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_capset, &mine, sets) || geteuid() != NOBODY)
		return fail("cannot give up its rights: %s", reason(errno));
	return 0;
}

/* Bytes of address space. */
static uint64_t address_space(void)
{
	char *text = read_file_at(AT_FDCWD, "/proc/self/statm", MAX_STATUS, NULL);
	uint64_t pages = text ? strtoull(text, NULL, 10) : 0;

	free(text);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

int confine_memory(uint64_t bytes)
{
	uint64_t most = address_space() + bytes;
	struct rlimit limit = { .rlim_cur = most, .rlim_max = most };

	return setrlimit(RLIMIT_AS, &limit) ? fail("cannot bound its memory: %s", reason(errno)) : 0;
}

static void too_long(int number)
{
	static const char said[] = "cpol-loader: error: ended: the policy did not return within its bound of processor time; the kernel's own "
				   "reclaim goes on\n";

	(void)number;
	if (exceeded && write(STDERR_FILENO, said, sizeof(said) - 1))
		_exit(1);
	exceeded = 1;
}

void confine_time(uint64_t ms)
{
	struct timeval time = { .tv_sec = (time_t)(ms / 1000), .tv_usec = (suseconds_t)(ms % 1000 * 1000) };
	struct itimerval timer = { .it_value = time, .it_interval = { .tv_sec = GRACE_S } };
	struct sigaction action = { .sa_handler = too_long, .sa_flags = SA_RESTART };

	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &timer, NULL);
}

bool confine_exceeded(void)
{
	return exceeded;
}

uint64_t used_ms(void)
{
	struct rusage use;

	getrusage(RUSAGE_SELF, &use);
	return (uint64_t)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000 +
	       (uint64_t)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1000;
}
