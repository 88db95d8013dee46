# SPDX-License-Identifier: Apache-2.0
"""Inside the machine, as root: runs the job, sends its output through two virtio ports and its end through a third.

The files that the job leaves in /var/tmp/out go to the third disk as a tar archive.
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


def wait_for_user_session(name):
    """Returns once the user's own systemd is up (the user lingers, so it starts by itself)."""
    uid = pwd.getpwnam(name).pw_uid
    subprocess.run(["systemctl", "start", f"user@{uid}.service"], check=True)
    return uid


def command_line(job):
    argv = job["argv"]
    if job["as"] == "root":
        return argv
    name = job["user"]
    uid = wait_for_user_session(name)
    if job["as"] == "session":  # as typed after a login: session-N.scope of logind, not delegated
        return ["su", "-l", name, "-s", "/bin/sh", "-c", 'exec "$@"', "job", *argv]
    # as started from a desktop: a service of the user's own systemd, below the delegated user@.service
    return ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--init-groups", "--reset-env", "env",
            f"XDG_RUNTIME_DIR=/run/user/{uid}", "systemd-run", "--user", "--quiet", "--pipe", "--wait", "--collect",
            "--slice=app.slice", "--working-directory=" + pwd.getpwnam(name).pw_dir, "--", *argv]


def copy(source, port):
    with open(PORTS / port, "wb", buffering=0) as target:
        while block := source.read1(65536):
            target.write(block)


def main():
    job = json.loads(JOB.read_text())
    OUT.mkdir(mode=0o777, exist_ok=True)
    OUT.chmod(0o777)
    environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root",
                   "LANG": "C.UTF-8", "TERM": "dumb"}
    try:
        process = subprocess.Popen(command_line(job), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=environment, cwd="/root")
        copies = [threading.Thread(target=copy, args=pair, daemon=True)
                  for pair in ((process.stdout, "glovebox.output"), (process.stderr, "glovebox.errors"))]
        for thread in copies:
            thread.start()
        status = process.wait()
        for thread in copies:
            thread.join(timeout=5)  # something that the job left running may hold the pipe
    except (OSError, subprocess.SubprocessError) as error:
        with open(PORTS / "glovebox.errors", "wb", buffering=0) as port:
            port.write(f"The job could not be started: {error}\n".encode())
        status = 125
    subprocess.run(["tar", "-C", OUT, "-cf", "/dev/vdc", "."], check=True)
    os.sync()
    with open(PORTS / "glovebox.status", "wb", buffering=0) as port:
        port.write(b"%d\n" % (status if status >= 0 else 128 - status))


main()
