# Glovebox: builds the source of the folder "source" by the tools of the folder "tools" into a wheel in the folder "built". This sandbox
# has no network, and none of the person's files.
#
# Code of the package runs here: whatever this prints is its word, and what counts is the file that it leaves.
import glob
import os
import subprocess
import sys

python = getattr(sys, "_base_executable", None) or sys.executable
options = ["--isolated", "--no-input", "--disable-pip-version-check", "--no-color", "--no-cache-dir", "--no-index"]
pip = subprocess.run([python, "-I", "-c", "import os, pip; print(os.path.dirname(pip.__file__))"], stdin=subprocess.DEVNULL,
                     stdout=subprocess.PIPE, text=True, check=True).stdout.rstrip("\n")
room = "/tmp/building"
own = room + "/bin/python3"
subprocess.run([python, "-I", "-m", "venv", "--without-pip", room], stdin=subprocess.DEVNULL, check=True)
tools = sorted(glob.glob("tools/*.whl"))
if tools:
    subprocess.run([own, "-I", pip, "install", *options, "--progress-bar", "off", "--no-deps", "--ignore-installed",
                    "--no-warn-script-location", *tools], stdin=subprocess.DEVNULL, stdout=sys.stderr, check=True)
environment = dict(os.environ, PATH=room + "/bin:" + os.environ.get("PATH", "/usr/bin:/bin"))
end = subprocess.run([own, "-I", pip, "wheel", *options, "--no-deps", "--no-build-isolation", "--use-pep517", "--wheel-dir", "built",
                      *glob.glob("source/*.tar.gz")], stdin=subprocess.DEVNULL, stdout=sys.stderr, env=environment)
sys.exit(end.returncode)
