# SPDX-License-Identifier: Apache-2.0
"""Answers for all of the test internet (serve.py FOLDER world), or listens on its host for what must not come (canary)."""
import ctypes
import http.server
import os
import signal
import socket
import socketserver
import ssl
import struct
import sys
import threading
import time
import urllib.parse

import world

ROOM = sys.argv[1]
LOG = os.open(f"{ROOM}/log", os.O_WRONLY | os.O_APPEND)
BLOCK = b"x" * (1 << 18)
TYPES = {".html": "text/html", ".json": "application/json"}


def log(*words):
    # One write a line, so that no two mix; nothing of a client's may end it.
    os.write(LOG, (" ".join(str(each).encode("unicode_escape").decode() for each in words) + "\n").encode())


def plain(address):
    return address[0].removeprefix("::ffff:")


class Listener(socketserver.ThreadingMixIn, socketserver.TCPServer):
    """On every address of both families; says whoever comes."""
    address_family = socket.AF_INET6
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 512

    def __init__(self, port, handler, tls=None):
        self.tls = tls
        super().__init__(("::", port), handler)

    def server_bind(self):
        self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()

    def get_request(self):
        connection, peer = super().get_request()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        log("accept", plain(connection.getsockname()), connection.getsockname()[1])
        return connection, peer

    def finish_request(self, request, client_address):
        request.settimeout(60)
        if self.tls:
            request = self.tls.wrap_socket(request, server_side=True)
        super().finish_request(request, client_address)

    def handle_error(self, request, client_address):
        pass


