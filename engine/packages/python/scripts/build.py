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
room = "/tmp/building"
own = room + "/bin/python3"
pip = subprocess.run([python, "-I", "-c", "import os, pip, sys, venv; venv.create(sys.argv[1], symlinks=True); "
                                          "print(os.path.dirname(pip.__file__))", room], stdin=subprocess.DEVNULL,
                     stdout=subprocess.PIPE, text=True, check=True).stdout.rstrip("\n")
tools = sorted(glob.glob("tools/*.whl"))
if tools:
    subprocess.run([own, "-I", pip, "install", *options, "--progress-bar", "off", "--no-deps", "--ignore-installed",
                    "--no-compile", "--no-warn-script-location", *tools], stdin=subprocess.DEVNULL, stdout=sys.stderr, check=True)
environment = dict(os.environ, PATH=room + "/bin:" + os.environ.get("PATH", "/usr/bin:/bin"))
end = subprocess.run([own, "-I", pip, "wheel", *options, "--no-deps", "--no-build-isolation", "--use-pep517", "--wheel-dir", "built",
                      *glob.glob("source/*.tar.gz")], stdin=subprocess.DEVNULL, stdout=sys.stderr, env=environment)
sys.exit(end.returncode)
