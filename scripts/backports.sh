# shellcheck shell=bash
# The apt entry for bookworm-backports, derived from the machine's own. Source it; it runs nothing by itself.

# URIs of the mirrors that serve bookworm here. apt itself is asked, so it does not matter which file, which of the two
# formats, what is commented out, or whether the mirror is a snapshot.
bookworm_uris() {
    apt-get --print-uris update |
        sed -nE "s,^'(.*/)dists/(bookworm|oldstable|stable)/InRelease'.*,\1,p" | sort -u
}

# backports_entry URI: an entry for bookworm-backports on the same mirror. A frozen mirror's Release file has expired:
# that is what it is for.
backports_entry() {
    local uri="$1" keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    echo '# Made by scripts/apt-libbpf from the entry for bookworm. Harmless: backports are never chosen unasked.'
    echo 'Types: deb'
    echo "URIs: $uri"
    echo 'Suites: bookworm-backports'
    echo 'Components: main'
    if [[ -r "$keyring" ]]; then echo "Signed-By: $keyring"; fi
    if [[ "$uri" =~ snapshot|archive|/[0-9]{8}T[0-9]{6}Z ]]; then echo 'Check-Valid-Until: no'; fi
}
