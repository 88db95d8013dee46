# SPDX-License-Identifier: Apache-2.0
"""The places of the test internet: names and addresses, and the files that are served and mounted, written into a folder."""
import base64
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import zipfile

HOST4, HOST6 = "198.51.100.2", "2001:db8:1::2"
GATE4, GATE6 = "198.51.100.1", "2001:db8:1::1"
RESOLVER = "203.0.113.53"

# Name: its addresses. A real name stands for itself, so that programs find it without being told.
NAMES = {
    "www.allowed.test": ["203.0.113.10", "2001:db8:2::10"],
    "sub.allowed.test": ["203.0.113.11"],
    "v4.allowed.test": ["203.0.113.12"],
    "v6.allowed.test": ["2001:db8:2::12"],
    "allowed.test": ["203.0.113.13"],
    "denied.test": ["203.0.113.20", "2001:db8:2::20"],
    "www.denied.test": ["203.0.113.20"],
    "tenant.denied.test": ["203.0.113.10"],  # on the address of an allowed one
    "evil-allowed.test": ["203.0.113.21"],
    "allowed.test.evil.test": ["203.0.113.21"],
    "pypi.org": ["203.0.113.30"],
    "files.pythonhosted.org": ["203.0.113.31"],
    "registry.npmjs.org": ["203.0.113.40"],
    "github.com": ["203.0.113.50"],
    "proxy.test": ["203.0.113.60"],  # port 3129
    # Where nobody may be led to.
    "loopback.trap.test": ["127.0.0.1"],
    "loopback6.trap.test": ["::1"],
    "zero.trap.test": ["0.0.0.0"],
    "linklocal.trap.test": ["169.254.7.7"],
    "metadata.trap.test": ["169.254.169.254"],
    "private.trap.test": ["10.0.0.5"],
    "shared.trap.test": ["100.64.0.5"],
    "own.trap.test": [HOST4],
    "own6.trap.test": [HOST6],
    "mapped.trap.test": ["::ffff:127.0.0.1"],
    "nat64.trap.test": ["64:ff9b::7f00:1"],
    "sixtofour.trap.test": ["2002:7f00:1::1"],
    "mixed.trap.test": ["203.0.113.15", "127.0.0.1"],
}
# The first answer is good, the next ones are not.
REBINDING = {"rebind.trap.test": (["203.0.113.14"], ["127.0.0.1"])}
# Names that only the proxy knows, as in a company's network.
INNER = {"inner.proxied.test": "203.0.113.12", "private.proxied.test": "10.0.0.5"}
SILENT = {"silent.test"}  # no answer ever
ALIASES = {"alias.trap.test": "loopback.trap.test", "alias.allowed.test": "www.allowed.test"}
NOBODY = "203.0.113.99"  # nothing answers there, not even a refusal
NAMES["nobody.test"] = [NOBODY]


def run(*command, cwd):
    environment = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null", HOME=cwd)
    subprocess.run(command, cwd=cwd, check=True, env=environment, stdin=subprocess.DEVNULL)


def certificates(room):
    names = sorted({*NAMES, *REBINDING, *ALIASES, "*.allowed.test", "*.denied.test", "*.trap.test"})
    addresses = sorted({each for found in NAMES.values() for each in found if each.startswith(("203.0.113.", "2001:db8:2"))})
    with open(f"{room}/leaf.cnf", "w", encoding="ascii") as file:
        alternatives = [f"DNS:{each}" for each in names] + [f"IP:{each}" for each in addresses]
        file.write("basicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\nsubjectAltName=" + ",".join(alternatives) + "\n")
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    run("openssl", "req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=Test internet",
        "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign", cwd=room)
    run("openssl", "req", *key, "-keyout", "leaf.key", "-out", "leaf.csr", "-subj", "/CN=leaf", cwd=room)
    run("openssl", "x509", "-req", "-in", "leaf.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-days", "2", "-extfile",
        "leaf.cnf", "-out", "leaf.pem", cwd=room)
    os.makedirs(f"{room}/etc/certs")
    with open(f"{room}/ca.pem", "rb") as source, open(f"{room}/etc/certs/ca-certificates.crt", "wb") as bundle:
        bundle.write(source.read())
    run("openssl", "rehash", f"{room}/etc/certs", cwd=room)


def host_files(room):
    files = {"resolv.conf": f"nameserver {RESOLVER}\noptions timeout:2 attempts:2\n",
             "nsswitch.conf": "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\n",
             "hosts": "127.0.0.1 localhost\n::1 localhost\n"}
    for name, text in files.items():
        with open(f"{room}/etc/{name}", "w", encoding="ascii") as file:
            file.write(text)


