# SPDX-License-Identifier: Apache-2.0
"""index.py FOLDER: fills the pages of the test internet (FOLDER/www) with a package index, good packages and hostile ones."""
import base64
import hashlib
import io
import os
import random
import sys
import tarfile
import zipfile
import zlib

WWW = sys.argv[1] + "/www"
FILES = "https://files.pythonhosted.org/packages/"


def page(name, links):
    folder = f"{WWW}/simple/{name}"
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/index.html", "w", encoding="ascii") as file:
        file.write("<!DOCTYPE html>\n" + "".join(f'<a href="{url}">{text}</a><br>\n' for text, url in links))


def wheel(name, version="1.0", files=None, requires=(), tag="py3-none-any", entry="", of=None):
    plain = name.replace("-", "_")
    info = f"{of or plain}-{version}.dist-info"
    content = dict(files or {f"{plain}.py": f"NAME = {name!r}\nVERSION = {version!r}\n"})
    content[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n" + "".join(
        f"Requires-Dist: {each}\n" for each in requires)
    content[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {tag}\n"
    if entry:
        content[f"{info}/entry_points.txt"] = entry
    record = ""
    for path, text in content.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(text)}\n"
    content[f"{info}/RECORD"] = record + f"{info}/RECORD,,\n"
    file = f"{plain}-{version}-{tag}.whl"
    with zipfile.ZipFile(f"{WWW}/packages/{file}", "w") as archive:
        for path, text in content.items():
            member = zipfile.ZipInfo(path)
            member.external_attr = (0o100755 if ".data/scripts/" in path else 0o100644) << 16
            archive.writestr(member, text)
    return file


