# SPDX-License-Identifier: Apache-2.0
"""registry.py FOLDER: fills the pages of the test internet (FOLDER/www/npm) with an npm registry, good packages and hostile ones."""
import base64
import gzip
import hashlib
import io
import json
import os
import sys
import tarfile

WWW = sys.argv[1] + "/www/npm"
REGISTRY = "https://registry.npmjs.org/npm"


def tarball(entries):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as archive:
        for path, content in entries.items():
            member = tarfile.TarInfo(path)
            if isinstance(content, tuple):  # ("link", target)
                member.type, member.linkname = tarfile.SYMTYPE, content[1]
                archive.addfile(member)
                continue
            data = content.encode() if isinstance(content, str) else content
            member.size, member.mode = len(data), 0o6755
            archive.addfile(member, io.BytesIO(data))
    return gzip.compress(raw.getvalue())


def version(name, number, files=None, url=None, lie=False, **manifest):
    plain = name.split("/")[-1]
    whole = {"name": name, "version": number, **manifest}
    content = {"package/package.json": json.dumps(whole)}
    content.update({path if path.startswith("/") or ".." in path else f"package/{path}": text for path, text in (
        files or {"index.js": f"module.exports = {name + ' ' + number!r};\n"}).items()})
    data = tarball(content)
    os.makedirs(f"{WWW}/{name}/-", exist_ok=True)
    with open(f"{WWW}/{name}/-/{plain}-{number}.tgz", "wb") as file:
        file.write(data)
    digest = hashlib.sha512(b"something else" if lie else data).digest()
    return {**whole, "dist": {"tarball": url or f"{REGISTRY}/{name}/-/{plain}-{number}.tgz",
                              "integrity": "sha512-" + base64.b64encode(digest).decode()}}


def offer(name, *versions):
    folder = f"{WWW}/{name.replace('/', '%2f')}"
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/index.json", "w", encoding="ascii") as file:
        json.dump({"name": name, "dist-tags": {"latest": versions[-1]["version"]},
                   "versions": {each["version"]: each for each in versions}}, file)


# In the package, which is thrown away after the fetch, and where whoever fetches and installs looks.
SCRIPT = "node -e \"for (const file of ['OWNED', '/work/OWNED']) require('fs').writeFileSync(file, 'by a script')\""
with open(f"{os.makedirs(f'{WWW}/withdrawn') or WWW}/withdrawn/index.json", "w", encoding="ascii") as page:
    json.dump({"name": "withdrawn", "dist-tags": {}, "versions": {}}, page)
offer("leaf", version("leaf", "1.0.0"), version("leaf", "2.0.0"))
offer("branch", version("branch", "1.5.0", {"index.js": "module.exports = 'branch on ' + require('leaf');\n"},
                        dependencies={"leaf": "^1.0.0"}))
offer("@scope/module", version("@scope/module", "3.0.0", {"index.mjs": "export default 'a module';\n"}, type="module",
                               exports="./index.mjs"))
offer("scripted", version("scripted", "1.0.0", scripts={each: SCRIPT for each in ("preinstall", "install", "postinstall",
                                                                                  "prepare")}))
offer("climber", version("climber", "1.0.0", {"index.js": "", "package/../../../../climbed": "x", "/work/climbed": "x",
                                              "package/../../other/index.js": "module.exports = 'hostile';\n"}))
offer("linker", version("linker", "1.0.0", {"index.js": "module.exports = 1;\n", "passwords": ("link", "/etc/passwd")}))
offer("wronghash", version("wronghash", "1.0.0", lie=True))
offer("waiting", version("waiting", "1.0.0", url="https://registry.npmjs.org/silent/waiting-1.0.0.tgz"))
offer("elsewhere", version("elsewhere", "1.0.0", url="https://denied.test/elsewhere-1.0.0.tgz"))
offer("gitted-here", version("gitted-here", "1.0.0", dependencies={"x": "git+https://registry.npmjs.org/x.git"}))
offer("gitted", version("gitted", "1.0.0", dependencies={"x": "git+https://denied.test/x.git"}))
offer("tarred", version("tarred", "1.0.0", dependencies={"x": "https://denied.test/x.tgz"}))
offer("filed", version("filed", "1.0.0", dependencies={"x": "file:/etc"}))
offer("bomb", version("bomb", "1.0.0", {"index.js": "", "zeros": (os.urandom(64) + bytes(4032)) * (64 << 8)}))
offer("old-branch", version("old-branch", "1.0.0", peerDependencies={"leaf": "1"}))
offer("new-branch", version("new-branch", "1.0.0", peerDependencies={"leaf": "2"}))
offer("loadsh", version("loadsh", "1.0.0"))
