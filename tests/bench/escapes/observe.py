# SPDX-License-Identifier: Apache-2.0
"""The host's view of an attack's processes, in /proc. They are found by the name that they took, and as children."""
import os
import stat


def _read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def processes(mark):
    """Pids of living processes named MARK, and of all below them."""
    parents, found = {}, set()
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        line = _read(f"/proc/{name}/stat")
        start, end = line.find(b"("), line.rfind(b")")
        rest = line[end + 2:].split()
        if len(rest) < 2 or rest[0] in (b"Z", b"X"):
            continue
        parents[int(name)] = int(rest[1])
        if line[start + 1:end] == mark.encode():
            found.add(int(name))
    grown = True
    while grown:
        below = {pid for pid, parent in parents.items() if parent in found} - found
        grown = bool(below)
        found |= below
    return found


def memory_bytes(pids):
    """All of them together hold so much, as the kernel counts resident anonymous pages."""
    total = 0
    for pid in pids:
        for line in _read(f"/proc/{pid}/status").splitlines():
            if line.startswith(b"RssAnon:"):
                total += int(line.split()[1]) * 1024
    return total


def descriptors(pid):
    """(number, name, stat) of each open file. Raises PermissionError where these aren't shown to us."""
    try:
        numbers = os.listdir(f"/proc/{pid}/fd")
    except (FileNotFoundError, ProcessLookupError):
        return
    for number in numbers:
        try:
            yield number, os.readlink(f"/proc/{pid}/fd/{number}"), os.stat(f"/proc/{pid}/fd/{number}")
        except (FileNotFoundError, ProcessLookupError):
            continue


def opened_for_writing(pid, number):
    for line in _read(f"/proc/{pid}/fdinfo/{number}").splitlines():
        if line.startswith(b"flags:"):
            return int(line.split()[1], 8) & 3 != os.O_RDONLY
    return False


def is_kernel_file(pid, number, name, status):
    """Memory of the machine, or a setting of all of it open for writing; not the null device that covers one."""
    if stat.S_ISCHR(status.st_mode):
        return os.major(status.st_rdev) == 1 and os.minor(status.st_rdev) in (1, 2, 4, 11)  # mem, kmem, port, kmsg
    if not stat.S_ISREG(status.st_mode):
        return False
    if name in ("/proc/kcore", "/proc/vmcore", "/proc/kmsg"):
        return not opened_for_writing(pid, number) and (status.st_size > 0 or name == "/proc/kmsg")
    return name.startswith(("/proc/sys/", "/proc/sysrq", "/sys/")) and opened_for_writing(pid, number)


def mounts(pid):
    """Sources of what is mounted for a process. Raises PermissionError."""
    try:
        with open(f"/proc/{pid}/mountinfo", encoding="utf-8", errors="replace") as file:
            return [line.partition(" - ")[2].split()[1] for line in file]
    except (FileNotFoundError, ProcessLookupError, OSError) as error:
        if isinstance(error, PermissionError):
            raise
        return []


def tracer(pid):
    for line in _read(f"/proc/{pid}/status").splitlines():
        if line.startswith(b"TracerPid:"):
            return int(line.split()[1])
    return 0


def is_root_of_host(pid):
    """User 0 for the host, with capabilities, and in no user namespace below the bench's own."""
    fields = dict(line.split(b":", 1) for line in _read(f"/proc/{pid}/status").splitlines() if b":" in line)
    if not fields or int(fields[b"Uid"].split()[1]) != 0 or int(fields[b"CapEff"], 16) == 0:
        return False
    try:
        return os.readlink(f"/proc/{pid}/ns/user") == os.readlink("/proc/self/ns/user")
    except PermissionError:
        return True  # of a process of root, which isn't shown to an ordinary user
    except OSError:
        return False
