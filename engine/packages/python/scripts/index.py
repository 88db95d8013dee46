# Glovebox: how fetch.py and source.py, which follow in the same code, ask the package index: by HTTPS, and by pip. Both print one JSON
# object, which engine/packages/tasks.cpp reads: {"runtime", "problem", "subject", "detail", "of_folder"}; "problem" is empty when all
# is well, and "of_folder" has the files that come from the folder of wheels. pip's own words go to standard error. pip_alone: pip.py.
import json
import os
import re
import subprocess
import sys
import threading

wanted = json.loads(sys.argv[1])
runtime = "%d.%d.%d" % sys.version_info[:3]
python = getattr(sys, "_base_executable", None) or sys.executable


def end(problem="", subject="", detail="", of_folder=()):
    print(json.dumps({"runtime": "%d.%d" % sys.version_info[:2], "problem": problem, "subject": subject[:200],
                      "detail": detail[:600], "of_folder": list(of_folder)}))
    sys.exit(1 if problem else 0)


def folder_of_pip():
    found = subprocess.run([python, "-I", "-c", "import os, pip; print(os.path.dirname(os.path.dirname(pip.__file__)))"],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    if found.returncode != 0:
        end("no-pip", python)
    return found.stdout.rstrip("\n")


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def certificates():
    for file in ("/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/certs/ca-bundle.crt",
                 "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem"):
        if os.path.exists(file):
            return file
    import ssl
    return ssl.get_default_verify_paths().cafile


def opened(address):
    import ssl  # these two take as long as all else here, and most fetches do without
    import urllib.request
    context = ssl.create_default_context(cafile=certificates())
    return urllib.request.urlopen(address, timeout=wanted["timeout_s"], context=context)


def page_of(name):
    address = wanted["index"].rstrip("/") + "/" + normal(name) + "/"
    with opened(address) as answer:
        return address, answer.read(16 << 20).decode("utf-8", "replace")


def judge(lines, lacks):
    """Ends, with what pip's last lines mean. lacks(name, versions, detail): where pip found nothing that fits."""
    text = "\n".join(lines)
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
        lacks(match.group(1), match.group(2), last)
    if re.search(r"not a supported wheel|inconsistent|[Ii]nvalid wheel| is invalid\.|BadZipFile|has an invalid|Invalid|corrupt", text):
        end("damaged", detail=last)
    end("other", detail=last)


def get_wheels(folder, requirements, lacks, *places):
    """By pip, from the index and these folders; ends all of this where that fails. Returns the files of the folder of wheels."""
    answers, told = os.pipe()
    # Unbuffered, so that whoever follows the run sees each line when pip says it.
    command = [python, "-I", "-u", "-c", pip_alone, str(told), wanted["wheels"], "--isolated", "--no-input", "--disable-pip-version-check",
               "--no-color", "download", "--progress-bar", "off", "--no-cache-dir", "--only-binary", ":all:", "--dest", folder,
               "--index-url", wanted["index"], "--timeout", str(wanted["timeout_s"]), "--retries", "1"]
    for place in (wanted["wheels"], *places):
        if os.path.isdir(place):
            command += ["--find-links", place]
    if certificates():
        command += ["--cert", certificates()]
    os.makedirs(folder, exist_ok=True)
    lines, said = [], []
    with open(answers, encoding="utf-8") as file, subprocess.Popen(
            command + requirements, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace", pass_fds=[told]) as process:
        os.close(told)
        reader = threading.Thread(target=lambda: said.extend(json.loads(line) for line in file))
        reader.start()
        for line in process.stdout:
            sys.stderr.write(line)
            lines = lines[-400:] + [line.rstrip("\n")]
        reader.join()
    for address in said:
        if "by" in address:
            end("address", address["name"], address["by"])
    if process.returncode != 0:
        if any(line.startswith("ModuleNotFoundError: ") for line in lines):
            folder_of_pip()
        judge(lines, lacks)
    return [each["file"] for each in said]
