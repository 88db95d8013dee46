# SPDX-License-Identifier: Apache-2.0
"""One machine, from power-on to power-off: qemu with the cached disk (changes are thrown away), the job on a second disk, what
it leaves on a third. Everything that is started is ended by its own id, and dies with this process.
"""

import contextlib
import io
import json
import os
import pathlib
import selectors
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import time

import image
from complaint import Complaint

HERE = pathlib.Path(__file__).resolve().parent
RESULT_MEGABYTES = 256
STREAMS = ("output", "errors", "status")


class Machine:
    """accelerator: tcg everywhere; kvm where the person says so. seconds: for all of it, from power-on to power-off.
    network: whether it reaches what this machine reaches.
    """

    def __init__(self, disk, seconds, accelerator="tcg", console=False, network=False):
        self.disk = disk
        self.seconds = seconds
        self.accelerator = accelerator
        self.console = console
        self.network = network
        self.boot_seconds = None

    def run(self, steps, copies, out=None):
        """Runs steps (guest.py) with copies, pairs of a path here and one there. Returns the status of the last that failed."""
        if not shutil.which("qemu-system-x86_64"):
            raise Complaint("The machine needs qemu-system-x86_64. './installer/dev setup vm' installs it.")
        with tempfile.TemporaryDirectory(prefix="glovebox-vm-") as folder, contextlib.ExitStack() as ends:
            folder = pathlib.Path(folder)
            write_job(folder / "job.tar", {"steps": steps, "user": image.USER, "network": self.network}, copies)
            with open(folder / "result.tar", "wb") as result:
                result.truncate(RESULT_MEGABYTES << 20)
            here, there = {}, {}
            for name in STREAMS:
                here[name], there[name] = (ends.enter_context(end) for end in socket.socketpair())
            qemu = subprocess.Popen(self.command(folder, there), stdin=subprocess.DEVNULL,
                                    pass_fds=[end.fileno() for end in there.values()])
            for end in there.values():
                end.close()
            try:
                status = self.follow(qemu, here)
            finally:
                qemu.kill()  # a machine that has gone off is dead already
                qemu.wait()
            if status is None:
                tail = (folder / "console").read_text(errors="replace").splitlines()[-40:]
                raise Complaint("The machine ended without a status. The end of its console:\n" + "\n".join(tail))
            if out:
                pathlib.Path(out).mkdir(parents=True, exist_ok=True)
                with tarfile.open(folder / "result.tar") as archive:
                    archive.extractall(out, filter="data") if hasattr(tarfile, "data_filter") else archive.extractall(out)
            return status

    def command(self, folder, ports):
        console = "stdio" if self.console else f"file:{folder}/console"
        (folder / "console").touch()
        command = ["setpriv", "--pdeathsig", "KILL", "--", "nice", "-n", "10", "qemu-system-x86_64", "-nodefaults",
                   "-no-user-config", "-display", "none", "-no-reboot", "-machine", "q35", "-smp", "2", "-m", "1536",
                   "-accel", self.accelerator + (",thread=multi" if self.accelerator == "tcg" else ""),
                   "-cpu", "host" if self.accelerator == "kvm" else "max", "-serial", console,
                   "-kernel", str(self.disk / "vmlinuz"), "-initrd", str(self.disk / "initrd.img"),
                   # Where this machine is busy, the timer's ticks come late: that is no reason to panic. What panics ends.
                   "-append", "root=/dev/vda rw console=ttyS0 quiet loglevel=4 mitigations=off no_timer_check panic=-1 "
                              "apparmor=1 security=apparmor systemd.unified_cgroup_hierarchy=1 systemd.show_status=no",
                   "-object", "rng-random,id=rng,filename=/dev/urandom", "-device", "virtio-rng-pci,rng=rng",
                   "-device", "virtio-serial-pci"]
        if self.network:
            command += ["-nic", "user,model=virtio-net-pci"]
        for path, more in ((self.disk / "root.ext4", "snapshot=on"), (folder / "job.tar", "readonly=on"),
                           (folder / "result.tar", "cache=unsafe")):
            command += ["-drive", f"file={path},if=virtio,format=raw,{more}"]
        for name, port in ports.items():
            command += ["-chardev", f"socket,id={name},fd={port.fileno()}",
                        "-device", f"virtserialport,chardev={name},name=glovebox.{name}"]
        return command

    def follow(self, qemu, streams):
        """Passes output on as it comes, until the machine is off; returns the status, if one came."""
        started = time.monotonic()
        status = b""
        with selectors.DefaultSelector() as selector:
            for name, stream in streams.items():
                selector.register(stream, selectors.EVENT_READ, name)
            while selector.get_map():
                left = self.seconds - (time.monotonic() - started)
                if left <= 0:
                    raise Complaint(f"The machine was not done after {self.seconds} seconds and was ended.")
                for key, _ in selector.select(timeout=min(left, 5)):
                    block = key.fileobj.recv(65536)
                    if not block:
                        selector.unregister(key.fileobj)
                    elif key.data == "status":
                        status += block
                    else:
                        target = sys.stdout if key.data == "output" else sys.stderr
                        target.buffer.write(block)
                        target.flush()
            with contextlib.suppress(subprocess.TimeoutExpired):
                qemu.wait(timeout=max(1, self.seconds - (time.monotonic() - started)))
        return int(status) if status.strip() else None


def write_job(path, job, copies):
    def owned_by_root(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        return entry

    with tarfile.open(path, "w") as archive:
        def add_text(name, text):
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text))

        add_text("usr/local/lib/glovebox-vm/job.json", json.dumps(job).encode())
        archive.add(HERE / "guest.py", "usr/local/lib/glovebox-vm/guest.py", filter=owned_by_root)
        made = set()
        for source, target in copies:
            # The folders above are made with the usual rights, whatever they are here.
            for parent in reversed(pathlib.PurePath(target.lstrip("/")).parents):
                if parent.parts and parent not in made and parent.parts[0] not in ("usr", "etc", "lib", "bin") \
                        and parent.parts != ("tmp",):
                    made.add(parent)
                    entry = tarfile.TarInfo(str(parent))
                    entry.type, entry.mode = tarfile.DIRTYPE, 0o755
                    archive.addfile(entry)
            archive.add(source, target.lstrip("/"), filter=owned_by_root)
    with open(path, "ab") as archive:  # a disk has whole sectors
        archive.truncate((os.path.getsize(path) + 1048575) & ~1048575)


def built_programs(build, folder, parts=("bin", "libexec", "tests")):
    """Copies (in folder) of what was built, for the same path there, and /opt/glovebox as a link to it. Without debug
    information, which would be ten times as much to copy into the machine.
    """
    link = folder / "link"
    link.symlink_to(build)
    copies = [(link, "/opt/glovebox")]
    for part in parts:
        for path in sorted((build / part).rglob("*")):
            if not path.is_file() or not path.stat().st_mode & 0o100 or "CMakeFiles" in path.parts:
                continue
            copy = folder / path.relative_to(build)
            copy.parent.mkdir(parents=True, exist_ok=True)
            if path.read_bytes()[:4] == b"\x7fELF":
                subprocess.run(["strip", "--strip-debug", "-o", copy, path], check=True)
            else:
                copy.write_bytes(path.read_bytes())
            copy.chmod(0o755)
            copies.append((copy, str(path)))
    if len(copies) == 1:
        raise Complaint(f"There are no programs in {build}. Build them first.")
    return copies
