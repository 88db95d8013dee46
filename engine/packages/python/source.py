# Glovebox: downloads the source of one package into the folder "source", and the tools that build it, as wheels, into the folder "tools".
# This sandbox reaches the package index and nothing else. Nothing of the source is run: its pyproject.toml is read as data.
#
# argv[1]: {"index", "wheels", "name", "versions", "version", "sha256", "timeout_s", "most_bytes"}; with sha256 just that source, and the
# tools of tools.txt. pip_alone: pip.py. Prints {"runtime", "problem", "subject", "detail"}, as fetch.py does.
import gzip
import hashlib
import html.parser
import http.client
import json
import os
import re
import ssl
import subprocess
import sys
import tarfile
import urllib.error
import urllib.parse
import urllib.request
import zlib

wanted = json.loads(sys.argv[1])
name = wanted["name"]
runtime = "%d.%d.%d" % sys.version_info[:3]
python = getattr(sys, "_base_executable", None) or sys.executable
largest_text = 1 << 20  # bytes of pyproject.toml
most_members = 100_000  # of a source
most_tools = 100  # that a source names


def end(problem="", subject="", detail=""):
    print(json.dumps({"runtime": "%d.%d" % sys.version_info[:2], "problem": problem, "subject": subject[:200],
                      "detail": detail[:600]}))
    sys.exit(1 if problem else 0)


