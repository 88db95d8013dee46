# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # root and build are set by installer/dev
# Runs ctest and counts what the test programs themselves count: test functions and rows, not programs.

# targets_of [ctest arguments]: prints what has to be built for them; nothing means everything.
targets_of() {
    local label targets=()
    [ "${1-}" = -L ] || return 0
    for label in unit sandbox app containment vm; do
        [[ ! $label =~ ${2-} ]] || targets+=("tests-$label")
    done
    [[ "${targets[*]}" == *@(containment|vm)* ]] || printf '%s\n' "${targets[@]}"
}

# Three at a time, since a test waits for five sixths of its time; what measures or looks at the whole machine is RUN_SERIAL.
at_once=3

# run_tests PRESET [ctest arguments]: fails if a test fails or there were none.
run_tests() {
    local preset=$1 status=0 wrapper=()
    shift
    # GCC 12's ThreadSanitizer can't map its shadow where the kernel randomises more than 28 bits.
    if [ "$preset" = tsan ] && [ "$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 28)" -gt 28 ]; then
        wrapper=(setarch -R)
    fi
    note "Running the tests ($preset)"
    rm -f "$build/$preset/Testing/Temporary/LastTest.log"
    (cd "$root" && "${wrapper[@]}" /usr/bin/ctest --preset "$preset" --no-tests=error --parallel "$at_once" "$@" </dev/null) || status=$?
    summarise "$build/$preset/Testing/Temporary/LastTest.log" "$build/$preset/Testing/summary" || status=$?
    return "$status"
}

# run_tests_as_user PRESET [ctest arguments]: as root, with a user who owns nothing and a home that goes afterwards. The account
# (dbus-daemon starts for nobody without one) is there for the tests alone: in a mount namespace of theirs.
run_tests_as_user() {
    local preset=$1 home status=0 user=61001 run_as
    shift
    run_as=(setpriv --reuid "$user" --regid "$user" --clear-groups --)
    "${run_as[@]}" test -r "$build/$preset/CTestTestfile.cmake" -a -x "$build/$preset/bin/glovebox" \
        || die "Other users can't read $build/$preset. Put the checkout where they can, for example below /srv."
    home=$(mktemp -d /tmp/glovebox-test-home.XXXXXX)
    chmod 755 "$home" # tests look at who may enter their folders
    mkdir -m 700 "$home/run"
    # ctest writes its log beside the file that it reads.
    printf 'subdirs("%s")\n' "$build/$preset" >"$home/CTestTestfile.cmake"
    chown -R "$user:$user" "$home"
    { cat /etc/passwd && printf 'glovebox-tests:x:%s:%s::%s:/bin/sh\n' "$user" "$user" "$home"; } >"$home/passwd"
    { cat /etc/group && printf 'glovebox-tests:x:%s:\n' "$user"; } >"$home/group"
    # shellcheck disable=SC2016 # expanded by the inner shell
    run_as=(unshare --mount -- sh -ec 'mount --bind "$0/passwd" /etc/passwd; mount --bind "$0/group" /etc/group; exec "$@"'
        "$home" "${run_as[@]}")
    if ! "${run_as[@]}" true; then
        rm -rf "$home"
        die "This root may not mount anything, so the tests get no account. Run './installer/dev test' as an ordinary user."
    fi
    note "Running the tests ($preset) as user id $user"
    (cd "$home" && env -i PATH="$PATH" LANG=C.UTF-8 HOME="$home" TMPDIR="$home" XDG_RUNTIME_DIR="$home/run" \
        GLOVEBOX_SCREENS="$home/screens" "${run_as[@]}" /usr/bin/ctest --output-on-failure --no-tests=error --parallel "$at_once" "$@" </dev/null) || status=$?
    summarise "$home/Testing/Temporary/LastTest.log" "$build/$preset/Testing/summary-as-user" || status=$?
    rm -rf "$home"
    return "$status"
}

# summarise LOG SUMMARY: prints each skip with its reason, then "N passed, M failed, K skipped", which it also leaves in
# SUMMARY. Fails if nothing passed.
summarise() {
    local log=$1 summary=$2
    mkdir -p "$(dirname -- "$summary")"
    if [ ! -e "$log" ]; then
        echo "0 passed, 0 failed, 0 skipped" | tee "$summary"
        return 1
    fi
    # A program's own totals count; one that died before it printed them, or that failed beside them (a sanitizer's report
    # at exit), is one failure. Qt counts initTestCase() and cleanupTestCase() as tests; they are none.
    awk '
        /^Unable to find executable: / { absent = 1 } # comes before its own head, and ends in "Test Passed."
        /^[0-9]+\/[0-9]+ Testing: / { inside = totals = good = bad = 0 }
        /^Output:$/ { inside = 1 }
        /^<end of output>$/ { inside = 0 }
        inside && /^PASS   : .*::(initTestCase|cleanupTestCase)\(\)$/ { good-- }
        inside && /^SKIP   : / { print "skipped: " substr($0, 10) }
        inside && /^Totals: [0-9]+ passed, / { good += $2; bad += $4; skipped += $6; totals = 1 }
        !inside && /^Test (Passed|Failed)\.$/ {
            ok = $2 == "Passed." && !absent
            passed += totals ? good : ok
            failed += ok || bad ? bad : 1
            absent = 0
        }
        END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped; exit passed > 0 ? 0 : 1 }
    ' "$log" | tee "$summary"
    tail -n 1 "$summary" >"$summary.new" && mv "$summary.new" "$summary"
}
