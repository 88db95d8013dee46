# SPDX-License-Identifier: Apache-2.0
"""A dockerd in a folder of its own and without a registry: its one image is a small Debian by mmdebstrap."""
import os
import shutil
import subprocess
import time


class Daemon:
    """`missing` says why there is none. Only root can start one; a dockerd that already runs is left alone."""
    image = "escapes"

    def __init__(self, folder, tar=None):
        self._folder, self._tar, self._process = f"{folder}/docker", tar, None
        self.address = f"unix://{self._folder}/socket"
        self.missing = None
        for program in ("dockerd", "containerd", "runc", "docker"):
            if not shutil.which(program):
                self.missing = f"{program} is not installed"
                return
        if os.getuid() != 0:
            self.missing = "dockerd needs root"
        elif not tar and not shutil.which("mmdebstrap"):
            self.missing = "mmdebstrap is not installed, and makes the image"

    def make_image(self):
        """Before the bench gives up the network. Takes a minute, unless a file was named."""
        if self.missing or self._tar:
            return
        self._tar = f"{self._folder}.tar"
        made = subprocess.run(["mmdebstrap", "--quiet", "--variant=essential", "--include=python3", "stable",
                               self._tar], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              check=False)
        if made.returncode != 0:
            self.missing = f"mmdebstrap failed: {made.stderr.strip().splitlines()[-1:]}"

    def start(self):
        if self.missing:
            return
        os.makedirs(self._folder)
        with open(f"{self._folder}/log", "wb") as log:
            self._process = subprocess.Popen(
                ["dockerd", "--host", self.address, "--data-root", f"{self._folder}/data", "--exec-root",
                 f"{self._folder}/run", "--pidfile", f"{self._folder}/pid", "--iptables=false", "--ip6tables=false"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        limit = time.monotonic() + 20
        while not self._docker("version"):
            if time.monotonic() > limit or self._process.poll() is not None:
                self.missing = f"dockerd did not start: {self._last_words()}"
                self.stop()
                return
            time.sleep(0.1)
        if not self._docker("import", self._tar, self.image):
            self.missing = "docker import failed"
            self.stop()

    def _docker(self, *words):
        return subprocess.run(["docker", "--host", self.address, *words], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode == 0

    def _last_words(self):
        with open(f"{self._folder}/log", encoding="utf-8", errors="replace") as log:
            return (log.read().strip().splitlines() or ["no word"])[-1]

    def stop(self):
        """By its own process; it ends its containerd."""
        if self._process:
            self._process.terminate()
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None
