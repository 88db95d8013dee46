#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests that come with an interpreter raw and sealed, and tells in what the two differ.

    tests/compatibility/compare.py [--glovebox PROGRAM] [--seconds N] [--table] [--bash SOURCE | --node FOLDER] [TEST...]

CPython's own, as Debian's libpython3-testsuite brings them; with --bash those of bash, from the source of Debian's package ("apt-get
source bash"); with --node those of Node.js, from the folder "test" of its source. A test counts that passes raw, by an ordinary user,
in time. What differences.json lists may fail sealed, and must, so that the list stays true; with --table only that list is tried.
Started by root it runs the raw side as uid 1000. All of CPython takes half an hour, of bash four minutes, of Node.js an hour and a half.
"""
import argparse
import json
import os
import subprocess
import sys

import suites

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "differences.json")


def is_watched(glovebox):
    """Whether runs of this machine have places of secrets that are watched, which refuse."""
    told = subprocess.run([glovebox, "run", "--json", "-l", "sh", "-c", "true"], stdout=subprocess.PIPE, check=False)
    return b"places of secrets are watched" in told.stdout


def listed_for(name, glovebox):
    """Of each test, what of it fails in a run; where only the test is named, all of it."""
    with open(TABLE, encoding="utf-8") as file:
        table = {}
        for each in json.load(file)[name]:
            if each.get("where") == "unwatched" and is_watched(glovebox):
                continue
            for module, tests in each.get("modules", {}).items():
                table.setdefault(module, set()).update(tests)
            table.update((test, None) for test in each.get("tests", []))
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--glovebox", default="glovebox")
    parser.add_argument("--seconds", type=int, default=60, help="for a test [default: 60]")
    parser.add_argument("--table", action="store_true", help="only the tests of differences.json")
    parser.add_argument("--bash", metavar="SOURCE", help="the tests of bash in its source")
    parser.add_argument("--node", metavar="FOLDER", help="the tests of Node.js in the folder test of its source")
    parser.add_argument("tests", nargs="*")
    wishes = parser.parse_args()
    suite = suites.Bash(wishes.bash) if wishes.bash else suites.Node(wishes.node) if wishes.node else suites.Cpython()
    table = listed_for(suite.name, wishes.glovebox)
    names = wishes.tests or (list(table) if wishes.table else suite.tests())
    counted = same = 0
    wrong = []
    for first in range(0, len(names), suite.at_once):
        batch = names[first:first + suite.at_once]
        outside = suite.raw(batch, wishes.seconds)
        passing = [test for test in batch if not outside[test]]
        inside = suite.sealed(passing, wishes.seconds, wishes.glovebox) if passing else {}
        for test in batch:
            if outside[test]:
                print(f"{test}: doesn't pass raw", flush=True)
                continue
            found, listed = inside[test], table.get(test, set())
            counted += 1
            same += not found
            if found != listed if listed is not None else not found:
                wrong.append(test)
                print(f"{test}: fails {sorted(found - (listed or set()))}, and should but doesn't "
                      f"{sorted(listed - found) if listed is not None else 'fail'}", flush=True)
            elif found:
                print(f"{test}: as listed", flush=True)
    print(f"{same} of {counted} {'modules' if suite.name == 'cpython' else 'tests'} that pass raw pass sealed; "
          f"{len(wrong)} differ from the list")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
