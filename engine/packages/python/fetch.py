# Glovebox: downloads packages as wheels into the folder "wheels". This sandbox reaches the package index and nothing else.
#
# argv[1]: {"index", "wheels", "requirements", "locked", "sources", "timeout_s"}; sources: names of packages that may be built where no
# wheel fits. Wheels that were built are in the folder "built". pip_alone: pip.py. Prints one JSON object, which engine/packages/tasks.cpp
# reads: {"runtime", "version", "problem", "subject", "detail"}; "problem" is empty when all is well. pip's own words go to standard error.
import http.client
import json
import os
import re
import shutil
import ssl
import subprocess
import sys
import urllib.error
import urllib.request

wanted = json.loads(sys.argv[1])
python = getattr(sys, "_base_executable", None) or sys.executable
answer = {"runtime": "%d.%d" % sys.version_info[:2], "version": "%d.%d.%d" % sys.version_info[:3],
          "problem": "", "subject": "", "detail": ""}


def end(problem="", subject="", detail=""):
    answer.update(problem=problem, subject=subject[:200], detail=detail[:600])
    print(json.dumps(answer))
    sys.exit(1 if problem else 0)


def certificates():
    for file in ("/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/certs/ca-bundle.crt",
                 "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", ssl.get_default_verify_paths().cafile):
        if file and os.path.exists(file):
            return file
    return None


def offers(name):
    """Of a package for which pip found nothing: whether the index has it, and as what."""
    page = wanted["index"].rstrip("/") + "/" + re.sub(r"[-_.]+", "-", name).lower() + "/"
    try:
        context = ssl.create_default_context(cafile=certificates())
        with urllib.request.urlopen(page, timeout=wanted["timeout_s"], context=context) as found:
            files = re.findall(r">\s*([^<>\s]+)\s*</a>", found.read(16 << 20).decode("utf-8", "replace"))
    except urllib.error.HTTPError as error:
        return "missing" if error.code in (404, 410) else "unreachable"
    except (OSError, http.client.HTTPException):
        return "unreachable"
    if any(file.endswith(".whl") for file in files):
        maybe = re.sub(r"[-_.]+", "-", name).lower() in wanted["sources"] and any(file.endswith(".tar.gz") for file in files)
        return "source" if maybe else "unfit"
    return "source" if files else "missing"


def judge(lines, told):
    text = "\n".join(lines)
    if told:
        end("address", told["name"], told["by"])
    # pip has this rule itself for packages of PyPI.
    refused = re.search(r"cannot depend on packages which are not also hosted on PyPI\.\n(\S+) depends on ([A-Za-z0-9._-]+)", text)
    if refused:
        end("address", refused.group(2), refused.group(1))
    match = re.search(r"No matching distribution found for ([A-Za-z0-9._-]+)(?:\[[^\]\s]*\])?([A-Za-z0-9.*+!_,<>=~-]*)", text)
    conflict = re.search(r"The conflict is caused by:\n((?:.*\S.*\n)+)", text + "\n")
    errors = [re.sub(r"^ERROR: ", "", line) for line in lines if line.startswith("ERROR: ")]
    last = errors[-1] if errors else (lines[-1] if lines else "")
    if "No space left on device" in text or "Disk quota exceeded" in text:
        end("space")
    if "DO NOT MATCH THE HASHES" in text or "Hashes are required" in text:
        name = re.search(r"\n\s+(\S+) from .*:\n\s+Expected", text)
        end("hash", name.group(1) if name else "")
    if conflict or "ResolutionImpossible" in text:
        found = [" ".join(line.split()) for line in conflict.group(1).splitlines()] if conflict else []
        end("conflict", detail="; ".join(found))
    if re.search(r"Read timed out|ConnectTimeout|ReadTimeout|timed out\.", text):
        end("hangs")
    if re.search(r"Max retries exceeded|Connection (broken|aborted)|ProxyError|SSLError|NewConnectionError", text):
        end("unreachable", detail=last)
    if match:
        end(offers(match.group(1)), match.group(1), match.group(2))
    if re.search(r"not a supported wheel|inconsistent|[Ii]nvalid wheel|BadZipFile|has an invalid|Invalid|corrupt", text):
        end("damaged", detail=last)
    end("other", detail=last)


has_pip = "import importlib.util, sys; sys.exit(importlib.util.find_spec('pip') is None)"
if subprocess.run([python, "-I", "-c", has_pip], stdin=subprocess.DEVNULL).returncode != 0:
    end("no-pip", python)
# Unbuffered, so that whoever follows the run sees each line when pip says it.
answers, told = os.pipe()
command = [python, "-I", "-u", "-c", pip_alone, str(told), "--isolated", "--no-input", "--disable-pip-version-check", "--no-color",
           "download", "--progress-bar", "off", "--no-cache-dir", "--only-binary", ":all:", "--dest", "wheels",
           "--index-url", wanted["index"], "--timeout", str(wanted["timeout_s"]), "--retries", "1"]
if wanted["wheels"]:
    command += ["--find-links", wanted["wheels"]]
if os.path.isdir("built"):
    command += ["--find-links", "built"]
if certificates():
    command += ["--cert", certificates()]
if wanted["locked"]:
    command += ["--no-deps", "--require-hashes", "--requirement", "requirements.txt"]
else:
    command += ["--"] + wanted["requirements"]
os.makedirs("wheels", exist_ok=True)
lines = []
with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                      text=True, errors="replace", pass_fds=[told]) as process:
    os.close(told)
    for line in process.stdout:
        sys.stderr.write(line)
        lines = lines[-400:] + [line.rstrip("\n")]
with open(answers, encoding="utf-8") as file:
    address = json.loads(file.read() or "null")
if address or process.returncode != 0:
    judge(lines, address)
shutil.rmtree("built", ignore_errors=True)
end()
