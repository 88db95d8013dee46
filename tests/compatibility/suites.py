# SPDX-License-Identifier: Apache-2.0
"""The tests that compare.py tries, raw and sealed. Each suite tells of the tests that it is given what failed in them; nothing: they pass."""
import os
import re
import shutil
import subprocess
import tempfile

PYTHON = "/usr/bin/python3"
FAILED = re.compile(r"^(?:FAIL|ERROR): (\w+)", re.MULTILINE)
PATIENCE = 10  # seconds more than the tests have


def outside(command, home):
    """The command as an ordinary user's, in a folder of his own."""
    as_whom = []
    if os.getuid() == 0:
        os.chown(home, 1000, 1000)
        as_whom = ["setpriv", "--reuid", "1000", "--regid", "1000", "--clear-groups"]
    environment = {"HOME": home, "TMPDIR": home, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    return as_whom + command, {"cwd": home, "env": environment}


def inside(glovebox, seconds, more):
    return [glovebox, "run", "-q", "-l", "bash", "-t", str(seconds), "--procs", "256"] + more, {}


def run(command, seconds, more):
    """Standard output and error, and the exit status; without one it took too long."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds + PATIENCE, check=False, **more)
    except subprocess.TimeoutExpired:
        return "", None
    return (done.stdout + done.stderr).decode("utf-8", "replace"), done.returncode


class Suite:
    """Its script for bash gets the seconds that a test may have, and the tests; its files lie beside it."""
    files = []

    def raw(self, tests, seconds):
        with tempfile.TemporaryDirectory() as home:
            for file in self.files:
                shutil.copy(file, home)
            return self.outcome(tests, seconds, *outside(["bash", "-c", self.script, "bash", str(seconds)] + tests, home))

    def sealed(self, tests, seconds, glovebox):
        files = [word for file in self.files for word in ("--file", file)]
        return self.outcome(tests, seconds, *inside(glovebox, seconds * len(tests), [
            "-m", self.megabytes, "--disk", self.megabytes, *files, "-c", self.script, "--", str(seconds)] + tests))


class Cpython(Suite):
    """As Debian's libpython3-testsuite brings them: a test is a module, and its failures are named."""
    name = "cpython"
    at_once = 1
    megabytes = "1024"
    script = f'exec {PYTHON} -m test -v "$2"'

    def tests(self):
        question = "import sysconfig; print(sysconfig.get_path('stdlib'))"
        folder = subprocess.run([PYTHON, "-c", question], capture_output=True, text=True, check=True).stdout.strip() + "/test"
        return [name.removesuffix(".py") for name in sorted(os.listdir(folder)) if name.startswith("test_")]

    def outcome(self, tests, seconds, command, more):
        text, status = run(command, seconds, more)
        if status is None:
            return {tests[0]: {"time"}}
        failed = set(FAILED.findall(text)) or {f"exit status {status}"}
        return {tests[0]: failed if status != 0 else set()}


class Unpacked(Suite):
    """A suite that isn't installed: many tests at a time, in a copy of it. What a test leaves behind may not keep the next one waiting."""
    at_once = 40
    megabytes = "8192"
    script = """
        mkdir suite && tar -xf suite.tar -C suite && cd suite || exit
        seconds=$1; shift
        trial() {{ timeout -k 1 "$seconds" "$@" < /dev/null > "$HOME/out" 2>&1; }}
        exec 3>&1
        export TERM=xterm # of no terminal it is "dumb" in a run, and unset outside
        {prepare}
        for test in "$@"; do
            {trial}
            status=$?
            grep -q '^1\\.\\.0 # Skipped' "$HOME/out" && status=skipped
            printf '%s %s\\n' "$test" "$status" >&3
        done"""

    def __init__(self, source):
        self.source = source
        self.place = tempfile.TemporaryDirectory()
        self.archive = self.place.name + "/suite.tar"
        self.files = [self.archive]
        self.pack()

    def outcome(self, tests, seconds, command, more):
        text, _ = run(command, seconds * len(tests), more)
        statuses = dict(re.findall(r"^(\S+) (\d+|skipped)$", text, re.MULTILINE))
        return {test: set() if statuses.get(test) == "0" else {statuses.get(test, "no end")} for test in tests}


class Bash(Unpacked):
    """From the source of Debian's package (apt-get source bash). A test compares its output with what it should be."""
    name = "bash"
    script = Unpacked.script.format(
        prepare="export THIS_SH=/bin/bash BUILD_DIR=$PWD PATH=.:$PATH BASH_TSTOUT=$HOME/result; cd tests",
        trial='trial sh "run-$test"')

    def tests(self):
        runners = (name.removeprefix("run-") for name in sorted(os.listdir(self.source + "/tests")) if name.startswith("run-"))
        return [name for name in runners if name not in ("all", "minimal", "gprof")]

    def pack(self):
        with tempfile.TemporaryDirectory() as place:
            shutil.copytree(self.source + "/tests", place + "/tests", symlinks=True)
            for helper in ("recho", "zecho", "printenv", "xcase"):
                subprocess.run(["cc", "-w", "-DHAVE_STDLIB_H", "-DHAVE_UNISTD_H", "-I", self.source, "-o", f"{place}/tests/{helper}",
                                f"{self.source}/support/{helper}.c"], check=True)
            subprocess.run(["tar", "-cf", self.archive, "-C", place, "tests"], check=True)


class Node(Unpacked):
    """From the folder test of nodejs/node, of a version close to the installed one. A test ends by itself with status 0."""
    name = "node"
    script = Unpacked.script.format(
        prepare="export NODE_TEST_DIR=$PWD",
        trial="trial node $(sed -n 's|^// Flags: ||p' \"test/parallel/$test\") \"test/parallel/$test\"")

    def tests(self):
        return [name for name in sorted(os.listdir(self.source + "/parallel"))
                if name.startswith("test-") and name.endswith((".js", ".mjs"))]

    def pack(self):
        subprocess.run(["tar", "-cf", self.archive, "-C", self.source, "--transform", "s|^|test/|", "common", "fixtures", "parallel"], check=True)
