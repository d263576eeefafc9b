#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Tests of cache_ext, as KTAP; guest-test does the work.
#
#   cache_ext.sh [PART...]	parts of guest-test; without any, all
#
# DISKS="vda:ext4 vdb:xfs" names block devices to format (run_guest.sh).

# shellcheck source=tests/kernel/kselftest/run_guest.sh
. "${0%/*}/run_guest.sh"

needs cache_ext
disks
run_guest guest-test "$@"
