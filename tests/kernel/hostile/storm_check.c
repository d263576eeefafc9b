// SPDX-License-Identifier: GPL-2.0
/* What must hold after each round; faults that are injected; the file systems. */
#define _GNU_SOURCE
#include "storm.h"
#include <fcntl.h>
#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define BAD                                                                                                                      \
	"BUG|WARNING|INFO: task|rcu.*stall|Oops|possible circular|possible recursive|inconsistent lock|suspicious|KASAN|UBSAN|"      \
	"cache_ext: inconsistent|cache_ext_node.*still|kmem_cache_destroy|list_[a-z]+ corruption|general protection|unable to handle"
/* File systems say so, too, when allocations fail: then it is no complaint. */
#define BAD_FILE_SYSTEM "EXT4-fs error|XFS .*(Corruption|Internal error|Shutting down)"
/* Lines shown of a complaint, and of what was before it. */
#define SHOWN 90
#define EARLIER 4

static int log_fd = -1;
static regex_t bad, bad_file_system;

void log_skip(void)
{
	log_fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	lseek(log_fd, 0, SEEK_END);
	if (regcomp(&bad, BAD, REG_EXTENDED | REG_NOSUB) || regcomp(&bad_file_system, BAD_FILE_SYSTEM, REG_EXTENDED | REG_NOSUB))
		_exit(2);
}

/* KCSAN reports races of all of the kernel; those that name the core count. */
static bool is_bad(const char *text)
{
	if (strstr(text, "KCSAN") && !strstr(text, "cache_ext") && !strstr(text, "prefetch_ext") && !strstr(text, "policy_ext")) {
		counts.races++;
		return false;
	}
	return !regexec(&bad, text, 0, NULL, 0) || (!settings.faults && !regexec(&bad_file_system, text, 0, NULL, 0));
}

bool log_clean(void)
{
	char record[8192], earlier[EARLIER][512] = { "" };
	int shown = 0, at = 0;
	ssize_t size;
	char *text;

	for (;;) {
		size = read(log_fd, record, sizeof(record) - 1);
		if (size < 0 && errno == EPIPE)
			continue;
		if (size <= 0)
			return !shown;
		record[size] = 0;
		text = strchr(record, ';');
		if (!text)
			continue;
		text[strcspn(text, "\n")] = 0;
		text++;
		counts.oom += !!strstr(text, "Killed process");
		counts.overruled += strstr(text, " is detached after ") || strstr(text, " is detached: it wastes ");
		if (!shown && is_bad(text)) {
			say("not ok round %d: the kernel complains:", round_number);
			for (int i = 0; i < EARLIER; i++)
				say("    %s", earlier[(at + i) % EARLIER]);
			shown = 1;
		}
		if (shown && shown++ <= SHOWN)
			say("    %s", text);
		snprintf(earlier[at++ % EARLIER], sizeof(earlier[0]), "%s", text);
	}
}

static const char *const stat_files[] = { "/proc/cache_ext/stat", "/proc/prefetch_ext/stat" };

/* The statistics of all policies of a kind; none if the kernel does not know it. */
static char *stat_read(const char *file)
{
	static char text[32768];
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	ssize_t size = read(fd, text, sizeof(text) - 1);

	close(fd);
	text[size > 0 ? size : 0] = 0;
	return text;
}

void stat_read_all(void)
{
	for (int i = 0; i < 2; i++)
		stat_read(stat_files[i]);
}

/* Of those that have ended the kernel keeps a line. */
static bool none_left(const char *file)
{
	char *line = NULL;

	for (double limit = now() + settings.patience; now() < limit; nap_ms(5)) {
		char *rest = NULL;

		for (line = strtok_r(stat_read(file), "\n", &rest); line && strstr(line, " state=ended ");)
			line = strtok_r(NULL, "\n", &rest);
		if (!line)
			return true;
	}
	say("%s", line);
	return false;
}

bool no_policy_left(void)
{
	return none_left(stat_files[0]) && none_left(stat_files[1]);
}

static unsigned long value(const char *line, const char *key)
{
	const char *at = strstr(line, key);

	return at ? strtoul(at + strlen(key), NULL, 10) : 0;
}

