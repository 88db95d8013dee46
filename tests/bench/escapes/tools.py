# SPDX-License-Identifier: Apache-2.0
"""The tools, each with its exact command line. Where a tool has no limits, timeout and prlimit are added by hand."""
import json
import os
import shlex
import shutil
import subprocess

from field import PYTHON

# env -i, since --clearenv leaves the environment in /proc/1/environ of the run
BUBBLEWRAP = """env -i PATH=/usr/bin:/bin timeout -k 1 10 bwrap --unshare-all --unshare-user --disable-userns
    --uid 65534 --gid 65534 --cap-drop ALL --die-with-parent --new-session --clearenv --setenv PATH /usr/bin:/bin
    --setenv LANG C.UTF-8 --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64
    --proc /proc --remount-ro /proc --dev /dev --size 67108864 --tmpfs /dev/shm --remount-ro /dev
    --size 67108864 --tmpfs /tmp --chdir /tmp --remount-ro / -- prlimit --nproc=64 --as=536870912 --core=0""".split()
DOCKER = """run --rm --network none --read-only --tmpfs /tmp:size=64m --workdir /tmp --user 65534:65534 --cap-drop ALL
    --security-opt no-new-privileges --memory 256m --memory-swap 256m --pids-limit 64""".split()
SRT_SETTINGS = {"network": {"allowedDomains": [], "deniedDomains": []},
                "filesystem": {"denyRead": ["~", "/proc/kcore"], "allowWrite": [], "denyWrite": ["/tmp"]}}


def _first_line(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
        return done.stdout.strip().splitlines()[0]
    except (OSError, subprocess.SubprocessError, IndexError):
        return "unknown version"


class Tool:
    """A column. `missing` says why it can't be tested; None when it can."""
    name = column = program = ""
    missing = None

    def __init__(self):
        if self.program and not shutil.which(self.program):
            self.missing = f"{self.program} is not installed"

    def version(self):
        return _first_line(self.program, "--version")

    def prefix(self, mark, home):
        """The words before `python3 -c CODE`. MARK is a new name for each run, HOME the person's home folder."""
        return []

    def command(self, code, mark, home):
        return [*self.prefix(mark, home), PYTHON, "-c", code]

    def environment(self, home):
        return {"PATH": os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8"}

    def end(self, mark):
        """Ends processes that would survive a SIGKILL to the tool's own."""

    def shown(self):
        """The command line for people."""
        return shlex.join(self.command("CODE", "NAME", "HOME"))


class Raw(Tool):
    name, column, program = "none", "none", PYTHON


class Glovebox(Tool):
    name = column = "Glovebox"

    def __init__(self, program, data):
        self.program, self._data = program, data
        super().__init__()

    def version(self):
        return _first_line(self.program, "--version")

    def command(self, code, mark, home):
        return [self.program, "run", "-t", "10", "-c", code]

    def environment(self, home):
        return super().environment(home) | {"GLOVEBOX_HOME": self._data}

    def shown(self):
        return "glovebox run -t 10 -c CODE"


class Bubblewrap(Tool):
    name, column, program = "bubblewrap", "bubblewrap", "bwrap"

    def prefix(self, mark, home):
        return BUBBLEWRAP


class Srt(Tool):
    name, column, program = "srt", "srt", "srt"

    def __init__(self):
        super().__init__()
        for needed in ("bwrap", "socat", "rg"):
            if not self.missing and not shutil.which(needed):
                self.missing = f"srt needs {needed}, which is not installed"

    def version(self):
        return "srt " + _first_line(self.program, "--version")

    def command(self, code, mark, home):
        return ["srt", "-c", f"exec {shlex.join([PYTHON, '-c', code])}"]


class SrtWithSettings(Srt):
    name, column = "srt with settings", "srt"

    def __init__(self, folder):
        super().__init__()
        self._settings = f"{folder}/srt-settings.json"
        with open(self._settings, "w", encoding="ascii") as file:
            json.dump(SRT_SETTINGS, file)

    def shown(self):
        return super().shown().replace(os.environ["PATH"], "...").replace(self._settings, "SETTINGS") + \
            f" with SETTINGS = `{json.dumps(SRT_SETTINGS)}"

    def command(self, code, mark, home):
        code = f"exec prlimit --nproc=64 --as=536870912 --core=0 {shlex.join([PYTHON, '-c', code])}"
        kept = [f"PATH={os.environ['PATH']}", f"HOME={home}"]
        return ["env", "-i", *kept, "timeout", "-k", "1", "10", "srt", "--settings", self._settings, "-c", code]


class Docker(Tool):
    name, column, program = "docker run", "docker run", "docker"

    def __init__(self, daemon):
        super().__init__()
        self._daemon = daemon
        self.missing = self.missing or daemon.missing

    def version(self):
        return _first_line("docker", "--version")

    def _client(self):
        return ["docker", "--host", self._daemon.address]

    def prefix(self, mark, home):
        return [*self._client(), "run", "--rm", "--name", mark, self._daemon.image]

    def end(self, mark):
        subprocess.run([*self._client(), "kill", mark], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       check=False)

    def shown(self):
        return super().shown().replace(f" --host {self._daemon.address}", "")


class DockerWithFlags(Docker):
    name = "docker run with flags"

    def prefix(self, mark, home):
        return [*self._client(), *DOCKER, "--name", mark, self._daemon.image, "timeout", "-k", "1", "10"]


def all_tools(glovebox, folder, daemon):
    """In the order of the columns; a tool without options comes before itself with options written by hand."""
    return [Glovebox(glovebox, f"{folder}/glovebox"), Srt(), SrtWithSettings(folder), Bubblewrap(), Docker(daemon),
            DockerWithFlags(daemon), Raw()]
