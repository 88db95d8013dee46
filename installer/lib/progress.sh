# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # root and build are set by installer/dev
# What a person sees of the set-up: a line a step on stderr, long output in build/log/, and a sentence where it ends.

# Where set-up or build can't go on. 125 is what `glovebox run` says too when nothing ran.
die() {
    printf 'glovebox: %s\n' "$*" >&2
    exit 125
}

usage_error() {
    printf 'glovebox: %s\nTry: ./installer/dev help\n' "$*" >&2
    exit 2
}

# A line with the seconds since the start.
note() {
    printf '[%3d s] %s\n' "$SECONDS" "$*" >&2
}

# step NAME WHAT COMMAND...: runs COMMAND with its output in build/log/NAME.log and shows that it is alive. Returns
# its status; on failure the log's last lines were shown. With `quiet=yes` set nothing is shown before a line like "[3/8] ...".
step() {
    local name=$1 what=$2 log status=0
    shift 2
    mkdir -p "$build/log" 2>/dev/null || true
    log=$build/log/$name.log
    [ -w "$build/log" ] || die "$build can't be written by $(id -un 2>/dev/null || id -u). Use the account that made it, or remove it."
    [ "${quiet-}" ] || note "$what"
    # 9 is the lock (lock_build), which a service that a package starts must not hold on to.
    "$@" </dev/null 2>&1 9>&- | show_progress "$what" "$log" || status=$?
    if [ "$status" -ne 0 ]; then
        note "$what failed (status $status). The end of $log:"
        tail -n 30 "$log" | sed 's/^/    /' >&2
    fi
    return "$status"
}

# Copies lines to the log; of what comes, a terminal sees the current line and anything else a line every 15 seconds.
show_progress() {
    local what=$1 log=$2 line hidden=${quiet-} last=$SECONDS pause=15 terminal=
    if [ -t 2 ]; then
        terminal=yes
        pause=1
    fi
    while IFS= read -r line || [ "$line" ]; do
        printf '%s\n' "$line"
        if [ "$hidden" ] && [[ $line == '['*/*']'* ]]; then
            hidden=
            note "$what" # the first sign that there is something to do
        fi
        if [ "$hidden" ] || [ $((SECONDS - last)) -lt "$pause" ]; then
            continue
        fi
        last=$SECONDS
        line=${line//[^[:print:]]/ }
        if [ "$terminal" ]; then
            printf '\r\033[K[%3d s]   %.70s' "$SECONDS" "$line" >&2
        else
            note "  ${line:0:100}"
        fi
    done >"$log"
    [ ! "$terminal" ] || printf '\r\033[K' >&2
}