def source(name, version="1.0"):
    """A source distribution that builds itself, which needs no other package for it."""
    content = {
        "PKG-INFO": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "hostile"\nbackend-path = ["."]\n',
        "hostile.py": "import urllib.request\ntry:\n    urllib.request.urlopen('https://www.allowed.test/built')\n"
                      "except OSError:\n    pass\nraise SystemExit('the set-up of a source ran')\n",
        "setup.py": "raise SystemExit('the set-up of a source ran')\n"}
    file = f"{name}-{version}.tar.gz"
    with tarfile.open(f"{WWW}/packages/{file}", "w:gz") as archive:
        for path, text in content.items():
            member = tarfile.TarInfo(f"{name}-{version}/{path}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return file


def link(file, digest=None):
    if digest is None:
        with open(f"{WWW}/packages/{file}", "rb") as content:
            digest = hashlib.sha256(content.read()).hexdigest()
    return file, f"{FILES}{file}#sha256={digest}"


def offer(name, *files):
    page(name, [link(each) for each in files])


def offer_privately(name, *files):
    """In an index that isn't PyPI, at https://www.allowed.test/private, where pip follows direct references."""
    page(f"../private/{name}", [(file, f"https://www.allowed.test/packages/{url.rpartition('/')[2]}")
                                for file, url in map(link, files)])


os.makedirs(f"{WWW}/packages", exist_ok=True)
offer("leaf", wheel("leaf", "1.0"), wheel("leaf", "2.0"))
offer("branch", wheel("branch", "1.5", requires=["leaf>=1"], entry="[console_scripts]\nbranch = branch:main\n", files={
    "branch.py": "import leaf\n\n\ndef main():\n    print('branch', leaf.VERSION)\n"}))
offer("old-branch", wheel("old-branch", requires=["leaf<2"]))
offer("new-branch", wheel("new-branch", requires=["leaf>=2"]))
wheel("hidden")  # which no page names
offer("requestz", wheel("requestz"))
offer("many", wheel("many", files={f"many/m{n}.py": f"N = {n}\n" for n in range(2000)}))
# Its module has another name.
offer("opencv-python", wheel("opencv-python", "4.0", files={"cv2.py": "NAME = 'seen'\n"}))
# Only as source, whose set-up would run; as what another one needs; and newer than the wheel.
offer("sourceonly", source("sourceonly"))
offer("needs-source", wheel("needs-source", requires=["sourceonly"]))
offer("mixed", wheel("mixed", "1.0"), source("mixed", "2.0"))
# Whose metadata has addresses in place of names (https://packaging.python.org/en/latest/specifications/dependency-specifiers/).
for name, address in {"refers": "https://www.allowed.test/packages/sourceonly-1.0.tar.gz",
                      "refers-git": "git+https://www.allowed.test/tiny.git",
                      "refers-file": "file:///wheels/sourceonly-1.0.tar.gz",
                      "refers-folder": "file:///wheels",
                      "refers-wheel": "https://www.allowed.test/packages/leaf-1.0-py3-none-any.whl"}.items():
    offer_privately(name, wheel(name, requires=[f"sourceonly @ {address}"]))
offer_privately("refers-longly", wheel("refers-longly", requires=[f"{'a' * 70000} @ https://www.allowed.test/packages/a-1.0.tar.gz"]))
offer_privately("deep", wheel("deep", requires=["refers"]))
offer_privately("refers-extra", wheel("refers-extra", requires=[
    "sourceonly @ https://www.allowed.test/packages/sourceonly-1.0.tar.gz ; extra == 'more'\nProvides-Extra: more"]))
offer_privately("needs-source", "needs_source-1.0-py3-none-any.whl")
offer_privately("sourceonly", "sourceonly-1.0.tar.gz")
offer("refers", "refers-1.0-py3-none-any.whl")
offer("elsewhere", wheel("elsewhere", tag="cp39-cp39-win_amd64"))
page("wronghash", [link(wheel("wronghash"), "0" * 64)])
# A file that wants to be written beside the environment.
offer("climber", wheel("climber", files={"../../../../../../climbed.py": "", "climber.py": ""}))
offer("imposter", wheel("imposter", of="leaf"))
# Files that would come first wherever Python looks.
offer("intruder", wheel("intruder", files={
    "intruder.py": "", "sitecustomize.py": "print('sitecustomize of a package')\n",
    "intruder-1.0.data/scripts/python3": "#!/bin/sh\necho hijacked\n"}))
offer("trojan", wheel("trojan", files={
    "trojan.py": "", "sitecustomize.py": "print('sitecustomize of a package')\n",
    "trojan-1.0.data/scripts/helper": "#!python\nprint('helped')\n",
    "trojan-1.0.data/data/pyvenv.cfg": "home = /work\n"}))
offer("startup", wheel("startup", files={"startup.py": "", "startup.pth": "import os; os.environ['STARTED'] = 'yes'\n"}))
# What Python reads beside its program, to find its own modules.
offer("pathfinder", wheel("pathfinder", files={
    "pathfinder.py": "", "pathfinder/json.py": "print('json of a package')\n",
    "pathfinder-1.0.data/scripts/python3._pth": "../lib/python3.11/site-packages/pathfinder\n/usr/lib/python3.11\n"}))
offer("mover", wheel("mover", files={"mover.py": "", "mover-1.0.data/scripts/pyvenv.cfg": "home = /work\n"}))
offer("builder", wheel("builder", files={"builder.py": "", "builder-1.0.data/data/bin/pybuilddir.txt": "../lib\n"}))
offer("shadow", wheel("shadow", files={"json/__init__.py": "raise ImportError('shadowed')\n", "shadow.py": ""}))
page("endless", [("endless-1.0-py3-none-any.whl", "https://files.pythonhosted.org/endless/endless-1.0-py3-none-any.whl")])
page("huge", [("huge-1.0-py3-none-any.whl", "https://files.pythonhosted.org/huge/huge-1.0-py3-none-any.whl")])
page("flood", [("flood-1.0-py3-none-any.whl", f"{FILES}flood-1.0-py3-none-any.whl")])
page("silent", [("silent-1.0-py3-none-any.whl", "https://files.pythonhosted.org/silent/silent-1.0-py3-none-any.whl")])
page("redirected", [("redirected-1.0-py3-none-any.whl", "https://www.denied.test/redirected-1.0-py3-none-any.whl")])
# 6 MB that can't be compressed.
offer("wide", wheel("wide", files={"wide.py": "", "wide.txt": random.Random(1).randbytes(3 << 20).hex()}))
# 10 GB of zeros, for which 10 MB stand: one MB compressed, again and again.
with zipfile.ZipFile(f"{WWW}/packages/bomb-1.0-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as archive:
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    megabyte = deflate.compress(bytes(1 << 20)) + deflate.flush(zlib.Z_FULL_FLUSH)
    zeros = megabyte * (10 << 10) + deflate.flush()
    member = zipfile.ZipInfo("bomb.bin")
    member.compress_type, member.compress_size, member.file_size = zipfile.ZIP_DEFLATED, len(zeros), 10 << 30
    member.CRC, member.header_offset = 0xf41d912f, archive.fp.tell()
    archive.fp.write(member.FileHeader(zip64=True) + zeros)
    archive.start_dir = archive.fp.tell()  # where the next member begins
    archive.filelist.append(member)
    archive.NameToInfo[member.filename] = member
    for path, text in {"METADATA": "Metadata-Version: 2.1\nName: bomb\nVersion: 1.0\n",
                       "WHEEL": "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
                       "RECORD": ""}.items():
        archive.writestr(f"bomb-1.0.dist-info/{path}", text)
offer("bomb", "bomb-1.0-py3-none-any.whl")
