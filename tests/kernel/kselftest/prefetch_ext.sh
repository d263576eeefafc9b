#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Tests of prefetch_ext, as KTAP; guest-prefetch does the work.
#
#   prefetch_ext.sh [PART...]	parts of guest-prefetch; without any, all
#
# DISKS="vda:ext4 vdb:xfs" and SWAP_DISK=vdc name block devices to format
# (run_guest.sh).

# shellcheck source=tests/kernel/kselftest/run_guest.sh
. "${0%/*}/run_guest.sh"

needs prefetch_ext swapon swapoff
disks
swap_disk
[ $# -gt 0 ] || set -- all
run_guest guest-prefetch "$@"
