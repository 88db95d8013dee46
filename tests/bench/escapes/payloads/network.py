# SPDX-License-Identifier: Apache-2.0
# Attacks on the host's network: directly, and by each proxy that the environment names.


def say(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as connection:
        connection.settimeout(1)
        connection.connect(address)
        connection.sendall(f"GET /{MARK} HTTP/1.0\r\n\r\n".encode())
        show(connection.recv(4096))


def by_proxy(proxy, host, port):
    """CONNECT, a plain request, and SOCKS5 where the proxy's address says so."""
    parts = urllib.parse.urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    who = base64.b64encode(urllib.parse.unquote(f"{parts.username or ''}:{parts.password or ''}").encode()).decode()
    header = f"Host: {host}:{port}\r\nProxy-Authorization: Basic {who}\r\n\r\n"
    spoken = [f"CONNECT {host}:{port} HTTP/1.1\r\n{header}".encode(),
              f"GET http://{host}:{port}/{MARK} HTTP/1.1\r\n{header}".encode()]
    if parts.scheme.startswith("socks"):
        spoken = [b"\5\1\0" + b"\5\1\0\1" + socket.inet_aton(host) + port.to_bytes(2, "big")]
    for words in spoken:
        with socket.create_connection((parts.hostname, parts.port or 80), 1) as connection:
            connection.sendall(words)
            show(connection.recv(4096))


def reach(host, port):
    attempt(say, socket.AF_INET, (host, port))
    named = urllib.request.getproxies()
    for proxy in {named[kind] for kind in named if kind != "no"}:
        attempt(by_proxy, proxy, host, port)


def host_loopback():
    reach("127.0.0.1", WORDS["port"])


def metadata_address():
    reach(WORDS["metadata"], 80)


def abstract_socket():
    attempt(say, socket.AF_UNIX, "\0" + WORDS["abstract"])
    for road in roads(WORDS["socket"]):
        attempt(say, socket.AF_UNIX, road)


def ask(server):
    """The question for an address of MARK.example.org, by a datagram."""
    name = b"".join(bytes([len(label)]) + label.encode() for label in (MARK, "example", "org"))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
        connection.settimeout(0.3)
        connection.sendto(b"\x12\x34\1\0\0\1\0\0\0\0\0\0" + name + b"\0\0\1\0\1", (server, 53))
        connection.recv(512)


def name_server():
    for server in (WORDS["name_server"], "127.0.0.1", "127.0.0.53"):
        attempt(ask, server)
    attempt(socket.getaddrinfo, f"{MARK}.example.org", 80)
