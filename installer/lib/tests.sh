# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # root and build are set by installer/dev
# Runs ctest and counts what the test programs themselves count: test functions and rows, not programs.

# chosen PRESET [I/N] [ctest arguments]: leaves in the array chosen_tests what ctest is to be called with. I/N is the I-th of N parts of
# the tests that the arguments name, in the order of their folders, so that a part needs few rooms of tests.
chosen() {
    local preset=$1 count first last
    shift
    chosen_tests=("$@")
    [[ ${1-} =~ ^([0-9]+)/([1-9][0-9]*)$ ]] || return 0
    shift
    local i=$((10#${BASH_REMATCH[1]})) n=${BASH_REMATCH[2]}
    ((i >= 1 && i <= n)) || usage_error "A part of the tests is I/N, for example 3/10."
    count=$(names_of "$preset" "$@" | wc -l)
    first=$(((i - 1) * count / n + 1)) last=$((i * count / n))
    ((first <= last)) || first=$((count + 1)) last=$((count + 1)) # nothing; 1,0 would be everything
    chosen_tests=("$@" -I "$first,$last")
}

# names_of PRESET [ctest arguments]: the tests that ctest would run. The preset is configured.
names_of() {
    (cd "$root" && /usr/bin/ctest --preset "$1" -N "${@:2}") | sed -n 's/^ *Test *#[0-9]*: //p'
}

# targets_of PRESET [I/N] [ctest arguments]: prints what has to be built for these tests: a target of each one's name, or everything
# where a test has none. The preset is configured.
targets_of() {
    local preset=$1 chosen_tests names
    shift
    [ $# -gt 0 ] || { echo all && return; }
    chosen "$preset" "$@"
    names=$(names_of "$preset" "${chosen_tests[@]}" | sort)
    if [ "$names" ] && [ -z "$(comm -23 <(echo "$names") <(ninja -C "$build/$preset" -t targets all | sed -n 's/^\([^/:]*\): phony$/\1/p' | sort))" ]; then
        echo "$names"
    else
        echo all
    fi
}

# Five at a time, since a test waits for most of its time; what measures or looks at the whole machine is RUN_SERIAL.
at_once=5
# More programs than these don't fail by chance.
few=6

# may_be_chance PRESET TESTING: whether failures get a second look: each program three times, with nothing beside it. A test that fails
# once more has failed. CI's machine serves others, too, and may stand still for seconds. But a crash, or what a sanitizer reports,
# is a defect also where it happens once in four times.
may_be_chance() {
    local failed=$2/Temporary/LastTestsFailed.log
    [ "${CI-}" = true ] && [ "$1" = dev ] && [ -s "$failed" ] && [ "$(wc -l <"$failed")" -le "$few" ] \
        && ! grep -Eq '\*\*\*(Exception|Not Run)' "$2/told"
}

# run_tests PRESET [I/N] [ctest arguments]: fails if a test fails or there were none.
run_tests() {
    local preset=$1 testing=$build/$1/Testing status=0 ctest=() chosen_tests
    shift
    chosen "$preset" "$@"
    set -- "${chosen_tests[@]}"
    # Where the kernel randomises more than 28 bits ThreadSanitizer starts a program again without that, which one in a sandbox can't.
    if [ "$preset" = tsan ] && [ "$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 28)" -gt 28 ]; then
        ctest=(setarch -R)
    fi
    ctest+=(/usr/bin/ctest --preset "$preset" --no-tests=error)
    note "Running the tests ($preset)"
    rm -f "$testing"/Temporary/LastTest*.log "$testing/together.log"
    mkdir -p "$testing"
    (cd "$root" && "${ctest[@]}" --parallel "$at_once" "$@" </dev/null) | tee "$testing/told" || status=$?
    if [ "$status" -ne 0 ] && may_be_chance "$preset" "$testing"; then
        mv "$testing/Temporary/LastTest.log" "$testing/together.log"
        printf '\nFailed beside other tests, and tried three times more, alone (a race to mend in any case): %s\n' \
            "$(cut -d: -f2 "$testing/Temporary/LastTestsFailed.log" | paste -sd ' ')"
        status=0
        # With the same arguments: a test is found by its number, which depends on them.
        (cd "$root" && "${ctest[@]}" "$@" --rerun-failed --repeat until-fail:3 </dev/null) || status=$?
    fi
    summarise "$testing/summary" "$testing/together.log" "$testing/Temporary/LastTest.log" || status=$?
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
        GLOVEBOX_TEST_SCREENS="$home/screens" "${run_as[@]}" /usr/bin/ctest --output-on-failure --no-tests=error --parallel "$at_once" "$@" </dev/null) || status=$?
    summarise "$build/$preset/Testing/summary-as-user" "$home/Testing/Temporary/LastTest.log" || status=$?
    rm -rf "$home"
    return "$status"
}

# summarise SUMMARY LOG...: prints each skip with its reason, then "N passed, M failed, K skipped", which it also leaves in SUMMARY. What
# a later log says of a test program counts. Fails if nothing passed.
summarise() {
    local summary=$1 log logs=()
    shift
    mkdir -p "$(dirname -- "$summary")"
    for log in "$@"; do
        [ ! -e "$log" ] || logs+=("$log")
    done
    if [ ${#logs[@]} -eq 0 ]; then
        echo "0 passed, 0 failed, 0 skipped" | tee "$summary"
        return 1
    fi
    # A program's own totals count; one that died before it printed them, or that failed beside them (a sanitizer's report
    # at exit), is one failure. Qt counts initTestCase() and cleanupTestCase() as tests; they are none.
    awk '
        /^Unable to find executable: / { absent = 1 } # comes before its own head, and ends in "Test Passed."
        /^[0-9]+\/[0-9]+ Testing: / { name = $3; totals = good = bad = inside = left = 0; why = "" }
        /^Output:$/ { inside = 1 }
        /^<end of output>$/ { inside = 0 }
        inside && /^PASS   : .*::(initTestCase|cleanupTestCase)\(\)$/ { good-- }
        inside && /^SKIP   : / { why = why "skipped: " substr($0, 10) "\n" }
        inside && /^Totals: [0-9]+ passed, / { good += $2; bad += $4; left += $6; totals = 1 }
        !inside && /^Test (Passed|Failed)\.$/ {
            ok = $2 == "Passed." && !absent
            passed[name] = totals ? good : ok
            failed[name] = ok || bad ? bad : 1
            skipped[name] = left
            reasons[name] = why
            absent = 0
        }
        END {
            for (name in passed) {
                all += passed[name]; wrong += failed[name]; out += skipped[name]
                printf "%s", reasons[name]
            }
            printf "%d passed, %d failed, %d skipped\n", all, wrong, out
            exit all > 0 ? 0 : 1
        }
    ' "${logs[@]}" | tee "$summary"
    tail -n 1 "$summary" >"$summary.new" && mv "$summary.new" "$summary"
}