found = subprocess.run([python, "-I", "-c", "import os, pip; print(os.path.dirname(os.path.dirname(pip.__file__)))"],
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
if found.returncode != 0:
    end("no-pip", python)
sys.path = [each for each in sys.path if each not in ("", os.getcwd())] + [found.stdout.rstrip("\n")]
from pip._vendor.packaging.requirements import InvalidRequirement, Requirement  # noqa: E402
from pip._vendor.packaging.specifiers import InvalidSpecifier, SpecifierSet  # noqa: E402
from pip._vendor.packaging.version import InvalidVersion, Version  # noqa: E402

try:
    import tomllib
except ImportError:
    from pip._vendor import tomli as tomllib


def normal(text):
    return re.sub(r"[-_.]+", "-", text).lower()


def certificates():
    for file in ("/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/certs/ca-bundle.crt",
                 "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", ssl.get_default_verify_paths().cafile):
        if file and os.path.exists(file):
            return file
    return None


def opened(url):
    context = ssl.create_default_context(cafile=certificates())
    return urllib.request.urlopen(url, timeout=wanted["timeout_s"], context=context)


class Links(html.parser.HTMLParser):
    """https://packaging.python.org/en/latest/specifications/simple-repository-api/"""

    def __init__(self):
        super().__init__()
        self.all = []

    def handle_starttag(self, tag, attributes):
        if tag == "a":
            self.all.append(dict(attributes))


def fits(specifiers, version):
    try:
        return SpecifierSet(specifiers or "").contains(version, prereleases=True)
    except InvalidSpecifier:
        return False


def sources(page, text):
    """[(version, address, hashes)] of the files that may be taken."""
    links = Links()
    links.feed(text)
    for link in links.all:
        address, mark = urllib.parse.urldefrag(urllib.parse.urljoin(page, link.get("href") or ""))
        file = urllib.parse.unquote(address.rpartition("/")[2])
        stem = file[:-len(".tar.gz")] if file.endswith(".tar.gz") else ""
        title, _, number = stem.rpartition("-")
        try:
            version = Version(number)
        except InvalidVersion:
            continue
        if normal(title) != name or not address.startswith("https://"):
            continue
        if wanted["sha256"]:
            if str(version) == wanted["version"]:
                yield version, address, mark
        elif "data-yanked" not in link and fits(link.get("data-requires-python"), runtime) and fits(wanted["versions"], version):
            yield version, address, mark


def announced(mark):
    """[(a new hash, what it has to be)], as the end of a link has them. One that can't be calculated is as good as a wrong one."""
    for part in mark.split("&"):
        algorithm, _, digest = part.partition("=")
        if algorithm.lower() in hashlib.algorithms_guaranteed and not algorithm.lower().startswith("shake"):
            yield hashlib.new(algorithm.lower()), digest.lower()
        elif re.fullmatch("[0-9A-Fa-f]{16,}", digest):
            end("hash", name)


def download(version, address, mark):
    file = "source/%s-%s.tar.gz" % (name.replace("-", "_"), version)
    hashes, seen, size = list(announced(mark)), hashlib.sha256(), 0
    os.makedirs("source")
    with opened(address) as source, open(file, "xb") as target:
        while piece := source.read(1 << 20):
            size += len(piece)
            if size > wanted["most_bytes"]:
                end("space")
            for each in [seen, *(hash for hash, _ in hashes)]:
                each.update(piece)
            target.write(piece)
    if any(hash.hexdigest() != digest for hash, digest in hashes) or (wanted["sha256"] and seen.hexdigest() != wanted["sha256"]):
        end("hash", name)
    return file


class Unpacked(gzip.GzipFile):
    """No more of it than a build could unpack."""

    def read(self, size=-1):
        if self.tell() > 2 * wanted["most_bytes"]:
            end("space")
        return super().read(size)


def requires(file):
    """What builds it (https://packaging.python.org/en/latest/specifications/pyproject-toml/#pyproject-build-system-table)."""
    usual = ["setuptools>=40.8.0", "wheel"]
    text = None
    with Unpacked(file) as unpacked, tarfile.open(fileobj=unpacked, mode="r|") as archive:
        for count, member in enumerate(archive, 1):
            if count > most_members:
                end("damaged", detail="it has more than %d files" % most_members)
            if re.fullmatch(r"(\./)?[^/]+/pyproject\.toml", member.name):
                if not member.isreg() or member.size > largest_text:
                    end("damaged", detail="its pyproject.toml is no file, or a large one")
                text = archive.extractfile(member).read().decode("utf-8")
    system = tomllib.loads(text).get("build-system") if text is not None else None
    if system is None:
        return usual
    listed = system.get("requires") if isinstance(system, dict) else None
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        end("damaged", detail="its pyproject.toml doesn't say what builds it")
    if len(listed) > most_tools:
        end("damaged", detail="its pyproject.toml names more than %d packages" % most_tools)
    tools = [Requirement(each) for each in listed]
    for tool in tools:
        if tool.url:
            end("address", tool.name, name)
    tools = [tool for tool in tools if not tool.marker or tool.marker.evaluate({"extra": ""})]
    # Of old it asks for that one itself, by code of its own.
    more = ["wheel"] if any(normal(tool.name) == "setuptools" for tool in tools) else []
    return [str(tool) for tool in tools] + more


def get_tools(requirements):
    answers, told = os.pipe()
    command = [python, "-I", "-u", "-c", pip_alone, str(told), "--isolated", "--no-input", "--disable-pip-version-check",
               "--no-color", "download", "--progress-bar", "off", "--no-cache-dir", "--only-binary", ":all:", "--dest", "tools",
               "--index-url", wanted["index"], "--timeout", str(wanted["timeout_s"]), "--retries", "1"]
    if certificates():
        command += ["--cert", certificates()]
    if wanted["wheels"]:
        command += ["--find-links", wanted["wheels"]]
    command += requirements
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", pass_fds=[told]) as process:
        os.close(told)
        words = []
        for line in process.stdout:
            sys.stderr.write(line)
            words = words[-400:] + [line.rstrip("\n")]
    with open(answers, encoding="utf-8") as file:
        address = json.loads(file.read() or "null")
    if address:
        end("address", address["name"], address["by"])
    if process.returncode != 0:
        errors = [re.sub(r"^ERROR: ", "", line) for line in words if line.startswith("ERROR: ")]
        text = "\n".join(words)
        if "DO NOT MATCH THE HASHES" in text:
            end("hash", name)
        if "No space left on device" in text:
            end("space")
        match = re.search(r"No matching distribution found for ([A-Za-z0-9._-]+)", text)
        end("tool" if match else "other", match.group(1) if match else "", errors[-1] if errors else "")


try:
    page = wanted["index"].rstrip("/") + "/" + name + "/"
    with opened(page) as answer:
        text = answer.read(16 << 20).decode("utf-8", "replace")
    # Only where nothing else is there, one that is not finished.
    offered = sorted(sources(page, text), key=lambda each: (not each[0].is_prerelease, each[0]))
    if not offered:
        end("no-source", name)
    file = download(*offered[-1])
except urllib.error.HTTPError as error:
    end("missing" if error.code in (404, 410) else "unreachable", name, str(error))
except TimeoutError:
    end("hangs")
except OSError as error:
    end("space" if error.errno in (28, 122) else "unreachable", detail=str(error))
except (ValueError, http.client.HTTPException) as error:  # an address that is none, an answer that is none
    end("damaged", detail=type(error).__name__)
if wanted["sha256"]:
    if os.path.getsize("tools.txt"):
        get_tools(["--no-deps", "--require-hashes", "--requirement", "tools.txt"])
    os.unlink("tools.txt")
    end()
try:
    needed = requires(file)
except (InvalidRequirement, tarfile.TarError, zlib.error, EOFError, OSError, ValueError, RecursionError) as error:
    end("damaged", detail=type(error).__name__)
if needed:
    get_tools(["--"] + needed)
end()
