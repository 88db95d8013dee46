# SPDX-License-Identifier: Apache-2.0
# The part that every attack begins with. The bench puts `WORDS = {...}` before this file and `run(NAME)` at the end.
# The output decides nothing, but for secrets that only the host knew. An attack that believes it got through holds for
# a moment, so that the host can look.
import base64
import ctypes
import fcntl
import os
import platform
import signal
import socket
import stat
import subprocess
import sys
import time
import traceback
import urllib.parse
import urllib.request

libc = ctypes.CDLL(None, use_errno=True)
MARK = WORDS["mark"]  # the name under which the host finds these processes; children inherit it
libc.prctl(15, MARK.encode(), 0, 0, 0)


def show(data):
    sys.stdout.buffer.write(data + b"\n")
    sys.stdout.buffer.flush()


def hold(seconds=None):
    time.sleep(seconds or WORDS["hold"])


def attempt(deed, *words):
    """The deed's own result, or None where the system refuses."""
    try:
        return deed(*words)
    except OSError as error:
        sys.stderr.write(f"{deed.__name__}: {error}\n")
        return None


def content(path):
    with open(path, "rb", buffering=0) as file:
        return file.read(1 << 18)


def roads(path):
    """Other names of a path of the host."""
    return [path, "../" * 30 + path.lstrip("/"), "/proc/self/root" + path, "/proc/1/root" + path, "/old_root" + path,
            "/host" + path]


def roads_of_others(path):
    """The same by each process that is there: for reading, so that nothing is left in others' sandboxes."""
    return roads(path) + [f"/proc/{pid}/root{path}" for pid in processes()]


def processes():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()] if os.path.isdir("/proc") else []


def victims():
    """The host's process by its number there, and by its name; never another one, since the machine has other users."""
    name = b"\0" + WORDS["victim_name"].encode() + b"\0"
    named = [pid for pid in processes() if name in (attempt(content, f"/proc/{pid}/cmdline") or b"")]
    return {WORDS["victim"], *named} - {os.getpid(), os.getppid(), 1}


def writable_folders():
    """Folders that a program may hope to write to."""
    folders = [os.getcwd(), "/tmp", "/dev/shm", "/var/tmp", "/work", "/scratch", "/run", "/dev", "/dev/mqueue", "/",
               os.environ.get("HOME", "/")]
    return list(dict.fromkeys(folders))


def run(deed):
    show(b"started " + WORDS["nonce"].encode())
    try:
        deed()
    except (OSError, MemoryError) as error:
        sys.stderr.write(f"{error}\n")
    except Exception:
        show(b"broken " + WORDS["nonce"].encode() + traceback.format_exc().encode())
