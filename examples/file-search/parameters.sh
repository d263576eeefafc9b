# shellcheck shell=bash
# shellcheck disable=SC2034  # used by the scripts that read this file
# Parameters of the demo, chosen by measurement (README.md): the search must wait for the disk, not for an emulated
# processor, and all configurations together must fit into six minutes.

# Folders of the kernel's source package to search.
FOLDERS=(drivers/net/ethernet/broadcom drivers/scsi kernel mm)
# The pattern to search for. Counting matches reads every file to its end.
PATTERN=kmem_cache_alloc
PASSES=10
# The cgroup's limit in percent of the tree's pages. rg's heap and the kernel's inodes are charged to it, too.
LIMIT_PERCENT=70
# Disk throughput in bytes per second.
DISK_BPS=$((9 << 20))
