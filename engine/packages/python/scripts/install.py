# Glovebox: unpacks the wheels of the folder "wheels" into the folder "env". This sandbox has no network.
#
# Nothing of the packages is run: pip unpacks, Python compiles. Prints {"problem", "subject", "detail"}, as fetch.py does.
import glob
import json
import os
import re
import shutil
import subprocess
import sys

python = getattr(sys, "_base_executable", None) or sys.executable


def end(problem="", subject="", detail=""):
    print(json.dumps({"problem": problem, "subject": subject[:200], "detail": detail[:600]}))
    sys.exit(1 if problem else 0)


def run(command):
    lines = []
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace") as process:
        for line in process.stdout:
            sys.stderr.write(line)
            lines = lines[-400:] + [line.rstrip("\n")]
    return process.returncode, lines


made = subprocess.run([python, "-I", "-c", "import os, pip, venv; print(os.path.dirname(pip.__file__), flush=True); "
                                           "venv.create('env', symlinks=True)"],
                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
sys.stderr.write(made.stderr)
if not made.stdout:
    end("no-pip", python)
if made.returncode != 0:
    end("other", detail=made.stderr.rstrip().rpartition("\n")[2])
own = ["env/pyvenv.cfg"] + [name for name in glob.glob("env/bin/*") if not os.path.islink(name)]
# pip is run by the environment's own Python, so that it finds the environment's folders and none of the system's.
status, lines = run(["env/bin/python3", "-I", "-u", made.stdout.rstrip("\n"), "--isolated", "--no-input",
                     "--disable-pip-version-check", "--no-color", "install", "--progress-bar", "off", "--no-cache-dir",
                     "--no-index", "--find-links", "wheels", "--only-binary", ":all:", "--no-deps", "--no-compile",
                     "--ignore-installed", "--no-warn-script-location", "--require-hashes",
                     "--requirement", "requirements.txt"])
if status != 0:
    text = "\n".join(lines)
    errors = [re.sub(r"^ERROR: ", "", line) for line in lines if line.startswith("ERROR: ")]
    last = errors[-1] if errors else (lines[-1] if lines else "")
    if "No space left on device" in text:
        end("space")
    if "DO NOT MATCH THE HASHES" in text:
        end("hash")
    end("damaged", detail=last)
# Not checked against its source later: both are read-only then, and times are lost on the way.
run([python, "-I", "-m", "compileall", "-q", "-f", "-j", "2", "--invalidation-mode", "unchecked-hash", "env/lib"])
# The environment is shown at another path, where its own interpreter comes first in PATH.
here = ("#!" + os.path.join(os.getcwd(), "env", "bin")).encode()
for script in glob.glob("env/bin/*"):
    if os.path.islink(script) or not os.path.isfile(script):
        continue
    with open(script, "rb") as file:
        content = file.read()
    if content.startswith(here):
        with open(script, "wb") as file:
            file.write(b"#!/usr/bin/env python3" + content[content.index(b"\n"):])
# What Glovebox makes itself, where it knows the place.
for name in [name for name in glob.glob("env/bin/*") + ["env/lib64"] if os.path.islink(name)] + own:
    os.unlink(name)
shutil.rmtree("wheels")
os.unlink("requirements.txt")
end()
