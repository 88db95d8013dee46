# SPDX-License-Identifier: Apache-2.0
"""A network of our own for the attacks on the network: the loopback with two more addresses, and its own resolv.conf.

So the attacks on name servers and on the metadata address of clouds are seen here, and never reach real ones. Root
enters with all of the bench. An ordinary user needs a user namespace and enters for the attacks on the network only.
"""
import ctypes
import fcntl
import os
import socket
import struct

NAME_SERVER = "198.51.100.53"
METADATA = "169.254.169.254"

_libc = ctypes.CDLL(None, use_errno=True)


def _checked(result, what):
    if result != 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


def _set_up_loopback():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for name, address in (("lo", "127.0.0.1"), ("lo:1", NAME_SERVER), ("lo:2", METADATA)):
            named = struct.pack("16sHH4s8x", name.encode(), socket.AF_INET, 0, socket.inet_aton(address))
            fcntl.ioctl(control, 0x8916, named)  # SIOCSIFADDR
            fcntl.ioctl(control, 0x8914, struct.pack("16sh14x", name.encode(), 0x41))  # SIOCSIFFLAGS: up, running


def enter(folder):
    """The calling process, which has one thread, moves to this network; what it starts follows. Raises OSError."""
    uid, gid = os.getuid(), os.getgid()
    _checked(_libc.unshare(0x40000000 | 0x20000 | (0 if uid == 0 else 0x10000000)), "unshare")
    if uid != 0:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    _checked(_libc.mount(b"none", b"/", None, 0x44000, None), "mount")  # MS_REC | MS_PRIVATE
    _set_up_loopback()
    names = f"{folder}/resolv.conf"
    with open(names, "w", encoding="ascii") as file:
        file.write(f"nameserver {NAME_SERVER}\noptions timeout:1 attempts:1\n")
    os.chmod(names, 0o644)
    there = os.path.realpath("/etc/resolv.conf")
    if os.path.exists(there):
        _checked(_libc.mount(names.encode(), there.encode(), None, 0x1000, None), "mount resolv.conf")  # MS_BIND
