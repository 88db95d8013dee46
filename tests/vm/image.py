# SPDX-License-Identifier: Apache-2.0
"""The machine's disk: a small Debian with systemd, made by mmdebstrap and kept in a cache by a hash of what it is made of.

Works as root, and as an ordinary user with subordinate user ids (/etc/subuid): nothing is mounted, mkfs.ext4 copies the tree.
"""

import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

from complaint import Complaint

USER = "tester"
USER_ID = 1001
DISK_MEGABYTES = 1500
UNUSED_DAYS = 14

# The libraries of the programs and tests, by version of Debian, oldest first (libraries).
LIBRARIES = {
    "bookworm": ["libqt6core6", "libqt6dbus6", "libqt6gui6", "libqt6keychain1", "libqt6svg6", "libqt6test6", "libssl3"],
    "trixie": ["libqt6core6t64", "libqt6dbus6", "libqt6gui6", "libqt6keychain1", "libqt6svg6", "libqt6test6", "libssl3t64"],
}
PACKAGES = [
    # the machine
    "linux-image-cloud-amd64", "initramfs-tools", "zstd", "systemd-sysv", "dbus", "dbus-user-session", "libpam-systemd",
    "udev", "kmod", "apparmor", "login", "passwd", "util-linux", "procps",
    # Glovebox, its second builder, and the languages
    "bubblewrap", "libsqlite3-0", "libsystemd0", "ca-certificates", "python3", "nodejs", "bash",
    # tests
    "strace",
]

# Runs once the machine is up; what it does comes with the job (guest.py), so the disk needn't be made again for it.
SERVICE = """[Unit]
Description=Runs the job on the second disk
Wants=dbus.service systemd-logind.service
After=dbus.service systemd-logind.service systemd-user-sessions.service apparmor.service systemd-sysctl.service
[Service]
Type=oneshot
ExecStart=/bin/tar -xf /dev/vdb -C /
ExecStart=/usr/bin/python3 /usr/local/lib/glovebox-vm/guest.py
ExecStopPost=/bin/systemctl poweroff --no-block
StandardOutput=journal+console
StandardError=journal+console
TimeoutStartSec=infinity
[Install]
WantedBy=multi-user.target
"""

# With these three modules and no others the first stage takes a second rather than ten.
INITRAMFS = "MODULES=list\nBUSYBOX=n\nCOMPRESS=zstd\nRESUME=none\n"
MODULES = "virtio_pci\nvirtio_blk\next4\ncrc32c_generic\n"
IDLE_UNITS = [
    "apt-daily.timer", "apt-daily-upgrade.timer", "dpkg-db-backup.timer", "e2scrub_all.timer", "e2scrub_reap.service",
    "fstrim.timer", "getty@tty1.service", "systemd-tmpfiles-clean.timer", "systemd-pstore.service",
]


