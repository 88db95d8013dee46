# SPDX-License-Identifier: Apache-2.0
"""The person's side of one attempt: a home with secrets, listeners, a process and a key, all of them new."""
import ctypes
import os
import platform
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile

import world

PYTHON = "/usr/bin/python3"
OUTSIDE = ["/etc", "/usr/local/bin", "/var/tmp", "/tmp", "/dev/shm"]
_VICTIM = """
import ctypes, sys
secret = ctypes.create_string_buffer(sys.stdin.buffer.readline().strip(), 64)
print(ctypes.addressof(secret), flush=True)
sys.stdin.read()
"""
_KEY_CALLS = {"x86_64": (248, 250), "aarch64": (217, 219)}
_libc = ctypes.CDLL(None, use_errno=True)


def base_folder():
    """Where a person's files are: the home, or /var/tmp for users without one."""
    home = os.path.expanduser("~")
    return home if os.access(home, os.W_OK) else "/var/tmp"


def _put(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.write(text + "\n")
    os.chmod(path, mode)


def _listening(family, address, kind=socket.SOCK_STREAM):
    listener = socket.socket(family, kind)
    listener.setblocking(False)
    if (family, kind) == (socket.AF_INET, socket.SOCK_STREAM):
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(address)
    if kind == socket.SOCK_STREAM:
        listener.listen(8)
    return listener


class Field:
    def __init__(self):
        self.mark = "esc" + secrets.token_hex(5)
        self.secret = {name: secrets.token_hex(12) for name in
                       ("notes", "key", "environment", "process", "memory", "keyring", "descriptor")}
        self.folder = tempfile.mkdtemp(prefix=".escapes-", dir=base_folder())
        self.home, self.work = f"{self.folder}/home", f"{self.folder}/work"
        os.makedirs(self.work)
        self.notes, self.key = f"{self.home}/notes.txt", f"{self.home}/.ssh/id_ed25519"
        self.startup, self.target = f"{self.home}/.bashrc", f"{self.home}/target.txt"
        _put(self.notes, self.secret["notes"])
        _put(self.key, self.secret["key"], 0o600)
        os.chmod(f"{self.home}/.ssh", 0o700)
        _put(f"{self.folder}/inherited/notes.txt", self.secret["descriptor"])
        _put(self.startup, "# nothing")
        _put(self.target, "nothing")
        os.symlink("../home/target.txt", f"{self.work}/out.txt")
        self.reached = {}  # listener's name -> who came
        self.listeners = {}
        self.victim = None
        self.address = 0

    def open_listeners(self, with_world):
        self.listeners["loopback"] = _listening(socket.AF_INET, ("127.0.0.1", 0))
        self.listeners["abstract"] = _listening(socket.AF_UNIX, "\0" + self.mark + "-abstract")
        self.listeners["socket"] = _listening(socket.AF_UNIX, f"{self.home}/agent.sock")
        if with_world:
            self.listeners["name server"] = _listening(socket.AF_INET, (world.NAME_SERVER, 53), socket.SOCK_DGRAM)
            self.listeners["metadata"] = _listening(socket.AF_INET, (world.METADATA, 80))

    def start_victim(self):
        self.victim = subprocess.Popen([PYTHON, "-c", _VICTIM, f"victim-{self.mark}", self.secret["process"]],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.victim.stdin.write(self.secret["memory"].encode() + b"\n")
        self.victim.stdin.flush()
        self.address = int(self.victim.stdout.readline())

    def add_key(self):
        """In the session's keyring, which programs inherit, and in the user's."""
        add, control = _KEY_CALLS[platform.machine()]
        _libc.syscall(control, 1, None)  # KEYCTL_JOIN_SESSION_KEYRING: one of our own
        secret = self.secret["keyring"].encode()
        for ring in (-3, -4):
            _libc.syscall(add, b"user", self.mark.encode() + b"-key", secret, len(secret), ring)

    def remove_key(self):
        add, control = _KEY_CALLS[platform.machine()]
        for ring in (-3, -4):
            key = _libc.syscall(control, 10, ring, b"user", self.mark.encode() + b"-key", 0)  # KEYCTL_SEARCH
            if key > 0:
                _libc.syscall(control, 9, key, ring)  # KEYCTL_UNLINK

    def watch(self):
        """Takes connections and questions from the listeners."""
        for name, listener in self.listeners.items():
            try:
                if listener.type == socket.SOCK_DGRAM:
                    if self.mark.encode() in listener.recv(2048).lower():
                        self.reached[name] = "a question with our name"
                else:
                    connection, _ = listener.accept()
                    connection.close()
                    self.reached[name] = "a connection"
            except OSError:
                continue

    def victim_lives(self):
        return self.victim is not None and self.victim.poll() is None

    def changed(self):
        """Files of the host that the code made or changed, by name."""
        found = [f"{folder}/{self.mark}" for folder in OUTSIDE if os.path.lexists(f"{folder}/{self.mark}")]
        for path, text in ((self.startup, "# nothing\n"), (self.target, "nothing\n")):
            try:
                with open(path, encoding="ascii") as file:
                    if file.read() != text:
                        found.append(path)
            except OSError:
                found.append(path)
        return found

    def words(self):
        """Names and numbers that the code is told; no secret is among them."""
        port = self.listeners["loopback"].getsockname()[1] if self.listeners else 0
        return {"mark": self.mark, "hold": 1.5, "daemon": 20.0, "notes": self.notes, "key": self.key,
                "outside": [*OUTSIDE, self.home], "startup": self.startup, "target": self.target, "line": "planted\n",
                "planted": "out.txt", "victim": self.victim.pid if self.victim else 0,
                "victim_name": f"victim-{self.mark}", "address": self.address, "port": port,
                "abstract": self.mark + "-abstract", "socket": f"{self.home}/agent.sock", "metadata": world.METADATA,
                "name_server": world.NAME_SERVER, "key_name": self.mark + "-key", "disk": os.stat("/").st_dev}

    def close(self):
        for listener in self.listeners.values():
            listener.close()
        if self.victim:
            self.victim.kill()
            self.victim.communicate()
        for folder in [*OUTSIDE, self.home]:
            if os.path.lexists(f"{folder}/{self.mark}"):
                os.unlink(f"{folder}/{self.mark}")
        shutil.rmtree(self.folder, onerror=lambda deed, path, error: sys.stderr.write(f"left behind: {path}\n"))
