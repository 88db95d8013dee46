# SPDX-License-Identifier: Apache-2.0
# Attacks on the kernel's doors. Nothing is written to what they open, and devices are opened for reading only.


def kernel_files():
    """Memory for reading; settings of the whole machine for writing."""
    reads = ["/proc/kcore", "/proc/vmcore", "/dev/mem", "/dev/kmem", "/dev/port", "/dev/kmsg", "/proc/kmsg"]
    writes = ["/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sysrq-trigger",
              "/sys/kernel/uevent_helper", "/proc/sys/vm/drop_caches"]
    opened = [attempt(os.open, path, os.O_RDONLY | os.O_NONBLOCK) for path in reads]
    opened += [attempt(os.open, path, os.O_WRONLY) for path in writes]
    if any(number is not None for number in opened):
        hold()


def mount_something():
    """In a mount namespace of its own, by a user namespace where needed; so nothing is mounted for others."""
    user, uid, gid = 0x10000000, os.getuid(), os.getgid()
    own = libc.unshare(0x20000) == 0
    if not own and libc.unshare(user | 0x20000) == 0:
        own = True
        for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
    if own:
        libc.mount(b"none", b"/", None, 0x44000, None)  # MS_REC | MS_PRIVATE
    for folder in (b"/tmp", b"/mnt", b"/usr", b"/proc"):
        if libc.mount(MARK.encode(), folder, b"tmpfs", 0, None) == 0:
            hold()
            return


def read_keyring():
    calls = {"x86_64": (249, 250), "aarch64": (218, 219)}
    if platform.machine() not in calls:
        raise RuntimeError("numbers of the calls aren't known for this machine")
    request, control = calls[platform.machine()]
    name, kind = WORDS["key_name"].encode(), b"user"
    found = [libc.syscall(control, 10, ring, kind, name, 0) for ring in (-1, -2, -3, -4, -5)]  # KEYCTL_SEARCH
    found.append(libc.syscall(request, kind, name, None, 0))
    found += [int(line.split()[0], 16) for line in (attempt(content, "/proc/keys") or b"").splitlines()]
    for key in found:
        buffer = ctypes.create_string_buffer(256)
        if key > 0 and libc.syscall(control, 11, key, buffer, 256) > 0:  # KEYCTL_READ
            show(buffer.raw)


def device_nodes():
    """The disk of the root folder by a node of its own, and every disk that has a node."""
    opened = []
    for folder in writable_folders():
        path = f"{folder}/{MARK}-disk"
        for kind in (stat.S_IFBLK, stat.S_IFBLK | stat.S_ISUID):
            try:
                os.mknod(path, kind | 0o600, WORDS["disk"])
            except OSError:
                continue
            opened.append(attempt(os.open, path, os.O_RDONLY))
            os.unlink(path)
    for entry in os.scandir("/dev"):
        if not entry.is_symlink() and stat.S_ISBLK(entry.stat().st_mode):
            opened.append(attempt(os.open, entry.path, os.O_RDONLY | os.O_NONBLOCK))
    if any(number is not None for number in opened):
        hold()


def setuid_program():
    """`su` waits for a password as root; who is root already holds as he is."""
    asking = attempt(lambda: subprocess.Popen(["su", "root", "-c", MARK], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                              stderr=subprocess.STDOUT))
    hold(0.3)
    if os.geteuid() == 0 or (asking and asking.poll() is None):
        hold()


def push_into_terminal():
    """TIOCSTI, also with bits above those that a filter of 32 bits compares."""
    descriptors = [0, 1, 2, attempt(os.open, "/dev/tty", os.O_RDWR | os.O_NOCTTY)]
    for number in filter(lambda each: each is not None, descriptors):
        for request in (0x5412, 0x5412 | 1 << 32):
            for character in MARK.encode() + b"\n":
                libc.ioctl(number, ctypes.c_ulong(request), ctypes.byref(ctypes.c_char(character)))
