# shellcheck shell=bash
# What every script here shares. Source it; it runs nothing by itself.

# The checkout, and the cache that outlives it (packages' sources, kernels, file-system images).
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
CPOL_CACHE="${CPOL_CACHE:-${HOME:-/root}/.cache/cpol}"
export ROOT CPOL_CACHE
export PATH="$ROOT/.venv/bin:$PATH:/usr/sbin:/sbin"

# Seconds between two signs of life of a silent step.
HEARTBEAT="${CPOL_HEARTBEAT:-15}"

say() { printf '==> %s\n' "$*" >&2; }
die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# One hash for the contents (not the times) of files.
hash_files() { cat -- "$@" | sha256sum | cut -c1-16; }

# A new file for the output of a step.
step_log() { mktemp "${TMPDIR:-/tmp}/cpol-step.XXXXXXXX"; }

# step TITLE COMMAND...: run a long command with its output in a log; print a sign of life now and then, the time it
# took, and the log's end if it fails.
step() {
    local title="$1" log
    shift
    log="$(step_log)"
    say "$title"
    "$@" </dev/null >"$log" 2>&1 &
    step_await "$title" $! "$log" "$SECONDS"
}

# step_await TITLE PID LOG STARTED: the second half of `step`, for a child that was started earlier.
step_await() {
    local title="$1" child="$2" log="$3" started="$4" status=0 i
    while kill -0 "$child" 2>/dev/null; do
        for ((i = 0; i < HEARTBEAT * 5; i++)); do
            kill -0 "$child" 2>/dev/null || break
            sleep 0.2
        done
        kill -0 "$child" 2>/dev/null || break
        printf '    … %s s: %s\n' "$((SECONDS - started))" "$(tail -n 1 "$log" | tr '\r' '\n' | tail -n 1 | cut -c1-100)" >&2
    done
    wait "$child" || status=$?
    if ((status != 0)); then
        tail -n 40 "$log" >&2
        rm -f "$log"
        die "$title: failed with exit code $status (its last lines are above)"
    fi
    rm -f "$log"
    printf '    %s s\n' "$((SECONDS - started))" >&2
}

# Where `make` can install what is missing: Debian 12, as root. Nothing is installed by halves elsewhere.
require_debian_12() {
    local id version
    id="$(. /etc/os-release 2>/dev/null && printf '%s' "${ID:-}")"
    version="$(. /etc/os-release 2>/dev/null && printf '%s' "${VERSION_ID:-}")"
    [[ "$id" == debian && "$version" == 12 ]] ||
        die "setup installs packages on Debian 12 (bookworm) only; this is '${id:-unknown} ${version:-}'. Nothing was changed."
}
require_root() {
    [[ "$(id -u)" == 0 ]] ||
        die "setup installs Debian packages and must run as root (you are $(id -un)): run it in a root shell. Nothing was changed."
}

# apt's own lock on its lists has no time-out: try again for a while.
apt_update() {
    local try
    for try in 1 2 3 4 5 6; do
        apt-get -q update && return
        ((try < 6)) && sleep $((try * 2))
    done
    # A foreign entry that cannot be reached makes the whole update fail. The packages' own check comes next.
    echo "apt-get update had errors; going on with the lists there are"
}

apt_add() {
    DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 \
        install --no-install-recommends "$@"
}
