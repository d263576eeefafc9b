# shellcheck shell=bash
# Functions that derive an apt entry for bookworm-backports from the machine's entries. Source this file.

# uris_of SUITE: print the URIs of the mirrors that serve a suite here, such as `bookworm`, or `trixie|stable` for one of two
# names. apt tells them, so any file and either format of entry works.
uris_of() {
    apt-get --print-uris update | sed -nE "s,^'(.*/)dists/($1)/InRelease'.*,\1,p" | sort -u
}
bookworm_uris() { uris_of 'bookworm|oldstable|stable'; }

# backports_entry URI: print an entry for bookworm-backports on the same mirror. On a snapshot, the Release file has
# expired; the entry accepts that.
backports_entry() {
    local uri="$1" keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    echo '# Made by scripts/apt-libbpf from the entry for bookworm. apt installs backports only when asked.'
    echo 'Types: deb'
    echo "URIs: $uri"
    echo 'Suites: bookworm-backports'
    echo 'Components: main'
    if [[ -r "$keyring" ]]; then echo "Signed-By: $keyring"; fi
    if [[ "$uri" =~ snapshot|archive|/[0-9]{8}T[0-9]{6}Z ]]; then echo 'Check-Valid-Until: no'; fi
}
