# SPDX-License-Identifier: Apache-2.0
"""How code in a run speaks with servers, for attacks.py and floods.py, which follow it in the same code."""
import socket
import ssl
import time


def talk(s, data, patience=1):
    s.settimeout(patience)
    got = b""
    try:
        if data:
            s.sendall(data)
        while part := s.recv(65536):
            got += part
    except OSError as error:
        got += b"<" + str(error).encode() + b">"
    return got


def proxy():
    return socket.create_connection(("127.0.0.1", 3128))


def direct(host, port):
    try:
        return socket.create_connection((host, port), timeout=3)
    except socket.gaierror:
        return tunnel(host.encode(), port)  # there are proxies only


def tunnel(host, port):
    s = proxy()
    s.sendall(b"CONNECT %s:%d HTTP/1.1\r\nHost: %s\r\n\r\n" % (host, port, host))
    s.settimeout(3)
    answer = s.recv(200).split(b"\r\n")[0]
    if b" 200 " not in answer:
        print(answer)
    return s


def socks(host, port):
    s = socket.create_connection(("127.0.0.1", 1080), timeout=3)
    s.sendall(b"\5\1\0")
    s.recv(2)
    s.sendall(b"\5\1\0\3" + bytes([len(host)]) + host + port.to_bytes(2, "big"))
    print(s.recv(10))
    return s


def hello(name):
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = context.wrap_bio(incoming, outgoing, server_hostname=name)
    try:
        tls.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


def get(host, path="/stolen", more=""):
    return f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n".encode()


def in_turns(held, pause):
    """Sends the first words of all of these (socket, words), after a pause the second ones, and so on; prints what comes back."""
    for turn in range(max(len(words) for _, words in held)):
        for s, words in held:
            try:
                s.sendall(b"".join(words[turn:turn + 1]))
            except OSError as error:
                print(error)
        time.sleep(pause)
    for s, _ in held:
        print(talk(s, b"", 0.1)[:60])