void stat_add(const char *name)
{
	char word[32], *line = NULL, *rest;

	snprintf(word, sizeof(word), " name=%s ", name);
	for (int i = 0; !line && i < 2; i++) {
		rest = NULL;
		line = strtok_r(stat_read(stat_files[i]), "\n", &rest);
		while (line && (!strstr(line, word) || strstr(line, " state=ended ")))
			line = strtok_r(NULL, "\n", &rest);
	}
	if (!line)
		return;
	if (settings.verbose)
		say("%s", line);
	counts.accessed += value(line, " accessed=");
	counts.evicted += value(line, " evicted=");
	counts.fallback += value(line, " fallback=");
	counts.migrated += value(line, " migrated=");
	counts.split += value(line, " split=");
	counts.asked += value(line, " asked=");
	counts.prefetched += value(line, " prefetched=");
	counts.used += value(line, " used=");
	counts.wasted += value(line, " wasted=");
	counts.foreign += value(line, " foreign=");
	counts.ra_asked += value(line, " ra_asked=");
	counts.ra_prefetched += value(line, " ra_prefetched=");
	counts.ranges += value(line, " ranges=");
	counts.out_asked += value(line, " out_asked=");
	counts.out_kept += value(line, " out_kept=");
}

static void set_fault(const char *which, const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/%s", which, file);
	write_to(path, text);
}

void faults_begin(void)
{
	static const char *const all[] = { "failslab", "fail_page_alloc" };
	char text[16];

	snprintf(text, sizeof(text), "%d", settings.faults);
	for (int i = 0; settings.faults && i < 2; i++) {
		set_fault(all[i], "probability", text);
		set_fault(all[i], "times", "-1");
		set_fault(all[i], "task-filter", "Y");
		set_fault(all[i], "ignore-gfp-wait", "N");
		set_fault(all[i], "min-order", "0");
		set_fault(all[i], "verbose", "0");
	}
}

/* In every other round. */
void faults_join(bool may_fail)
{
	if (settings.faults && round_number % 2)
		write_to("/proc/self/make-it-fail", may_fail ? "1" : "0");
}

static bool run(const char *command)
{
	int status = system(command);

	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static bool writable(char fs)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/run/storm/%c/probe", fs);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static void make_file(const char *name, size_t pages)
{
	static const char *const words[] = { "write", "0" };
	struct stat status;
	char number[16];
	struct ops ops = { .nr = 1 };
	int fd, state;

	if (!stat(file_path(name), &status) && (size_t)status.st_size == pages * PAGE)
		return;
	snprintf(number, sizeof(number), "%zu", pages);
	ops.op[0] = (struct op){ { (char *)words[0], (char *)name, (char *)words[1], number }, 4 };
	ended(work_start("", 0, &ops), settings.patience, &state);
	/* Who uses it first is charged for it. */
	fd = file_open(name, O_RDONLY);
	fsync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	close(fd);
}

void files_restore(void)
{
	char name[4] = "";

	for (const char *fs = "ex"; *fs; fs++) {
		name[0] = *fs;
		for (name[1] = '0'; name[1] < '3'; name[1]++)
			make_file(name, PAGES);
		name[1] = 'b';
		make_file(name, BIG_PAGES);
	}
}

static bool mounted(const char *disk, const char *where, const char *type)
{
	/* Whoever was killed may be ending. */
	for (double limit = now() + 5; umount(where) && errno == EBUSY && now() < limit;)
		nap_ms(5);
	return !mount(disk, where, type, 0, NULL);
}

/*
 * Fault injection may end a file system: then it is made anew. @again: mount each anew, so that the inodes that file systems keep for
 * themselves are in memory that was other inodes'.
 */
bool file_systems_ready(bool again)
{
	static const struct {
		char fs;
		const char *make, *type, *disk;
	} all[] = { { 'e', "mkfs.ext4 -q -F", "ext4", "/dev/vda" }, { 'x', "mkfs.xfs -q -f", "xfs", "/dev/vdb" } };
	static bool made;
	char where[32], command[128];

	mkdir("/run/storm", 0755);
	for (int i = 0; i < 2; i++) {
		snprintf(where, sizeof(where), "/run/storm/%c", all[i].fs);
		mkdir(where, 0755);
		if (made && (!again || mounted(all[i].disk, where, all[i].type)) && writable(all[i].fs))
			continue;
		snprintf(command, sizeof(command), "umount %s 2>/dev/null; %s %s", where, all[i].make, all[i].disk);
		if (!run(command) || !mounted(all[i].disk, where, all[i].type)) {
			say("not ok: no %s on %s", all[i].type, all[i].disk);
			return false;
		}
	}
	made = true;
	return true;
}
