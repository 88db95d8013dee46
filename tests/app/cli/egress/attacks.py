# SPDX-License-Identifier: Apache-2.0
"""What tst_cliegressattacks does inside a run: one function a case. What they print is only for those who look into a failure."""
import socket
import ssl
import time


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


def a_host_without_the_name_of_http():
    """HTTP/0.9 has no version, and some servers take any blank and any method."""
    in_turns([(s, words)
              for words in ([b"GET\thttp://tenant.denied.test/stolen\r\n"], [b"GET", b"\x0bhttp://tenant.denied.test/stolen\n"],
                            [b"get http://tenant.denied.test/stolen\r\n"], [b"\r\nBREW", b" http://tenant.denied.test/stolen\r\n"])
              for s in (direct("www.allowed.test", 8080), tunnel(b"www.allowed.test", 8080), socks(b"www.allowed.test", 8080))], 1.3)


def the_proxy_protocol():
    """A server that expects it takes whatever follows for the beginning of the connection."""
    in_turns([(s, words)
              for head in (b"PROXY TCP4 192.0.2.1 192.0.2.2 80 80\r\n", b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\1\2\3\4\5\6\7\x08\0\x50\0\x50")
              for rest in (hello("tenant.denied.test"), get("tenant.denied.test"), b"GET http://tenant.denied.test/stolen\r\n")
              for words in ([head + rest], [head, rest], [head[:5], head[5:], rest])
              for s in (direct("www.allowed.test", 7777), tunnel(b"www.allowed.test", 7777))], 1.3)


def a_hello_of_another_version():
    """Java's servers overlook the version of the record, Go's also a warning before it."""
    whole = hello("tenant.denied.test")
    in_turns([(s, words)
              for words in ([b"\x16\2\1" + whole[3:]], [b"\x16", b"\0\0" + whole[3:]], [b"\x16\xff\xff", whole[3:]],
                            [b"\x15\3\1\0\2\1\x70" + whole], [b"\x15\3\1\0\2\1\x70", whole])
              for s in (direct("www.allowed.test", 7777), tunnel(b"www.allowed.test", 7777))], 1.3)


def a_body_that_nobody_reads():
    """Its server takes it for the next request."""
    inner = get("tenant.denied.test")
    for method in (b"GET", b"POST", b"DELETE", b"BREW"):
        fields = b" HTTP/1.1\r\nHost: www.allowed.test\r\nContent-Length: %d\r\n\r\n" % len(inner)
        for s, path in ((proxy(), b"http://www.allowed.test/unread"), (direct("www.allowed.test", 80), b"/unread")):
            print(talk(s, method + b" " + path + fields + inner, 0.5)[:60])


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
