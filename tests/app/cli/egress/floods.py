# SPDX-License-Identifier: Apache-2.0
"""What tst_cliegressfloods does inside a run: more of everything than a run needs. One function a case."""
import socket
import time


def works(name="www.allowed.test"):
    """A request that is allowed, after all that."""
    for _ in range(20):
        try:
            if b"hello from" in talk(direct(name, 80), get(name, "/", "Connection: close\r\n"), 3):
                return print("works")
        except OSError:
            pass
        time.sleep(0.1)
    print("is broken")


def thousands_of_connections():
    for number in range(3000):  # a run makes about 1,000 a second
        try:
            s = socket.create_connection(("127.0.0.1", 3128) if number % 2 else ("www.allowed.test", 80), timeout=3)
            s.close()
        except OSError as error:
            if number % 1000 == 0:
                print(error)
    works()


def all_connections_at_once():
    held = []
    for number in range(400):
        s = proxy()
        s.sendall(b"GET ")
        held.append(s)
    time.sleep(0.5)
    closed = 0
    for s in held:
        s.setblocking(False)
        try:
            closed += s.recv(1) == b""
        except BlockingIOError:
            pass
        except OSError:
            closed += 1
    print("refused", closed)
    for s in held:
        s.close()
    works()


def long_heads():
    for _ in range(256):
        s = proxy()
        s.sendall(b"GET http://www.allowed.test/ HTTP/1.1\r\nHost: www.allowed.test\r\nX: " + b"x" * 32000)
        held.append(s)
    time.sleep(1)
    print("held", flush=True)
    __import__("sys").stdin.readline()


def slow_words():
    held = [(proxy(), get("x").replace(b" /", b" http://www.allowed.test/")) for _ in range(50)]
    held += [(direct("www.allowed.test", 443), hello("www.allowed.test")) for _ in range(50)]
    for at in range(0, 40):
        for s, data in held:
            s.sendall(data[at:at + 1])
    works()
    print(sum(b"hello from" in talk(s, data[40:], 0.2) for s, data in held[:10]))


def half_closed():
    for _ in range(200):
        s = direct("www.allowed.test", 80)
        s.sendall(get("www.allowed.test", "/", "Connection: close\r\n"))
        s.shutdown(socket.SHUT_WR)
        if b"hello from" not in talk(s, b"", 3):
            print("lost")
        s = tunnel(b"www.allowed.test", 80) if _ % 20 == 0 else proxy()
        s.shutdown(socket.SHUT_WR)
        held.append(s)
        s = direct("www.allowed.test", 443)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # ends in a reset
        s.close()
    works()


def much_behind_a_flood():
    for number in range(1100):
        talk(proxy(), b"GET http://h%d.test/ HTTP/1.0\r\n\r\n" % number)
    print(len(talk(direct("www.allowed.test", 80), get("www.allowed.test", "/bytes?count=1000000", "Connection: close\r\n"))) > 1000000)
    held.append(tunnel(b"www.allowed.test", 443))  # still open at the end
    held[0].sendall(hello("www.allowed.test"))
    print(len(held[0].recv(5)))


def denied_behind_a_flood():
    """Also what was allowed first, and then gave a reason to end it."""
    for number in range(1000):
        talk(proxy(), b"GET http://h%d.test/ HTTP/1.0\r\n\r\n" % number)
    print(talk(proxy(), b"POST http://www.allowed.test/echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n")[:12])
    print(talk(proxy(), get("x", "http://www.allowed.test/", "Connection: close\r\n"))[:12])


held = []


def query(name, kind=1):
    labels = b"".join(bytes([len(each)]) + each for each in name.split(b"."))
    return b"\1\2\1\0\0\1\0\0\0\0\0\0" + labels + b"\0" + kind.to_bytes(2, "big") + b"\0\1"


def flood_of_names():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.connect(("127.0.0.1", 53))
    for number in range(20000):
        try:
            s.send(query(b"%d.flood.test" % number))
            s.send(bytes([number & 255] * (number % 700)))
        except OSError:
            pass
    works()


def more_names_than_there_may_be():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(3)
    s.connect(("127.0.0.1", 53))
    codes = {}
    for number in range(4200):
        s.send(query(b"n%d.allowed.test" % number))
        answer = s.recv(600)
        codes[answer[3] & 15] = codes.get(answer[3] & 15, 0) + 1
    print(codes)
    print(socket.gethostbyname("n0.allowed.test"))


def huge_words():
    huge = b"x" * 100000
    for data in (b"GET http://" + huge + b"/ HTTP/1.1\r\n", huge, b"GET http://www.allowed.test/ HTTP/1.1\r\nHost: x\r\nX: " + huge,
                 b"CONNECT " + b"a." * 500 + b"test:443 HTTP/1.1\r\nHost: x\r\n\r\n", b"\0" * 100000, b"\n" * 100000,
                 b"GET http://www.allowed.test/ HTTP/1.1\r\n" + b"X: y\r\n" * 20000):
        print(talk(proxy(), data, 1)[:30])
        print(talk(direct("www.allowed.test", 443), data, 1)[:30])
    s = socket.create_connection(("127.0.0.1", 1080))
    print(talk(s, b"\5\xff" + b"\0" * 255 + b"\5\1\0\3\xff" + b"a" * 255 + b"\0\x50", 1))
    s = socket.create_connection(("127.0.0.1", 53))
    print(talk(s, b"\xff\xff" + huge, 1))
    works()
