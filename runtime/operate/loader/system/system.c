/* SPDX-License-Identifier: MIT */
#include "system/system.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define KERNEL_BTF "/sys/kernel/btf"
#define MAX_BTF (256 << 20)

enum where { NOWHERE, IN_VMLINUX, IN_MODULE, NO_BTF };

static bool has_capability(const struct __user_cap_data_struct *sets, unsigned int capability)
{
	return sets[capability / 32].effective & 1U << capability % 32;
}

static bool read_capabilities(struct __user_cap_data_struct sets[2])
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };

	return !syscall(SYS_capget, &header, sets);
}

int check_privileges(void)
{
	struct __user_cap_data_struct sets[2] = {};
	bool enough = read_capabilities(sets) &&
		      (has_capability(sets, CAP_SYS_ADMIN) || (has_capability(sets, CAP_BPF) && has_capability(sets, CAP_PERFMON)));
	int fd;

	/* The capabilities may count in a user namespace only; the kernel decides. */
	if (enough) {
		fd = bpf_map_create(BPF_MAP_TYPE_HASH, "cpol_probe", 4, 4, 1, NULL);
		if (fd >= 0)
			close(fd);
		enough = fd >= 0 || errno != EPERM;
	}
	if (!enough)
		return fail("no permission: this needs root in the initial user namespace "
			    "(CAP_BPF and CAP_PERFMON); run it with sudo");
	return 0;
}

/* Whether BTF in a file of KERNEL_BTF has a type of that name. It is not parsed: its strings end with NULs. */
static bool btf_has(int dir, const char *file, const char *type)
{
	char wanted[64];
	int length = snprintf(wanted, sizeof(wanted), "%c%s", '\0', type);
	size_t size = 0;
	char *content = read_file_at(dir, file, MAX_BTF, &size);
	bool found = content && memmem(content, size, wanted, (size_t)length + 1);

	free(content);
	return found;
}

/* Where the kernel has the interface. */
static enum where find_cache_ext(void)
{
	DIR *dir = opendir(KERNEL_BTF);
	enum where where = NOWHERE;
	struct dirent *entry;

	if (!dir)
		return NO_BTF;
	if (btf_has(dirfd(dir), "vmlinux", "cache_ext_ops"))
		where = IN_VMLINUX;
	while (!where && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && strcmp(entry->d_name, "vmlinux") && btf_has(dirfd(dir), entry->d_name, "cache_ext_ops"))
			where = IN_MODULE;
	closedir(dir);
	return where;
}

int check_kernel(void)
{
	enum where where = find_cache_ext();

	if (where == NO_BTF)
		return fail("this kernel has no BTF (%s): boot a kernel with cache_ext (cpolc vm run starts one)", KERNEL_BTF);
	if (!where)
		return fail("this kernel has no cache_ext, so no policy can be attached: load its module (modprobe cache_ext; "
			    "docs/stock-kernel.md), or boot a kernel with cache_ext (kernel/build-kernel builds one, cpolc vm run "
			    "starts it in a virtual machine)");
	return 0;
}

int check_kfuncs(void)
{
	struct __user_cap_data_struct sets[2] = {};

	if (find_cache_ext() != IN_MODULE || (read_capabilities(sets) && has_capability(sets, CAP_SYS_ADMIN)))
		return 0;
	return fail("no permission: cache_ext is a module here, and only CAP_SYS_ADMIN finds a module's kfuncs; run this as root, or "
		    "give the unit that capability, too (runtime/operate/systemd/cpol@.service.d/stock-kernel.conf)");
}

static bool is_mounted(const char *path, long magic)
{
	struct statfs file_system;

	return !statfs(path, &file_system) && file_system.f_type == magic;
}

int open_pins(bool create)
{
	struct statfs file_system;
	struct stat status;
	int fd;

	if (!is_mounted(BPFFS, BPF_FS_MAGIC)) {
		if (!create)
			return -2;
		/* What is mounted there may hide the pins of attached policies. */
		if (!statfs(BPFFS, &file_system) && file_system.f_type != SYSFS_MAGIC)
			return fail("another file system than bpffs is mounted on %s, and may hide what is attached: umount it, and try again", BPFFS);
		if (mount("bpf", BPFFS, "bpf", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0700"))
			return fail("cannot mount bpffs, which keeps policies attached, at %s: %s", BPFFS, reason(errno));
	}
	if (create && mkdir(PINS, 0700) && errno != EEXIST)
		return fail("cannot make %s: %s", PINS, reason(errno));
	fd = open(PINS, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		if (errno == ENOENT && !create)
			return -2;
		return fail("cannot open %s: %s%s", PINS, reason(errno), errno == EACCES ? " (run it with sudo)" : "");
	}
	if (fstat(fd, &status) || status.st_uid != geteuid()) {
		close(fd);
		return fail("%s belongs to another user: look what it keeps attached (bpftool link list), then remove it", PINS);
	}
	if (status.st_mode & 066) {
		close(fd);
		return fail("%s lets others read or write it; run chmod go-rw %s (to remove it would detach all policies)", PINS, PINS);
	}
	return fd;
}