def prepare(suite=None):
    """The folder of a ready disk: root.ext4, vmlinuz and initrd.img. Made at the first call; takes some minutes then.

    suite: a version of Debian, not older than this one, whose libraries the programs were linked with; None: this one.
    """
    suites = list(LIBRARIES)
    here = built_on()
    suite = suite or here
    if suites.index(suite) < suites.index(here):
        raise Complaint(f"Programs built on Debian {here} don't run on {suite}.")
    recipe = pathlib.Path(__file__).read_bytes() + suite.encode()
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or "/var/tmp") / "glovebox-vm"
    cache.mkdir(parents=True, exist_ok=True)
    folder = cache / f"{suite}-{hashlib.sha256(recipe).hexdigest()[:16]}"
    with open(cache / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            make(suite, folder)
        os.utime(folder)
        forget_unused(cache, folder)
    return folder


def built_on():
    release = dict(line.split("=", 1) for line in pathlib.Path("/etc/os-release").read_text().splitlines() if "=" in line)
    suite = release.get("VERSION_CODENAME", "").strip('"')
    if suite not in LIBRARIES:
        raise Complaint(f"The machine gets programs that were built on a Debian: {' or '.join(LIBRARIES)}. "
                        f"This is '{suite or 'unknown'}'.")
    return suite


def forget_unused(cache, used):
    for folder in cache.iterdir():
        if folder.is_dir() and folder != used and time.time() - folder.stat().st_mtime > UNUSED_DAYS * 86400:
            shutil.rmtree(folder)


def mirror(label, otherwise):
    """Where this system gets its own packages from."""
    fields = ["apt-get", "indextargets", "--format", "$(ORIGIN)|$(LABEL)|$(REPO_URI)", "Created-By: Packages"]
    for line in subprocess.run(fields, capture_output=True, text=True, check=False).stdout.splitlines():
        origin, found, uri = line.split("|", 2)
        if (origin, found) == ("Debian", label):
            return uri
    return otherwise


def make(suite, folder):
    for program in ("mmdebstrap", "mkfs.ext4"):
        if not shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin"):
            raise Complaint(f"Making the machine's disk needs {program}. './installer/dev setup vm' installs it.")
    debian = mirror("Debian", "http://deb.debian.org/debian")
    security = mirror("Debian-Security", "http://deb.debian.org/debian-security")
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="making-") as making:
        os.chmod(making, 0o777)  # in a user namespace the hooks are another user; the folder around is the person's
        (pathlib.Path(making) / "service").write_text(SERVICE)
        disk = f"{making}/root.ext4"
        shell = f'sh -euc \'{{}}\' hook "$1"'

        def hook(script):
            return ["--customize-hook=" + shell.format(script)]

        command = ["mmdebstrap", "--quiet", "--format=null", "--variant=minbase", "--include=" + ",".join(PACKAGES + LIBRARIES[suite])]
        command += ["--dpkgopt=path-exclude=/usr/share/doc/*", "--dpkgopt=path-exclude=/usr/share/man/*",
                    "--dpkgopt=path-exclude=/usr/share/locale/*", "--aptopt=Apt::Install-Recommends \"false\""]
        command += ["--essential-hook=mkdir -p \"$1/etc/initramfs-tools\""]
        for path, text in (("initramfs.conf", INITRAMFS), ("modules", MODULES)):
            (pathlib.Path(making) / path).write_text(text)
        command += hook(f'cp {making}/initramfs.conf {making}/modules "$1/etc/initramfs-tools/"')
        command += hook(f'cp {making}/service "$1/etc/systemd/system/glovebox-vm.service"')
        command += hook('chroot "$1" systemctl enable glovebox-vm.service')
        command += hook('chroot "$1" systemctl mask ' + " ".join(IDLE_UNITS))
        command += hook(f'chroot "$1" useradd --uid {USER_ID} --create-home --shell /bin/bash {USER}')
        command += hook(f'mkdir -p "$1/var/lib/systemd/linger" && touch "$1/var/lib/systemd/linger/{USER}"')
        command += hook('echo glovebox-vm >"$1/etc/hostname"; echo "127.0.0.1 localhost glovebox-vm" >"$1/etc/hosts"; '
                        ': >"$1/etc/fstab"; echo 0123456789abcdef0123456789abcdef >"$1/etc/machine-id"')
        command += hook('chroot "$1" update-initramfs -u -k all')
        command += hook(f'cat "$1"/boot/vmlinuz-* >{making}/vmlinuz; cat "$1"/boot/initrd.img-* >{making}/initrd.img')
        command += hook('rm -rf "$1"/boot/* "$1"/var/cache/apt/* "$1"/var/lib/apt/lists/*')
        # Bound over itself, the tree shows without the /proc, /sys and /dev that mmdebstrap mounted into it.
        command += hook(f'PATH=$PATH:/usr/sbin:/sbin; truncate -s {DISK_MEGABYTES}M {disk}; mkdir {making}/tree; '
                        f'unshare --mount sh -euc "mount --bind \\"\\$1\\" {making}/tree; '
                        f'mkfs.ext4 -q -F -O ^has_journal -E lazy_itable_init=1 -d {making}/tree {disk}" disk "$1"; '
                        f'rmdir {making}/tree')
        command += [suite, "/dev/null", f"deb {debian} {suite} main", f"deb {debian} {suite}-updates main",
                    f"deb {security} {suite}-security main"]
        if subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode != 0:
            raise Complaint("The machine's disk could not be made; what mmdebstrap said is above.")
        ready = pathlib.Path(making) / "ready"
        ready.mkdir()
        for name in ("root.ext4", "vmlinuz", "initrd.img"):
            # In a user namespace another user made them; and there is little on that disk.
            subprocess.run(["cp", "--sparse=always", f"{making}/{name}", ready / name], check=True)
        ready.rename(folder)
