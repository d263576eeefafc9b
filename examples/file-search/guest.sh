#!/bin/sh
# Runs in the virtual machine: search the tree on /dev/vda several times under each configuration.
#
#     guest.sh LIMIT PASSES PATTERN LOADER OBJECT...
#
# LIMIT is memory.max of the cgroup that holds the search and its page cache. The configurations are `lru` and `mglru`,
# the kernel's own, then one for each compiled policy OBJECT (NAME.bpf.o), which LOADER attaches over `lru`.
#
# Output:
# - a line per pass, to standard output for progress.py and to $CPOL_EXCHANGE/passes.tsv: configuration, pass, seconds,
#   bytes read from the disk, matches, bytes of page cache in the cgroup at the end;
# - $CPOL_EXCHANGE/NAME.stat: the statistics of each policy.
#
# CPOL_MODULE names a module to load first.
set -eu

limit=$1 passes=$2 pattern=$3 loader=$4
shift 4

tree=/mnt/tree
group=/sys/fs/cgroup/search
disk=/sys/block/vda/stat
out=$CPOL_EXCHANGE/passes.tsv

sectors_read() {
    read -r _ _ sectors _ <"$disk"
    echo "$sectors"
}

now() { # hundredths of a second
    read -r up _ </proc/uptime
    echo "${up%.*}${up#*.}"
}

# --no-mmap reads with read(2), --count-matches reads to the end of a file, --sort path fixes the order of the reads.
search() { # GROUP FOLDER
    sh -c 'echo $$ >"$1/cgroup.procs"
        exec rg --no-config --no-ignore --hidden --no-mmap --sort path --text --count-matches --fixed-strings -- "$2" "$3"' \
        search "$1" "$pattern" "$2" | awk -F: '{ n += $NF } END { print n + 0 }'
}

one_pass() { # CONFIGURATION NUMBER
    sectors=$(sectors_read) begun=$(now)
    matches=$(search "$group" "$tree")
    hundredths=$(($(now) - begun)) bytes=$((($(sectors_read) - sectors) * 512))
    cached=$(awk '$1 == "file" { print $2 }' "$group/memory.stat")
    printf '%s\t%s\t%d.%02d\t%s\t%s\t%s\n' "$1" "$2" $((hundredths / 100)) $((hundredths % 100)) "$bytes" "$matches" \
        "$cached" | tee -a "$out"
}

# Each configuration starts with a new cgroup and an empty cache, without directory entries, too. A search outside the
# cgroup caches the programs first; otherwise their pages would be charged to the first configuration that runs them.
configuration() { # NAME LRU_GEN [OBJECT]
    echo "$2" >/sys/kernel/mm/lru_gen/enabled
    mkdir "$group"
    echo "$limit" >"$group/memory.max"
    mount -t ext4 -o ro,noatime /dev/vda "$tree"
    echo 3 >/proc/sys/vm/drop_caches
    search /sys/fs/cgroup "${0%/*}" >/dev/null
    if [ $# -eq 3 ]; then "$loader" attach "$3" "$group" >/dev/null; fi
    pass=0
    while [ "$pass" -lt "$passes" ]; do
        pass=$((pass + 1))
        one_pass "$1" "$pass"
    done
    if [ $# -eq 3 ]; then
        cat /proc/cache_ext/stat >"$CPOL_EXCHANGE/$1.stat"
        "$loader" detach "$group" >/dev/null
    fi
    umount "$tree"
    rmdir "$group"
}

if [ -n "${CPOL_MODULE:-}" ]; then insmod "$CPOL_MODULE"; fi
mkdir -p "$tree"
: >"$out"
configuration lru n
configuration mglru y
for object in "$@"; do
    name=${object##*/}
    configuration "${name%.bpf.o}" n "$object"
done