def links(room):
    everywhere = {each for found in NAMES.values() for each in found} | {RESOLVER}
    for good, bad in REBINDING.values():
        everywhere |= {*good, *bad}
    everywhere -= {NOBODY, HOST4, HOST6, "127.0.0.1", "::1", "0.0.0.0", "::ffff:127.0.0.1"}
    # Neighbours and addresses that need not be looked for first: IPv6 would take a second for it.
    def ends(name, own4, own6, mac, other6, other_mac):
        return (f"link set {name} address {mac}\nlink set {name} addrgenmode none\naddr add {own4}/24 dev {name}\n"
                f"addr add {own6}/64 dev {name} nodad\nlink set {name} up\n"
                f"neigh add {other6} lladdr {other_mac} dev {name} nud permanent\n")

    mac_host, mac_gate = "02:00:00:00:00:02", "02:00:00:00:00:01"
    with open(f"{room}/host.ip", "w", encoding="ascii") as file:
        file.write(ends("host0", HOST4, HOST6, mac_host, GATE6, mac_gate)
                   + f"route add default via {GATE4}\nroute add default via {GATE6}\n")
    with open(f"{room}/world.ip", "w", encoding="ascii") as file:
        file.write(ends("world0", GATE4, GATE6, mac_gate, HOST6, mac_host))
        for each in sorted(everywhere):
            file.write(f"addr add {each} dev lo" + (" nodad\n" if ":" in each else "\n"))
        file.write(f"route add blackhole {NOBODY}\n")


def wheel(room):
    """PEP 427 and PEP 503: one package with one module."""
    info = "tiny_wheel-1.0.dist-info"
    files = {"tiny_wheel.py": "GREETING = 'hello from a wheel'\n",
             f"{info}/METADATA": "Metadata-Version: 2.1\nName: tiny-wheel\nVersion: 1.0\n",
             f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    record = ""
    for name, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(text)}\n"
    files[f"{info}/RECORD"] = record + f"{info}/RECORD,,\n"
    os.makedirs(f"{room}/www/simple/tiny-wheel")
    os.makedirs(f"{room}/www/packages")
    name = "tiny_wheel-1.0-py3-none-any.whl"
    with zipfile.ZipFile(f"{room}/www/packages/{name}", "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    with open(f"{room}/www/packages/{name}", "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    with open(f"{room}/www/simple/tiny-wheel/index.html", "w", encoding="ascii") as file:
        file.write(f'<!DOCTYPE html><a href="https://files.pythonhosted.org/packages/{name}#sha256={digest}">{name}</a>\n')


def npm_package(room):
    manifest = {"name": "tiny-package", "version": "1.0.0", "main": "index.js"}
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for path, text in {"package/package.json": json.dumps(manifest),
                           "package/index.js": "module.exports = 'hello from a package';\n"}.items():
            entry = tarfile.TarInfo(path)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    body = buffer.getvalue()
    os.makedirs(f"{room}/www/tiny-package/-")
    with open(f"{room}/www/tiny-package/-/tiny-package-1.0.0.tgz", "wb") as file:
        file.write(body)
    integrity = "sha512-" + base64.b64encode(hashlib.sha512(body).digest()).decode()
    tarball = "https://registry.npmjs.org/tiny-package/-/tiny-package-1.0.0.tgz"
    document = {"name": "tiny-package", "dist-tags": {"latest": "1.0.0"},
                "versions": {"1.0.0": {**manifest, "dist": {"tarball": tarball, "integrity": integrity}}}}
    with open(f"{room}/www/tiny-package/index.json", "w", encoding="ascii") as file:
        json.dump(document, file)


def git_repository(room):
    """Served as plain files, which git calls the dumb protocol."""
    work, bare = f"{room}/tiny", f"{room}/www/tiny.git"
    os.makedirs(work)
    with open(f"{work}/README", "w", encoding="ascii") as file:
        file.write("hello from a repository\n")
    run("git", "init", "-q", "-b", "main", cwd=work)
    run("git", "add", "README", cwd=work)
    run("git", "-c", "user.name=Test", "-c", "user.email=test@allowed.test", "commit", "-q", "-m", "One", cwd=work)
    run("git", "clone", "-q", "--bare", work, bare, cwd=room)
    run("git", "--git-dir", bare, "update-server-info", cwd=room)


if __name__ == "__main__":
    for make in (certificates, host_files, links, wheel, npm_package, git_repository):
        make(sys.argv[1])
