# SPDX-License-Identifier: Apache-2.0
"""registry.py FOLDER: fills the pages of the test internet (FOLDER/www/npm) with an npm registry, good packages and hostile ones."""
import base64
import gzip
import hashlib
import io
import json
import os
import random
import struct
import sys
import tarfile
import zlib

WWW = sys.argv[1] + "/www/npm"
REGISTRY = "https://registry.npmjs.org/npm"


def tarball(entries, behind):
    """behind: compressed, in place of the end of the archive."""
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
        if behind:
            return gzip.compress(raw.getvalue()[:archive.offset]) + behind
    return gzip.compress(raw.getvalue())


def version(name, number, files=None, url=None, lie=False, behind=None, **manifest):
    plain = name.split("/")[-1]
    whole = {"name": name, "version": number, **manifest}
    content = {"package/package.json": json.dumps(whole)}
    content.update({path if path.startswith("/") or ".." in path else f"package/{path}": text for path, text in (
        files or {"index.js": f"module.exports = {name + ' ' + number!r};\n"}).items()})
    data = tarball(content, behind)
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
# Whose scripts are run when the person names them: one that makes what it needs, with a program of another package, as esbuild does.
offer("tool", version("tool", "1.0.0", {"tool.js": "#!/usr/bin/env node\nconsole.log('made by a tool');\n"}, bin={"make-it": "tool.js"}))
MAKE = """const fs = require('fs'), net = require('net');
const leaf = JSON.parse(fs.readFileSync('../leaf/package.json')).version;
fs.writeFileSync('made.js', `module.exports = 'made beside leaf ${leaf}';`);
fs.writeFileSync('program', '#!/bin/sh\\necho a program\\n', { mode: 0o755 });
fs.linkSync('program', 'same');
fs.renameSync('same', 'linked');
net.connect(443, 'registry.npmjs.org').on('connect', () => fs.writeFileSync('network', '')).on('error', (e) => console.log('no network:', e.code));
for (const place of ['/root', '/home', process.env.HOME + '/.npmrc'])
    try { console.log(place, fs.statSync(place).isFile() || fs.readdirSync(place).join()); } catch (e) { console.log(place, e.code); }
"""
offer("compiled", version("compiled", "1.0.0", {"index.js": "module.exports = require('./made.js');\n", "make.js": MAKE},
                          dependencies={"leaf": "^1.0.0", "tool": "1", "scripted": "1"},
                          scripts={"preinstall": "echo $npm_package_name is first; echo checking for EDQUOT... yes", "install": "make-it > by-tool", "postinstall": "node make.js"}))
offer("plain-script", version("plain-script", "1.0.0", {"index.js": "module.exports = require('fs').existsSync(__dirname + '/made');\n"},
                              scripts={"postinstall": "echo the script says hello; touch made"}))
offer("brittle", version("brittle", "1.0.0", scripts={"postinstall": "echo the reason >&2; exit 3"}))
offer("excuse", version("excuse", "1.0.0", scripts={"postinstall": "echo 'ENOSPC: no space left on device, EDQUOT' >&2; exit 3"}))
offer("chatty", version("chatty", "1.0.0", scripts={"postinstall": "yes x | head -c 8M; yes y | head -c 8M >&2"}))
offer("slow-script", version("slow-script", "1.0.0", scripts={"postinstall": "sleep 600"}))
LINK = "ln -s /etc/passwd passwords"
offer("linking", version("linking", "1.0.0", scripts={"postinstall": LINK}))
offer("greedy", version("greedy", "1.0.0", scripts={"postinstall": "head -c 10G /dev/zero > zeros"}))
offer("locker", version("locker", "1.0.0", scripts={"postinstall": "mkdir inner && chmod 0 inner"}))
offer("killer", version("killer", "1.0.0", scripts={"postinstall": "kill -9 $(ls /proc | grep -x '[0-9]*' | grep -vx 1)"}))
ANSWER = "for (const pid of require('fs').readdirSync('/proc').filter(Number)) try { require('fs').writeFileSync(`/proc/${pid}/fd/1`, '{\"problem\":\"\"}\\n') } catch (e) {}"
offer("liar", version("liar", "1.0.0", {"index.js": "", "lie.js": ANSWER}, scripts={"postinstall": "node lie.js; exit 1"}))
offer("planter", version("planter", "1.0.0", scripts={"postinstall": "mkdir -p /work/env/bin && echo x > /work/env/bin/node"}))
offer("holder", version("holder", "1.0.0", scripts={"postinstall": "sleep 500 & echo held"}))
# Of these, nobody is told who names others.
offer("hidden", version("hidden", "1.0.0"))
offer("other", version("other", "1.0.0", scripts={"postinstall": "touch made"}))
BIN = {"node.sh": "#!/bin/sh\necho code of shadow >&2; exec /usr/bin/node \"$@\"\n"}
offer("shadow", version("shadow", "1.0.0", BIN, bin={"node": "node.sh", "sh": "node.sh"}))
offer("@scope/leaf", version("@scope/leaf", "2.0.0"))
offer("misnamed", version("misnamed", "1.0.0", {"package.json": '{"name": "leaf", "version": "1.0.0"}', "index.js": ""}))
offer("nameless", version("nameless", "1.0.0", {"package.json": "null", "index.js": ""}))
offer("shadowed", version("shadowed", "1.0.0", {"index.js": "", "make.js": "require('fs').writeFileSync('made', '')"},
                          dependencies={"shadow": "1"}, scripts={"postinstall": "node make.js"}))
INNER = {"name": "inner", "version": "1.0.0", "scripts": {"postinstall": "touch made"}}
offer("bundler", version("bundler", "1.0.0", {"index.js": "module.exports = require('inner');\n",
                                              "node_modules/inner/package.json": json.dumps(INNER),
                                              "node_modules/inner/index.js": "module.exports = 'inner';\n"},
                         dependencies={"inner": "1"}, bundleDependencies=["inner"], scripts={"postinstall": "touch made"}))
offer("promiser", version("promiser", "1.0.0", dependencies={"hidden": "1"}, bundleDependencies=["hidden"]))
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
# 10 GB, for which 12 MB stand: one MB of almost nothing but zeros, again and again. npm gives up where it is a thousandth.
deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
megabyte = deflate.compress(random.Random(1).randbytes(100) + bytes((1 << 20) - 100)) + deflate.flush(zlib.Z_FULL_FLUSH)
huge = tarfile.TarInfo("package/zeros")
huge.size = 10 << 30
offer("bomb", version("bomb", "1.0.0", behind=gzip.compress(huge.tobuf(tarfile.GNU_FORMAT)) + gzip.compress(b"")[:10]
                      + megabyte * (10 << 10) + deflate.flush() + struct.pack("<II", 0x2a2956e4, (10 << 30) % (1 << 32))
                      + gzip.compress(bytes(1024))))
offer("old-branch", version("old-branch", "1.0.0", peerDependencies={"leaf": "1"}))
offer("new-branch", version("new-branch", "1.0.0", peerDependencies={"leaf": "2"}))
offer("loadsh", version("loadsh", "1.0.0"))
