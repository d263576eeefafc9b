#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Tests of cache_ext, as KTAP; guest-test does the work.
#
#   cache_ext.sh [PART...]	parts of guest-test; without any, all
#
# DISKS="vda:ext4 vdb:xfs" names block devices to format. Without it, these are
# loop devices on files in TMPDIR (/var/tmp). The machine will be short of
# memory: use a virtual one with little of it.

here=$(cd "${0%/*}" && pwd)
# shellcheck source=/dev/null # it is in the kernel's tree
. "$here/../kselftest/ktap_helpers.sh"
set -f # its messages are words, no patterns
cgroups=/sys/fs/cgroup

skip()
{
	ktap_skip_all "$@"
	exit "$KSFT_SKIP"
}

ktap_print_header
[ "$(id -u)" = 0 ] || skip "must be run as root"
[ -r /proc/cache_ext/stat ] || skip "the kernel has no CONFIG_CACHE_EXT"
[ "$(stat -fc %T $cgroups)" = cgroup2fs ] || skip "no cgroup2 at $cgroups"
for tool in mkfs.ext4 mkfs.xfs losetup mkswap setpriv unshare; do
	command -v $tool >/dev/null || skip "no $tool"
done
echo +memory >$cgroups/cgroup.subtree_control || skip "no memory controller"

loops=
image=
clean_up()
{
	[ -z "$image" ] || rm -f "$image"
	umount /tmp/ext4 /tmp/xfs 2>/dev/null
	for loop in $loops; do losetup -d "$loop"; done
}
trap clean_up EXIT
trap 'exit 1' HUP INT TERM

# The file is gone when nothing has the loop device open any more.
if [ -z "$DISKS" ]; then
	for type in ext4 xfs; do
		image=$(mktemp "${TMPDIR:-/var/tmp}/cache_ext.XXXXXX") ||
			skip "no temporary file"
		truncate -s 512M "$image" || skip "no sparse file"
		loop=$(losetup --direct-io=on -f --show "$image") ||
			skip "no loop device"
		rm "$image"
		loops="$loops $loop"
		DISKS="$DISKS ${loop#/dev/}:$type"
	done
	DISKS=${DISKS# }
fi
export DISKS OBJECTS="$here"

# A "#" would begin a directive.
sh "$here/guest-test" "$@" 2>&1 | sed -u -E '/^(not )?ok /s/#/+/g' | {
	ended=
	while [ -z "$ended" ] && IFS= read -r line; do
		case $line in
		"ok "*) ktap_test_pass "${line#ok }" ;;
		"not ok "*) ktap_test_fail "${line#not ok }" ;;
		"guest-test: "*) ended=yes ;;
		*) ktap_print_msg "${line#\# }" ;;
		esac
	done
	[ -n "$ended" ] || ktap_test_fail "guest-test comes to its end"
	ktap_set_plan $((KTAP_TESTNO - 1))
	ktap_finished
}
