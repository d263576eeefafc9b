#!/bin/sh
# Inside the virtual machine: search the tree on /dev/vda again and again, under one configuration after the other.
#
#     guest.sh LIMIT PASSES PATTERN LOADER OBJECT...
#
# LIMIT is the cgroup's memory.max; the search and its page cache live in it. Configurations: `lru` and `mglru`, which
# are the kernel's own, then one for each compiled policy OBJECT (NAME.bpf.o), attached by LOADER, over `lru`.
#
# Writes a line a pass to $CPOL_EXCHANGE/passes.tsv: configuration, pass, seconds, bytes read from the disk, matches,
# bytes of page cache that the cgroup has at the end; and each policy's statistics to $CPOL_EXCHANGE/NAME.stat. Prints
# the same lines, which progress.py reads. CPOL_MODULE names a module to load first.
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

# Every file is read with read(2), to its end. --sort path: every pass gives its result, and reads, in one order.
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

# Each configuration starts from nothing: a new cgroup, nothing cached, not even directory entries. Only the programs are
# brought in again, outside the cgroup, by a search elsewhere: else their pages are charged to whoever ran first, and the
# policies would be compared on them as well.
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
        cat /sys/kernel/debug/cache_ext/stat >"$CPOL_EXCHANGE/$1.stat"
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
