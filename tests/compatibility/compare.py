#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests that come with an interpreter raw and sealed, module by module, and tells in what the two differ.

    tests/compatibility/compare.py [--glovebox PROGRAM] [--seconds N] [MODULE...]

CPython's own, as Debian's libpython3-testsuite brings them. A module counts that passes raw, by an ordinary user, in time. What
differences.json lists may fail sealed, and must, so that the list stays true; with --table only that list is tried. Started by root
it runs the raw side as uid 1000. It takes half an hour for all modules.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

PYTHON = "/usr/bin/python3"
TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "differences.json")
FAILED = re.compile(r"^(?:FAIL|ERROR): (\w+)", re.MULTILINE)


def folder():
    question = "import sysconfig; print(sysconfig.get_path('stdlib'))"
    return subprocess.run([PYTHON, "-c", question], capture_output=True, text=True, check=True).stdout.strip() + "/test"


def modules():
    for name in sorted(os.listdir(folder())):
        if name.startswith("test_"):
            yield name.removesuffix(".py")


def outcome(command, seconds, **more):
    """The failed tests' names, or nothing where all passed; "time" where it took too long."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds + 10, check=False, **more)
    except subprocess.TimeoutExpired:
        return ["time"]
    if done.returncode == 0:
        return []
    text = (done.stdout + done.stderr).decode("utf-8", "replace")
    return sorted(set(FAILED.findall(text))) or [f"exit status {done.returncode}"]


def raw(module, seconds):
    with tempfile.TemporaryDirectory() as home:
        as_whom = []
        if os.getuid() == 0:
            os.chown(home, 1000, 1000)
            as_whom = ["setpriv", "--reuid", "1000", "--regid", "1000", "--clear-groups"]
        environment = {"HOME": home, "TMPDIR": home, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
        return outcome(as_whom + [PYTHON, "-m", "test", "-v", module], seconds, cwd=home, env=environment)


def sealed(module, seconds, glovebox):
    return outcome([glovebox, "run", "-l", "bash", "-t", str(seconds), "-m", "1024", "--disk", "1024", "--procs", "256",
                    "-c", f"exec {PYTHON} -m test -v {module}"], seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--glovebox", default="glovebox")
    parser.add_argument("--seconds", type=int, default=60, help="for a module [default: 60]")
    parser.add_argument("--table", action="store_true", help="only the modules of differences.json")
    parser.add_argument("modules", nargs="*")
    wishes = parser.parse_args()
    with open(TABLE, encoding="utf-8") as file:
        table = {}
        for each in json.load(file)["cpython"]:
            for module, tests in each["modules"].items():
                table.setdefault(module, set()).update(tests)
    counted = same = 0
    wrong = []
    for module in wishes.modules or (list(table) if wishes.table else list(modules())):
        listed = table.get(module, set())
        if raw(module, wishes.seconds):
            print(f"{module}: doesn't pass raw", flush=True)
            continue
        counted += 1
        found = set(sealed(module, wishes.seconds, wishes.glovebox))
        same += not found
        if found != listed:
            wrong.append(module)
            print(f"{module}: fails {sorted(found - listed)}, and should but doesn't {sorted(listed - found)}", flush=True)
        elif found:
            print(f"{module}: as listed", flush=True)
    print(f"{same} of {counted} modules that pass raw pass sealed; {len(wrong)} differ from the list")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
