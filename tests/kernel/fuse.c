// SPDX-License-Identifier: GPL-2.0
/*
 * A FUSE file system with one file, "f", that has the contents of another file. It needs no libfuse.
 *
 *   fuse MOUNTPOINT SOURCE move|copy|wait
 *
 * A read is answered from a pipe into which SOURCE's page cache was spliced. With "move", the kernel may move these
 * folios into the page cache of "f" in place of its own (replace_page_cache_folio()). With "wait", the first read is told by
 * "asked", and answered when standard input ends; whoever reads ahead waits for it. The program prints "mounted" and
 * serves until it is unmounted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define THE_FILE 2
#define LARGEST 65536 /* bytes of one read */

static int device, source, ends[2];
static off_t size;
static unsigned int flags;
static int waits;

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void reply(const struct fuse_in_header *in, int error, const void *data, size_t length)
{
	char message[4096];
	struct fuse_out_header out = { .len = sizeof(out) + length, .error = error, .unique = in->unique };

	memcpy(message, &out, sizeof(out));
	if (length)
		memcpy(message + sizeof(out), data, length);
	/* ENOENT: the request was interrupted. */
	if (write(device, message, out.len) < 0 && errno != ENOENT)
		die("reply");
}

static struct fuse_attr attributes(uint64_t node)
{
	struct fuse_attr attr = { .ino = node, .nlink = 1, .blksize = 4096 };

	attr.mode = node == THE_FILE ? S_IFREG | 0444 : S_IFDIR | 0555;
	attr.size = node == THE_FILE ? size : 0;
	return attr;
}

static void reply_read(const struct fuse_in_header *in, const struct fuse_read_in *read_in)
{
	struct fuse_out_header out = { .unique = in->unique };
	loff_t offset = read_in->offset;
	size_t length = 0, wanted = 0;
	ssize_t got;

	if (waits) {
		puts("asked");
		fflush(stdout);
		while (read(0, &got, 1) > 0)
			;
		waits = 0;
	}
	if (offset < size)
		wanted = size - offset < read_in->size ? size - offset : read_in->size;
	out.len = sizeof(out) + wanted;
	if (write(ends[1], &out, sizeof(out)) != sizeof(out))
		die("pipe");
	for (; length < wanted; length += got) {
		got = splice(source, &offset, ends[1], NULL, wanted - length, flags);
		if (got <= 0)
			die("splice from the source");
	}
	got = splice(ends[0], NULL, device, NULL, out.len, flags);
	if (got != (ssize_t)out.len)
		die("splice to the device");
}

static void serve(const struct fuse_in_header *in, const void *body)
{
	struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION, .minor = 31, .max_readahead = LARGEST, .max_write = 4096 };
	struct fuse_entry_out entry = { .nodeid = THE_FILE, .entry_valid = 3600, .attr_valid = 3600 };
	struct fuse_attr_out attr = { .attr_valid = 3600 };
	struct fuse_open_out opened = { .fh = 1, .open_flags = FOPEN_KEEP_CACHE };

	switch (in->opcode) {
	case FUSE_INIT:
		init.flags = FUSE_MAX_PAGES | (waits ? 0 : FUSE_ASYNC_READ);
		init.max_pages = LARGEST / 4096;
		reply(in, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		entry.attr = attributes(THE_FILE);
		if (strcmp(body, "f"))
			reply(in, -ENOENT, NULL, 0);
		else
			reply(in, 0, &entry, sizeof(entry));
		break;
	case FUSE_GETATTR:
		attr.attr = attributes(in->nodeid);
		reply(in, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
		reply(in, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
		reply_read(in, body);
		break;
	case FUSE_RELEASE:
	case FUSE_FLUSH:
		reply(in, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		reply(in, -ENOSYS, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	static char request[LARGEST + 8192] __attribute__((aligned(8)));
	struct stat status;
	char options[128];
	ssize_t got;

	if (argc != 4 || (strcmp(argv[3], "move") && strcmp(argv[3], "copy") && strcmp(argv[3], "wait"))) {
		fprintf(stderr, "usage: fuse MOUNTPOINT SOURCE move|copy|wait\n");
		return 2;
	}
	waits = !strcmp(argv[3], "wait");
	flags = strcmp(argv[3], "move") ? 0 : SPLICE_F_MOVE;
	device = open("/dev/fuse", O_RDWR);
	source = open(argv[2], O_RDONLY);
	if (device < 0 || source < 0 || fstat(source, &status))
		die(device < 0 ? "/dev/fuse" : argv[2]);
	size = status.st_size;
	if (pipe(ends) || fcntl(ends[0], F_SETPIPE_SZ, 4 * LARGEST) < 0)
		die("pipe");
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", device);
	if (mount("fuse", argv[1], "fuse", MS_NOSUID | MS_NODEV, options))
		die(argv[1]);
	puts("mounted");
	fflush(stdout);
	while ((got = read(device, request, sizeof(request))) > 0 || errno == EINTR || errno == ENOENT)
		if (got > 0)
			serve((struct fuse_in_header *)request, request + sizeof(struct fuse_in_header));
	/* ENODEV: unmounted. */
	if (errno != ENODEV)
		die("/dev/fuse");
	return 0;
}