class Pages(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def answer(self, status, body, kind="text/plain", **fields):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", len(body))
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def body(self):
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        whole = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            whole += self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline() not in (b"\r\n", b""):
            pass
        return whole

    def serve(self):
        scheme = "https" if self.server.tls else "http"
        host = self.headers.get("Host", "")
        log("request", scheme, host, self.command, self.path)
        parts = urllib.parse.urlsplit(self.path)
        wishes = dict(urllib.parse.parse_qsl(parts.query))
        if parts.path == "/early":  # answers, and reads nothing
            self.answer(200, b"answered early")
            time.sleep(20)
        if parts.path == "/unread":  # answers, and takes the body for what comes next
            return self.answer(200, b"unread")
        if parts.path == "/websocket" and self.headers["Upgrade"] == "websocket" and self.headers["Connection"] == "Upgrade":
            self.send_response(101)
            self.send_header("Upgrade", "websocket")
            self.send_header("Connection", "Upgrade")
            self.end_headers()
            self.close_connection = True
            while piece := self.rfile.read1(65536):
                self.wfile.write(piece)
            return
        if parts.path == "/stream":  # answers each piece of 1000 bytes as it comes
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for _ in range(int(self.headers["Content-Length"]) // 1000):
                self.wfile.write(b"3e8\r\n%s\r\n" % self.rfile.read(1000))
            self.wfile.write(b"0\r\n\r\n")
            return
        if parts.path.startswith(("/silent/", "/npm/silent/")):  # never answers; npm asks below the path of its registry
            time.sleep(60)
            self.close_connection = True
            return
        if parts.path.startswith(("/endless/", "/huge/")):  # never ends; one announces 10 GB
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            if parts.path.startswith("/huge/"):
                self.send_header("Content-Length", 10 << 30)
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
            while True:
                self.wfile.write(BLOCK)
        body = self.body()
        if parts.path == "/redirect":  # ?to=URL
            self.answer(302, b"", Location=wishes["to"])
        elif parts.path == "/bytes":  # ?count=N
            count = int(wishes["count"])
            self.send_response(200)
            self.send_header("Content-Length", count)
            self.end_headers()
            while count > 0:
                self.wfile.write(BLOCK[:count])
                count -= len(BLOCK)
        elif parts.path == "/chunks":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for size in (1, 1000, 100000):
                self.wfile.write(b"%x\r\n%s\r\n" % (size, BLOCK[:size]))
            self.wfile.write(b"0\r\n\r\n")
        elif parts.path == "/until-close":
            self.send_response(200)
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(b"until the end")
        elif parts.path == "/echo":
            self.answer(200, body)
        elif parts.path == "/headers":
            self.answer(200, f"{self.requestline}\n{self.headers}".encode())
        else:
            self.file(parts.path, f"hello from {host} by {scheme}\n".encode())

    def file(self, path, otherwise):
        place = os.path.realpath(f"{ROOM}/www{path}")
        for end in ("", "/index.html", "/index.json"):
            if place.startswith(f"{ROOM}/www/") and os.path.isfile(place + end):
                with open(place + end, "rb") as file:
                    self.answer(200, file.read(), TYPES.get(os.path.splitext(place + end)[1], "application/octet-stream"))
                return
        self.answer(404 if path.count("/") > 1 else 200, otherwise)

    def __getattr__(self, name):
        if name.startswith("do_"):  # whatever the method is
            return self.serve
        raise AttributeError(name)

    def parse_request(self):
        # As many servers do, and some with whatever they don't understand.
        while self.raw_requestline.endswith(b"\n") and b" " not in self.raw_requestline:
            self.raw_requestline = self.rfile.readline(65537)
        return super().parse_request()


class Echo(socketserver.BaseRequestHandler):
    def handle(self):
        while data := self.request.recv(65536):
            self.request.sendall(data)


class Banner(socketserver.BaseRequestHandler):
    """Speaks first, as SSH and SMTP do."""

    def handle(self):
        self.request.sendall(b"220 hello\r\n")
        self.request.recv(1024)


class Proxy(socketserver.StreamRequestHandler):
    """CONNECT only; resolves names by itself."""

    def handle(self):
        line = self.rfile.readline().split()
        while self.rfile.readline().strip():
            pass
        method, place = line[0].decode(), line[1].decode()
        log("proxy", method, place)
        host, port = place.rsplit(":", 1)
        if method != "CONNECT" or host == "password.proxied.test":
            self.request.sendall(b"HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n")
            return
        address = world.INNER.get(host) or world.NAMES.get(host, [host.strip("[]")])[0]
        try:
            server = socket.create_connection((address, int(port)), timeout=60)
        except OSError:
            self.request.sendall(b"HTTP/1.1 502 Not there\r\nContent-Length: 0\r\n\r\n")
            return
        self.request.sendall(b"HTTP/1.1 200 Connected\r\nVia: test\r\n\r\n")
        back = threading.Thread(target=self.copy, args=(server, self.request), daemon=True)
        back.start()
        self.copy(self.request, server)
        back.join()

    @staticmethod
    def copy(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass


class Canary(socketserver.BaseRequestHandler):
    def handle(self):
        log("canary", plain(self.request.getsockname()), self.request.getsockname()[1])
        self.request.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 14\r\nConnection: close\r\n\r\nthe host's own")


def resolve(message, asked={}):
    """The answer, or nothing for a name that gets none."""
    labels, at = [], 12
    while message[at]:
        labels.append(message[at + 1:at + 1 + message[at]].decode("latin-1"))
        at += 1 + message[at]
    question = message[12:at + 5]
    kind = struct.unpack(">H", question[-4:-2])[0]
    name = ".".join(labels).lower()
    log("dns", name or ".", kind)
    if name in world.SILENT:
        return None
    records = b""
    if name in world.ALIASES:
        target = world.ALIASES[name]
        data = b"".join(bytes([len(each)]) + each.encode() for each in target.split(".")) + b"\0"
        records += b"\xc0\x0c" + struct.pack(">HHIH", 5, 1, 0, len(data)) + data
        pointer = struct.pack(">H", 0xC000 | (12 + len(question) + 12))
        name = target
    else:
        pointer = b"\xc0\x0c"
    found = world.NAMES.get(name)
    if name in world.REBINDING:
        good, bad = world.REBINDING[name]
        asked[name, kind] = asked.get((name, kind), 0) + 1
        found = good if asked[name, kind] == 1 else bad
    count = 1 if records else 0
    for address in found or []:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        if kind == (28 if family == socket.AF_INET6 else 1):
            data = socket.inet_pton(family, address)
            records += pointer + struct.pack(">HHIH", kind, 1, 0, len(data)) + data
            count += 1
    code = 0 if found is not None else 3
    return message[:2] + struct.pack(">HHHHH", 0x8180 | code, 1, count, 0, 0) + question + records


class DnsOverTcp(socketserver.StreamRequestHandler):
    def handle(self):
        while len(size := self.rfile.read(2)) == 2:
            if answer := resolve(self.rfile.read(struct.unpack(">H", size)[0])):
                self.wfile.write(struct.pack(">H", len(answer)) + answer)


def dns_over_udp():
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.setsockopt(socket.IPPROTO_IP, 15, 1)  # IP_FREEBIND: the address comes later, and answers are from it
    server.bind((world.RESOLVER, 53))

    def listen():
        while True:
            message, peer = server.recvfrom(4096)
            try:
                if answer := resolve(message):
                    server.sendto(answer, peer)
            except (IndexError, struct.error, OSError):
                pass
    threading.Thread(target=listen, daemon=True).start()


def listeners(role):
    if role == "canary":
        return [Listener(port, Canary) for port in (22, 53, 80, 443, 7777, 8080)]
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(f"{ROOM}/leaf.pem", f"{ROOM}/leaf.key")
    choosy = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)  # asks most clients for another hello
    choosy.load_cert_chain(f"{ROOM}/leaf.pem", f"{ROOM}/leaf.key")
    choosy.set_ecdh_curve("secp384r1")
    tls.sni_callback = choosy.sni_callback = lambda _, name, __: log("sni", name or "-")
    dns_over_udp()
    return [Listener(80, Pages), Listener(8080, Pages), Listener(443, Pages, tls), Listener(8443, Pages, choosy),
            Listener(53, DnsOverTcp), Listener(7777, Echo), Listener(22, Banner), Listener(3129, Proxy)]


if __name__ == "__main__":
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: nothing of this outlives the test
    for each in listeners(sys.argv[2]):
        threading.Thread(target=each.serve_forever, daemon=True).start()
    with open(f"{ROOM}/{sys.argv[2]}.ready", "w", encoding="ascii"):
        pass
    while True:
        time.sleep(3600)
