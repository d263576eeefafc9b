# shellcheck shell=bash
# Functions and settings that all scripts share. Source this file.

# The checkout, and the cache that outlives it (kernels, compiled simulators, file-system images).
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
CPOL_CACHE="${CPOL_CACHE:-${HOME:-/root}/.cache/cpol}"
export ROOT CPOL_CACHE
export PATH="$ROOT/.venv/bin:$PATH:/usr/sbin:/sbin"

# Seconds between two status lines of `step`, where there is no terminal.
HEARTBEAT="${CPOL_HEARTBEAT:-15}"

say() { printf '==> %s\n' "$*" >&2; }
die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# hash_files FILE...: print one hash of their contents.
hash_files() { cat -- "$@" | sha256sum | cut -c1-16; }

# zipf_trace: print the path of a trace of ten million Zipf-distributed requests for a million objects, made if needed.
# Its name tells the format.
zipf_trace() {
    local folder="$CPOL_CACHE/bench" trace scratch
    trace="$folder/zipf-$(hash_files "$ROOT/scripts/zipf_trace.py").oracleGeneral.bin"
    if [[ ! -s "$trace" ]]; then
        mkdir -p "$folder"
        scratch="$(mktemp -d "$folder/making.XXXXXXXX")"
        step "making a trace of ten million requests" \
            python3 "$ROOT/scripts/zipf_trace.py" "$scratch/trace" 10000000 1000000
        mv "$scratch/trace" "$trace"
        rmdir "$scratch"
    fi
    printf '%s\n' "$trace"
}

# Create a log file for a step and print its path.
step_log() { mktemp "${TMPDIR:-/tmp}/cpol-step.XXXXXXXX"; }

# step TITLE COMMAND...: run a long command, write its output to a log, and show progress: on a terminal in one line
# that is updated, otherwise in a line every HEARTBEAT seconds. At the end, show the time it took; if it failed, show
# the end of the log and exit. STEP_STATUS names the function that prints the progress: STATUS LOG SECONDS.
step() {
    local title="$1" log
    shift
    log="$(step_log)"
    watched "$title" "$log" "$@"
    if ((watched_status != 0)); then
        tail -n 40 "$log" >&2
        rm -f "$log"
        die "$title: failed with exit code $watched_status (its last lines are above)"
    fi
    rm -f "$log"
    printf '    %s s\n' "$watched_seconds" >&2
}

# watched TITLE LOG COMMAND...: the same, but for its end: it leaves the exit code in watched_status, the time in
# watched_seconds, and the log. It returns 0, so that a function as command ends at its first failure.
watched() {
    local title="$1" log="$2" child started=$SECONDS ticks=0 every=$((HEARTBEAT * 5)) begin='' end=$'\n' text
    shift 2
    if [[ -t 2 ]]; then every=5 begin=$'\r\033[K' end=''; fi
    watched_status=0
    say "$title"
    # The command gets its own process group, so that a signal to this script ends all of it.
    set -m
    "$@" </dev/null >"$log" 2>&1 &
    child=$!
    set +m
    trap 'end_step "$child" "$log" 129' HUP
    trap 'end_step "$child" "$log" 130' INT
    trap 'end_step "$child" "$log" 141' PIPE
    trap 'end_step "$child" "$log" 143' TERM
    while kill -0 "$child" 2>/dev/null; do
        sleep 0.2
        ((++ticks % every)) && continue
        text="$("${STEP_STATUS:-last_line}" "$log" $((SECONDS - started)) | cut -c1-72)"
        printf '%s    … %s%s' "$begin" "$text" "$end" >&2
    done
    printf '%s' "$begin" >&2
    wait "$child" || watched_status=$?
    trap - HUP INT PIPE TERM
    watched_seconds=$((SECONDS - started))
}

# end_step PID LOG CODE: end a step's process group, then this script.
end_step() {
    kill -TERM -- "-$1"
    rm -f "$2"
    exit "$3"
}

# Status function for `step`: the seconds so far and the log's last line.
last_line() { printf '%s s: %s\n' "$2" "$(tail -n 1 "$1" | tr '\r' '\n' | tail -n 1)"; }

# time_left DONE TOTAL SECONDS: print ", about N s left" if DONE of TOTAL took SECONDS; nothing while it is too early.
time_left() {
    local left
    (($1 > 0 && $1 < $2 && $3 >= 3)) || return 0
    left=$(($3 * ($2 - $1) / $1))
    if ((left < 90)); then
        printf ', about %d s left' $(((left / 5 + 1) * 5))
    else
        printf ', about %d min left' $(((left + 30) / 60))
    fi
}

# Status function for `step apt_add`: fetching counts as one half, installing as the other.
apt_status() {
    local percent what
    read -r percent what < <(awk -F: '
        /^dlstatus:/ { fetched = $3; what = "fetching packages" }
        /^pmstatus:/ { fetched = 100; installed = $3; what = $4 }
        END { printf "%d %s\n", (fetched + installed) / 2, what }' "$1")
    printf '%d %%%s: %s\n' "$percent" "$(time_left "$percent" 100 "$2")" "${what:-reading package lists}"
}

# Exit before anything is installed, unless this machine has apt.
require_apt() {
    { command -v apt-get && command -v dpkg-query; } >/dev/null ||
        die "setup installs Debian packages, and this is '$(os_name)', without apt-get: use Debian 12 or 13. Nothing was changed."
}
os_name() { (. /etc/os-release 2>/dev/null && printf '%s' "${PRETTY_NAME:-unknown}") || printf unknown; }
require_root() {
    [[ "$(id -u)" == 0 ]] ||
        die "setup installs Debian packages and must run as root (you are $(id -un)): run it in a root shell. Nothing was changed."
}

# apt's lock on its lists has no timeout option, so retry.
apt_update() {
    local try
    for try in 1 2 3 4 5 6; do
        apt-get -q update && return
        ((try < 6)) && sleep $((try * 2))
    done
    # One unreachable repository makes the whole update fail. apt-install checks the packages afterwards.
    echo "apt-get update had errors; continuing with the package lists that it has"
}

# apt closes the status descriptor for dpkg. So it is none of the standard ones: packages' scripts print to those.
apt_add() {
    DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 -o APT::Status-Fd=3 \
        install --no-install-recommends "$@" 3>&1
}
