# SPDX-License-Identifier: Apache-2.0
"""Inside the machine, as root: runs the steps of the job, sends their output through two virtio ports and the end through a
third. What they leave in /var/tmp/out goes to the third disk as a tar archive, with NAME.out and NAME.status of each step.
"""

import json
import os
import pathlib
import pwd
import subprocess
import threading

JOB = pathlib.Path("/usr/local/lib/glovebox-vm/job.json")
PORTS = pathlib.Path("/dev/virtio-ports")
OUT = pathlib.Path("/var/tmp/out")


def connect():
    """By qemu's user network, which gives the address and answers for names."""
    pathlib.Path("/etc/systemd/network/vm.network").write_text("[Match]\nName=e*\n[Network]\nDHCP=ipv4\n")
    pathlib.Path("/etc/resolv.conf").write_text("nameserver 10.0.2.3\n")
    subprocess.run(["systemctl", "start", "systemd-networkd.service", "systemd-networkd-wait-online.service"], check=True)


def wait_for_user_session(name):
    """Returns once the user's own systemd is up (the user lingers, so it starts by itself)."""
    uid = pwd.getpwnam(name).pw_uid
    subprocess.run(["systemctl", "start", f"user@{uid}.service"], check=True)
    return uid


def command_line(step, name):
    argv = step["argv"]
    if step["as"] == "root":
        return argv
    uid = wait_for_user_session(name)
    if step["as"] == "session":  # as typed after a login: session-N.scope of logind, not delegated
        return ["su", "-l", "-s", "/bin/sh", "-c", 'exec "$@"', "--", name, "step", *argv]
    # as started from a desktop: a service of the user's own systemd, below the delegated user@.service
    return ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--init-groups", "--reset-env", "env",
            f"XDG_RUNTIME_DIR=/run/user/{uid}", "systemd-run", "--user", "--quiet", "--pipe", "--wait", "--collect",
            "--slice=app.slice", "--working-directory=" + pwd.getpwnam(name).pw_dir, "--", *argv]


def copy(source, port, kept):
    with open(PORTS / port, "wb", buffering=0) as target, open(kept, "ab") as keep:
        while block := source.read1(65536):
            target.write(block)
            keep.write(block)


def run(step, user):
    environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root",
                   "LANG": "C.UTF-8", "TERM": "dumb"}
    kept = OUT / step["name"]
    try:
        process = subprocess.Popen(command_line(step, user), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=environment, cwd="/root")
        copies = [threading.Thread(target=copy, args=each, daemon=True)
                  for each in ((process.stdout, "glovebox.output", f"{kept}.out"),
                               (process.stderr, "glovebox.errors", f"{kept}.err"))]
        for thread in copies:
            thread.start()
        status = process.wait()
        for thread in copies:
            thread.join(timeout=5)  # something that the step left running may hold the pipe
    except (OSError, subprocess.SubprocessError) as error:
        with open(PORTS / "glovebox.errors", "wb", buffering=0) as port:
            port.write(f"The command could not be started: {error}\n".encode())
        status = 125
    status = status if status >= 0 else 128 - status
    pathlib.Path(f"{kept}.status").write_text(f"{status}\n")
    return status


def main():
    job = json.loads(JOB.read_text())
    OUT.mkdir(mode=0o777, exist_ok=True)
    OUT.chmod(0o777)
    if job["network"]:
        connect()
    failed = 0
    for step in job["steps"]:
        failed = run(step, job["user"]) or failed
    subprocess.run(["tar", "-C", OUT, "-cf", "/dev/vdc", "."], check=True)
    os.sync()
    with open(PORTS / "glovebox.status", "wb", buffering=0) as port:
        port.write(b"%d\n" % failed)


main()
