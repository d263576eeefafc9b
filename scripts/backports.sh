# shellcheck shell=bash
# Functions that derive an apt entry for bookworm-backports from the machine's entries. Source this file.

# Print the URIs of the mirrors that serve bookworm here. apt tells them, so any file and either format of entry works.
bookworm_uris() {
    apt-get --print-uris update |
        sed -nE "s,^'(.*/)dists/(bookworm|oldstable|stable)/InRelease'.*,\1,p" | sort -u
}

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
