# Glovebox: downloads the source of one package into the folder "source", and the tools that build it, as wheels, into the folder "tools".
# This sandbox reaches the package index and nothing else. Nothing of the source is run: its pyproject.toml is read as data.
#
# argv[1]: {"index", "wheels", "name", "versions", "version", "sha256", "timeout_s", "most_bytes"}; with sha256 just that source, and the
# tools of tools.txt. Prints what index.py, which comes before, says.
import gzip
import hashlib
import html.parser
import http.client
import tarfile
import urllib.error
import urllib.parse
import zlib

name = wanted["name"]
largest_text = 1 << 20  # bytes of pyproject.toml
most_members = 100_000  # of a source
most_tools = 100  # that a source names

sys.path = [each for each in sys.path if each not in ("", os.getcwd())] + [folder_of_pip()]
from pip._vendor.packaging.requirements import InvalidRequirement, Requirement  # noqa: E402
from pip._vendor.packaging.specifiers import InvalidSpecifier, SpecifierSet  # noqa: E402
from pip._vendor.packaging.version import InvalidVersion, Version  # noqa: E402

try:
    import tomllib
except ImportError:
    from pip._vendor import tomli as tomllib


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
                end("bad-source", name, "it has more than %d files" % most_members)
            if re.fullmatch(r"(\./)?[^/]+/pyproject\.toml", member.name):
                if not member.isreg() or member.size > largest_text:
                    end("bad-source", name, "its pyproject.toml is no file, or a large one")
                text = archive.extractfile(member).read().decode("utf-8")
    system = tomllib.loads(text).get("build-system") if text is not None else None
    if system is None:
        return usual
    listed = system.get("requires") if isinstance(system, dict) else None
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        end("bad-source", name, "its pyproject.toml doesn't say what builds it")
    if len(listed) > most_tools:
        end("bad-source", name, "its pyproject.toml names more than %d packages" % most_tools)
    tools = [Requirement(each) for each in listed]
    for tool in tools:
        if tool.url:
            end("address", tool.name, name)
    tools = [tool for tool in tools if not tool.marker or tool.marker.evaluate({"extra": ""})]
    # Of old it asks for that one itself, by code of its own.
    more = ["wheel"] if any(normal(tool.name) == "setuptools" for tool in tools) else []
    return [str(tool) for tool in tools] + more


def get_tools(requirements):
    get_wheels("tools", requirements, lambda tool, _, detail: end("tool", tool, detail))


try:
    # Only where nothing else is there, one that is not finished.
    offered = sorted(sources(*page_of(name)), key=lambda each: (not each[0].is_prerelease, each[0]))
    if not offered:
        end("no-source", name)
    file = download(*offered[-1])
except urllib.error.HTTPError as error:
    end("missing" if error.code in (404, 410) else "unreachable", name, str(error))
except TimeoutError:
    end("hangs")
except OSError as error:
    end("space" if error.errno in (28, 122) else "unreachable", detail=str(error))
except (ValueError, http.client.HTTPException):
    end("bad-source", name, "the index gives an address or an answer that is none")
if wanted["sha256"]:
    if os.path.getsize("tools.txt"):
        get_tools(["--no-deps", "--require-hashes", "--requirement", "tools.txt"])
    os.unlink("tools.txt")
    end()
try:
    needed = requires(file)
except (InvalidRequirement, ValueError, RecursionError):
    end("bad-source", name, "its pyproject.toml isn't one")
except (tarfile.TarError, zlib.error, EOFError, OSError):
    end("bad-source", name, "it isn't a whole .tar.gz")
if needed:
    get_tools(["--"] + needed)
end()
