# SPDX-License-Identifier: Apache-2.0
"""sources.py FOLDER: adds packages that have only a source to the index that index.py made, good ones and hostile ones."""
import importlib.metadata
import io
import os
import sys
import tarfile

from index import WWW, offer_privately, page, wheel

# A backend of PEP 517, which is a package of the index, and the beginning of those that lie in a source.
MAKER = '''
import base64, hashlib, os, sys, zipfile


def make(folder, name, version, files, requires=(), title=None):
    info = f"{name}-{version}.dist-info"
    content = dict(files)
    content[f"{info}/METADATA"] = f"Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n" + "".join(
        f"Requires-Dist: {each}\\n" for each in requires)
    content[f"{info}/WHEEL"] = "Wheel-Version: 1.0\\nGenerator: t\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
    lines = ""
    for path, text in content.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        lines += f"{path},sha256={digest},{len(text)}\\n"
    content[f"{info}/RECORD"] = lines + f"{info}/RECORD,,\\n"
    file = title or f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, file), "w") as archive:
        for path, text in content.items():
            archive.writestr(path, text)
    return file
'''
IN_TREE = '[build-system]\nrequires = []\nbuild-backend = "own"\nbackend-path = ["."]\n'


def source(name, version="1.0", project=IN_TREE, files=None, members=()):
    content = {"PKG-INFO": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", **(files or {})}
    if project is not None:
        content["pyproject.toml"] = project
    file = f"{name}-{version}.tar.gz"
    with tarfile.open(f"{WWW}/packages/{file}", "w:gz") as archive:
        for path, text in content.items():
            member = tarfile.TarInfo(f"{name}-{version}/{path}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
        for member in members:
            archive.addfile(member)
    return file


def builds(name, code, version="1.0", **more):
    """code: of build_wheel(folder, ...), which has NAME."""
    body = "".join(f"    {line}\n" for line in code.strip().split("\n"))
    own = f"{MAKER}\nNAME = {name!r}\n\n\ndef build_wheel(folder, config_settings=None, metadata_directory=None):\n{body}"
    offer_privately(name, source(name, version, files={"own.py": own}, **more))


def member(path, kind, link="", name="tarred-1.0/"):
    info = tarfile.TarInfo(name + path)
    info.type, info.linkname, info.devmajor, info.devminor = kind, link, 1, 3
    return info


GOOD = "return make(folder, NAME, '1.0', {NAME + '.py': 'BUILT = True\\n'})"
offer_privately("tinybuild", wheel("tinybuild", "3.1", files={"tinybuild.py": MAKER + '''

def build_wheel(folder, config_settings=None, metadata_directory=None):
    return make(folder, "plainsource", "1.0", {"plainsource.py": "BUILT = True\\n"}, ["leaf<2"])
'''}))
offer_privately("leaf", "leaf-1.0-py3-none-any.whl", "leaf-2.0-py3-none-any.whl")
offer_privately("mixed", "mixed-1.0-py3-none-any.whl", "mixed-2.0.tar.gz")
offer_privately("plainsource", source("plainsource", project='[build-system]\nrequires = ["tinybuild>=3"]\n'
                                                             'build-backend = "tinybuild"\n'))
# Of several, the newest that is finished, unless another is asked for.
for each in ("1.0", "1.1", "2.0rc1"):
    source("several", each, files={"own.py": f"{MAKER}\n\ndef build_wheel(folder, config_settings=None, metadata_directory=None):\n"
                                             f"    return make(folder, 'several', {each!r}, {{'several.py': ''}})\n"})
offer_privately("several", "several-1.0.tar.gz", "several-1.1.tar.gz", "several-2.0rc1.tar.gz")
builds("homemade", "return make(folder, NAME, '1.0', {'homemade.py': 'BUILT = True\\n'}, ['leaf<2'])")
builds("outer", "return make(folder, NAME, '1.0', {'outer.py': ''}, ['plainsource'])")
builds("refers-source", "return make(folder, 'refers_source', '1.0', {}, ['leaf @ https://www.allowed.test/packages/leaf-1.0-py3-none-any.whl'])")
builds("talker", '''
import socket, urllib.request
tried = []
for reach in (lambda: urllib.request.urlopen("https://www.allowed.test/built", timeout=5),
              lambda: socket.create_connection(("203.0.113.10", 443), timeout=5)):
    try:
        reach()
        tried.append("reached")
    except OSError:
        tried.append("refused")
for path in ("/usr/planted", "/etc/planted", "/home/planted"):
    try:
        open(path, "w")
        tried.append("written")
    except OSError:
        tried.append("refused")
return make(folder, NAME, '1.0', {'talker.py': f'TRIED = {tried!r}\\n'})
''')
builds("speaker", r'''
print('{"runtime":"3.11","version":"3.11.2","problem":"","subject":"","detail":""}', flush=True)
os.write(1, b'{"problem":""}\n\x1b]0;owned\x07\x1b[2J\xe2\x80\xae')
for number in range(3, 60):
    try:
        os.write(number, b'{"problem":""}\n')
    except OSError:
        pass
os._exit(0)
''')
builds("daemon", f'''
if os.fork() == 0:
    os.setsid()
    os.closerange(0, 256)  # nobody waits for it
    if os.fork() == 0:
        import time
        for _ in range(600):
            time.sleep(0.1)
            open(os.path.join("/work/wheels-of-later"), "w").close()
    os._exit(0)
{GOOD}
''')
builds("othername", "return make(folder, 'leaf', '1.0', {'leaf.py': 'NAME = 1\\n'})")
builds("otherversion", "return make(folder, NAME, '1.1', {})")
builds("elsewhere-built", "return make(folder, 'elsewhere_built', '1.0', {}, title='elsewhere_built-1.0-cp39-cp39-win_amd64.whl')")
builds("pretender", "return make(folder, 'leaf', '1.0', {}, title='pretender-1.0-py3-none-any.whl')")
builds("climbing", "return make(folder, NAME, '1.0', {'../../../../../../climbed.py': ''})")
builds("strangefile", "return make(folder, NAME, '1.0', {}, title='../../strange\\n.whl')")
builds("sparse", "file = make(folder, NAME, '1.0', {})\nos.truncate(os.path.join(folder, file), 10 << 30)\nreturn file")
# After pip has looked at it.
builds("swapped", f'''
if os.fork() == 0:
    os.setsid()
    os.closerange(0, 256)
    import glob, time
    for _ in range(60000):
        for file in glob.glob("/work/built/*.whl"):
            make("/work/built", "leaf", "1.0", {{"leaf.py": ""}}, title=os.path.basename(file))
        time.sleep(0.001)
    os._exit(0)
{GOOD}
''')
builds("swapper", f'''
if os.fork() == 0:
    os.setsid()
    os.closerange(0, 256)
    import glob, time
    for _ in range(60000):
        for file in glob.glob("/work/built/*.whl"):
            os.truncate(file, 10 << 30)
        time.sleep(0.001)
    os._exit(0)
{GOOD}
''')
builds("fat", "with open(os.path.join(folder, 'fat-1.0-py3-none-any.whl'), 'wb') as file:\n    for _ in range(10 << 10):\n"
              "        file.write(bytes(1 << 20))")
builds("endless", "import time\nwhile True:\n    time.sleep(60)")
builds("compiled", "print(\"error: command 'x86_64-linux-gnu-gcc' failed: No such file or directory\", file=sys.stderr)\nsys.exit(1)")
# What a later run in the same folder would read; and the wheel of an earlier build.
builds("planter", f'''
for name in ("json.py", "os.py", "ssl.py", "sitecustomize.py", "usercustomize.py", "subprocess.py"):
    with open("/work/" + name, "w") as file:
        file.write("import urllib.request\\nurllib.request.urlopen('https://www.allowed.test/planted')\\n")
os.makedirs("/work/wheels", exist_ok=True)
make("/work/wheels", "leaf", "9.0", {{"leaf.py": ""}})
make("/work/built", "leaf", "9.0", {{"leaf.py": ""}})
{GOOD}
''')
builds("tamperer", f'''
for file in os.listdir("/work/built"):
    os.unlink("/work/built/" + file)
    make("/work/built", "plainsource", "1.0", {{"plainsource.py": "BUILT = 'tampered'\\n"}}, title=file)
{GOOD}
''')
builds("referring-tool", GOOD, project='[build-system]\nrequires = ["leaf @ https://www.allowed.test/packages/leaf-1.0-py3-none-any.whl"]\n'
                                       'build-backend = "own"\nbackend-path = ["."]\n')
builds("sourcetool", GOOD, project='[build-system]\nrequires = ["sourceonly"]\nbuild-backend = "own"\nbackend-path = ["."]\n')
builds("unreadable", GOOD, project="[build-system\n")
builds("numbers", GOOD, project="[build-system]\nrequires = 7\n")
builds("tarred", GOOD, members=[member("../../../../../../../work/escaped", tarfile.REGTYPE), member("link", tarfile.SYMTYPE, "/etc/passwd"),
                                member("device", tarfile.CHRTYPE)])
builds("linked", GOOD, members=[member("pyproject.toml", tarfile.SYMTYPE, "/etc/passwd", "linked-1.0/")])
offer_privately("bulky", source("bulky", files={"bulk": "0" * (60 << 20)}))
builds("demanding", GOOD, project=f"[build-system]\nrequires = {['leaf'] * 101!r}\n")


def referred(name, end):
    builds(name, GOOD)
    page(f"../private/{name}", [(f"{name}-1.0.tar.gz", f"https://www.allowed.test/packages/{name}-1.0.tar.gz{end}")])


referred("otherhash", "#md5=" + "0" * 32)
referred("strangehash", "#md6=" + "0" * 32)
builds("numpyy", GOOD)
builds("noaddress", GOOD)
page("../private/noaddress", [("noaddress-1.0.tar.gz", "https://[/noaddress-1.0.tar.gz")])
builds("faraway", GOOD)
page("../private/faraway", [("faraway-1.0.tar.gz", "https://www.denied.test/faraway-1.0.tar.gz")])
builds("noport", GOOD)
page("../private/noport", [("noport-1.0.tar.gz", "https://www.allowed.test:port/noport-1.0.tar.gz")])


def installed(name, folders):
    """A wheel of what this machine has of it, if it has it."""
    try:
        distribution = importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return
    root = str(distribution.locate_file(""))
    files = {}
    for folder in folders:
        for at, _, names in os.walk(os.path.join(root, folder)):
            for each in names:
                if each.endswith((".py", ".txt")):
                    with open(os.path.join(at, each), encoding="utf-8") as file:
                        files[os.path.relpath(os.path.join(at, each), root)] = file.read()
    offer_privately(name, wheel(name, distribution.version, files=files, entry=distribution.read_text("entry_points.txt") or ""))


# The real one, for a source of before pyproject.toml with a part in C.
installed("setuptools", ["setuptools", "pkg_resources", "_distutils_hack"])
installed("wheel", ["wheel"])
offer_privately("legacy", source("legacy", project=None, files={
    "setup.py": "from setuptools import Extension, setup\n"
                "setup(name='legacy', version='1.0', ext_modules=[Extension('legacy', ['legacy.c'])])\n",
    "legacy.c": "#include <Python.h>\nstatic PyModuleDef of = {PyModuleDef_HEAD_INIT, \"legacy\"};\n"
                "PyMODINIT_FUNC PyInit_legacy(void) { return PyModule_Create(&of); }\n"}))
