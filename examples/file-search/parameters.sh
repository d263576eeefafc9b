# shellcheck shell=bash
# shellcheck disable=SC2034  # used by the scripts that read this file
# What the demo measures. The numbers were chosen by measurement (README.md): the disk, not an emulated processor, has to
# be what the search waits for, and all configurations together have to fit into six minutes.

# The tree that is searched: these folders of the kernel's source package.
FOLDERS=(drivers/net/ethernet/broadcom drivers/scsi kernel mm)
# What is looked for. Counting matches reads every file to its end.
PATTERN=kmem_cache_alloc
PASSES=10
# The cgroup's limit in percent of the tree's pages; rg's heap and the kernel's inodes are charged to it as well.
LIMIT_PERCENT=70
# The disk, in bytes a second.
DISK_BPS=$((9 << 20))
