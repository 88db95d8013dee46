# SPDX-License-Identifier: Apache-2.0
"""One attack under one tool: starts the tool, looks at the host until there is a verdict, and ends what is left."""
import dataclasses
import fcntl
import os
import pty
import signal
import subprocess
import termios
import time
import tty

import observe
from field import Field

HIDDEN_SECONDS = 0.7  # an attack that was refused is gone before


@dataclasses.dataclass(frozen=True)
class Outcome:
    # contained; escaped; broken: the code didn't run as it should; hidden: /proc doesn't show us what the code holds
    kind: str
    evidence: str = ""


def _control_terminal():
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Attempt:
    def __init__(self, tool, attack):
        self.tool, self.attack = tool, attack
        self.output, self.over, self.outcome = b"", False, None
        self.field = Field()
        self._process = self._terminal = self._slave = self._hidden_since = None
        self._inherited = []
        self._typed = b""

    def start(self):
        needs, field = self.attack.needs, self.field
        if "victim" in needs:
            field.start_victim()
        if "listeners" in needs:
            field.open_listeners("world" in needs)
        if "key" in needs:
            field.add_key()
        if "descriptors" in needs:
            inner = f"{field.folder}/inherited"
            self._inherited = [os.open(f"{inner}/notes.txt", os.O_RDONLY), os.open(inner, os.O_RDONLY | os.O_DIRECTORY)]
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        if "terminal" in needs:
            self._terminal, self._slave = pty.openpty()
            tty.setraw(self._slave)
            streams = dict.fromkeys(("stdin", "stdout", "stderr"), self._slave) | {"preexec_fn": _control_terminal}
        code = self.attack.code(field.words() | {"nonce": field.mark[::-1], "spin": self.attack.seconds + 2})
        environment = self.tool.environment(field.home) | {"ESCAPES_TOKEN": field.secret["environment"]}
        self._began = time.monotonic()
        command = self.tool.command(code, field.mark, field.home)
        self._process = subprocess.Popen(command, cwd=field.work, env=environment, start_new_session=True,
                                         pass_fds=self._inherited, **streams)
        self._stream = self._terminal if self._terminal is not None else self._process.stdout.fileno()
        os.set_blocking(self._stream, False)

    def seconds(self):
        return time.monotonic() - self._began

    def pids(self):
        return observe.processes(self.field.mark)

    def typed(self):
        """Input that waits for the next reader of the terminal."""
        os.set_blocking(self._slave, False)
        try:
            self._typed += os.read(self._slave, 4096)
        except OSError:
            pass
        return self._typed

    def step(self):
        """Looks once, and returns whether this attempt is decided."""
        self._read()
        self.field.watch()
        if self._judge():
            return True
        ended = self._process.poll() is not None
        if not ended and self.seconds() < self.attack.seconds:
            return False
        self._end_tool()
        self._read()
        self.field.watch()
        self._wait_for_end()
        if not self._judge():
            self.outcome = self._without_escape()
        return True

    def _judge(self):
        try:
            evidence = self.attack.verdict(self)
            self._hidden_since = None
        except PermissionError:
            self._hidden_since = self._hidden_since or time.monotonic()
            if time.monotonic() - self._hidden_since > HIDDEN_SECONDS:
                self.outcome = Outcome("hidden", "the code holds something, and /proc doesn't show what")
            return self.outcome is not None
        if evidence:
            self.outcome = Outcome("escaped", evidence)
        return self.outcome is not None

    def _without_escape(self):
        nonce = self.field.mark[::-1].encode()
        last = self.output.decode(errors="replace").strip().splitlines()[-1:] or ["no output"]
        if b"started " + nonce not in self.output:
            return Outcome("broken", f"the code didn't start: {last[0]}")
        if b"broken " + nonce in self.output:
            return Outcome("broken", last[0])
        return Outcome("contained")

    def _wait_for_end(self):
        """Processes get a moment to go once their tool has ended; then who is left has outlived it."""
        limit = time.monotonic() + 1.5
        while self.pids() and time.monotonic() < limit:
            time.sleep(0.03)
        self.over = True

    def _end_tool(self):
        if self._process and self._process.poll() is None:
            self.tool.end(self.field.mark)
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self._process.wait()

    def _read(self):
        try:
            while part := os.read(self._stream, 1 << 16):
                self.output += part
        except OSError:
            pass

    def finish(self):
        """Ends whatever is left, by number, and removes the person's side."""
        self._end_tool()
        for pid in self.pids():
            try:
                os.kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
        if self._process and self._process.stdout:
            self._process.stdout.close()
        for number in [*self._inherited, self._terminal, self._slave]:
            if number is not None:
                os.close(number)
        if "key" in self.attack.needs:
            self.field.remove_key()
        self.field.close()
        return self.outcome


def run_together(attempts):
    """Outcomes of these attempts, which go on side by side."""
    try:
        for attempt in attempts:
            attempt.start()
        waiting = list(attempts)
        while waiting:
            waiting = [each for each in waiting if not each.step()]
            time.sleep(0.02)
    finally:
        outcomes = [attempt.finish() for attempt in attempts]
    return outcomes
