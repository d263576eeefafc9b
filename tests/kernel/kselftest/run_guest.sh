# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Sourced by the tests. Runs a guest's script, and prints its checks as KTAP.
#
# DISKS="vda:ext4 vdb:xfs" and SWAP_DISK=vdc name block devices to format. Without
# them, these are loop devices on files in TMPDIR (/var/tmp). The machine will be
# short of memory: use a virtual one with little of it.

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

# needs CORE TOOL...: begin, or skip all
needs()
{
	ktap_print_header
	[ "$(id -u)" = 0 ] || skip "must be run as root"
	[ -r "/proc/$1/stat" ] || skip "the kernel does not have $1"
	[ "$(stat -fc %T $cgroups)" = cgroup2fs ] || skip "no cgroup2 at $cgroups"
	shift
	for tool in mkfs.ext4 mkfs.xfs losetup mkswap setpriv unshare "$@"; do
		command -v "$tool" >/dev/null || skip "no $tool"
	done
	echo +memory >$cgroups/cgroup.subtree_control ||
		skip "no memory controller"
}

loops=
image=
clean_up()
{
	[ -z "$image" ] || rm -f "$image"
	umount /tmp/ext4 /tmp/xfs 2>/dev/null
	for loop in $loops; do
		swapoff "$loop" 2>/dev/null
		losetup -d "$loop"
	done
}
trap clean_up EXIT
trap 'exit 1' HUP INT TERM

# new_loop SIZE: set $loop. The file is gone when nothing has it open any more.
new_loop()
{
	image=$(mktemp "${TMPDIR:-/var/tmp}/cache_ext.XXXXXX") ||
		skip "no temporary file"
	truncate -s "$1" "$image" || skip "no sparse file"
	loop=$(losetup --direct-io=on -f --show "$image") ||
		skip "no loop device"
	rm "$image"
	loops="$loops $loop"
}

disks()
{
	if [ -z "$DISKS" ]; then
		for type in ext4 xfs; do
			new_loop 512M
			DISKS="$DISKS ${loop#/dev/}:$type"
		done
		DISKS=${DISKS# }
	fi
	export DISKS
}

swap_disk()
{
	if [ -z "$SWAP_DISK" ]; then
		new_loop 256M
		SWAP_DISK=${loop#/dev/}
	fi
	export SWAP_DISK
}

# run_guest SCRIPT [PART...]
run_guest()
{
	export OBJECTS="$here"
	script=$1
	shift
	# A "#" would begin a directive.
	sh "$here/$script" "$@" 2>&1 | sed -u -E '/^(not )?ok /s/#/+/g' | {
		ended=
		while [ -z "$ended" ] && IFS= read -r line; do
			case $line in
			"ok "*) ktap_test_pass "${line#ok }" ;;
			"not ok "*) ktap_test_fail "${line#not ok }" ;;
			"$script: "*) ended=yes ;;
			*) ktap_print_msg "${line#\# }" ;;
			esac
		done
		[ -n "$ended" ] || ktap_test_fail "$script comes to its end"
		ktap_set_plan $((KTAP_TESTNO - 1))
		ktap_finished
	}
}
