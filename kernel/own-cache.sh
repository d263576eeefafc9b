# shellcheck shell=bash
# Kernels and modules in the cache are booted and loaded, often by root. Source this; it uses the caller's die.

# own_cache FOLDER [ENTRY]: make FOLDER; end if another user owns or can write to it, or to ENTRY and what is in it. A
# lock and a tree for builds stand beside the entries; only what is used is looked at.
own_cache() {
	local folder=$1 entry=${2:-} found instead
	instead="name a folder of your own in CPOL_CACHE, such as CPOL_CACHE=$(getent passwd "$EUID" | cut -d: -f6)/.cache/cpol"
	# The kernel's Makefiles split paths there.
	case $folder in *[[:space:]:]*) die "no kernel or module can be built in $folder, which has a blank or a colon in its name; name another folder in CPOL_CACHE, such as CPOL_CACHE=/var/cache/cpol" ;; esac
	mkdir -p "$folder"
	found=$(find -H "$folder" -maxdepth 0 \( ! -uid 0 ! -uid "$EUID" -o -perm /022 \) -print)
	[ -z "$found" ] || die "another user owns $found or can write to it; $instead"
	{ [ -n "$entry" ] && [ -e "$entry" ]; } || return 0
	found=$(find "$entry" \( -type l -o ! -uid 0 ! -uid "$EUID" -o -perm /022 \) -print -quit)
	[ -z "$found" ] || die "another user owns $found or can write to it; remove it, or $instead"
}
