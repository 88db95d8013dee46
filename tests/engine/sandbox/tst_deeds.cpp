// SPDX-License-Identifier: Apache-2.0
// What a run tried is told, once, and only what nobody serves.
#include "sealed.h"

#include "engine/launcher/reportedcalls.h"

#include <QDeadlineTimer>
#include <QElapsedTimer>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

using namespace glovebox;
using namespace Qt::StringLiterals;

// Three, by one call.
static const QByteArray manyMessages = R"(python3 -c '
import ctypes, socket, struct
libc = ctypes.CDLL(None)
names = [ctypes.create_string_buffer(struct.pack("=H", 2) + struct.pack(">H", 9) + bytes([192, 0, 2, n]) + bytes(8)) for n in (11, 12, 13)]
words = ctypes.create_string_buffer(b"x")
vector = ctypes.create_string_buffer(struct.pack("@PN", ctypes.addressof(words), 1))
messages = ctypes.create_string_buffer(b"".join(struct.pack("@PI4xPNPNi4xI4x", ctypes.addressof(name), 16, ctypes.addressof(vector), 1, 0, 0, 0, 0) for name in names))
datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
libc.sendmmsg(datagrams.fileno(), messages, 3, 0)
')";

class TestDeeds : public QObject
{
    Q_OBJECT

    std::unique_ptr<Backend> m_backend = backendUnderTest(u"test"_s);

private Q_SLOTS:
    // What a served port takes, the network's own record tells.
    void tellsOnlyWhatNoListenerTakes_data()
    {
        QTest::addColumn<QByteArray>("type");
        QTest::addColumn<bool>("isServed");
        QTest::newRow("stream") << QByteArray("socket.AF_INET, socket.SOCK_STREAM") << true;
        QTest::newRow("datagram") << QByteArray("socket.AF_INET, socket.SOCK_DGRAM") << false;
    }

    void tellsOnlyWhatNoListenerTakes()
    {
        QFETCH(QByteArray, type);
        QFETCH(bool, isServed);
        SealedSpec spec = shellSpec("python3 -c 'import socket; s = socket.socket(" + type
                                    + "); s.settimeout(0.1); s.connect_ex((\"192.0.2.1\", 443))'");
        spec.shape.listeners = {{.port = 3128}, {.port = 443, .everywhere = true}};
        spec.shape.strict = false; // bwrap has no such listeners
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY2(r, qPrintable(r ? QString() : r.error().message.english() + r.error().detail.english()));
        QCOMPARE(r->err, "");
        const bool isTold = std::ranges::any_of(r->events, [](const RunEvent &event) {
            return event.detail.english() == u"The run tried to reach 192.0.2.1:443."_s;
        });
        QCOMPARE(isTold, !isServed || m_backend->builder() != u"direct"_s);
    }

    void tellsWhatWasTried_data()
    {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<QString>("words");
        QTest::newRow("address") << QByteArray("exec 3<>/dev/tcp/192.0.2.1/443")
                                 << u"The run tried to reach 192.0.2.1:443."_s;
        QTest::newRow("address of version 6")
            << QByteArray("exec 3<>/dev/tcp/2001:db8::1/80") << u"The run tried to reach [2001:db8::1]:80."_s;
        QTest::newRow("datagram") << QByteArray("python3 -c 'import socket; socket.socket(socket.AF_INET, "
                                                "socket.SOCK_DGRAM).sendto(b\"x\", (\"192.0.2.7\", 9))'")
                                  << u"The run tried to reach 192.0.2.7:9."_s;
        const auto message = [](const char *name, const QByteArray &socket, const char *flags, const char *host) {
            QTest::newRow(name) << QByteArray("python3 -c 'import socket; socket.socket(" + socket
                                              + ", socket.SOCK_DGRAM).sendmsg([b\"x\"], [], " + flags + ", (\"" + host
                                              + "\", 9))'")
                                << u"The run tried to reach %1:9."_s.arg(socket.endsWith('6')
                                                                             ? u'[' + QLatin1StringView(host) + u']'
                                                                             : QLatin1StringView(host));
        };
        message("message", "socket.AF_INET", "0", "192.0.2.8");
        message("message of version 6", "socket.AF_INET6", "0", "2001:db8::8");
        message("message that doesn't wait", "socket.AF_INET", "socket.MSG_DONTWAIT", "192.0.2.14");
        message("message without a signal", "socket.AF_INET", "socket.MSG_NOSIGNAL", "192.0.2.16");
        if (QFile::exists(u"/usr/bin/node"_s))
            QTest::newRow("datagram of Node.js")
                << QByteArray("node -e 'const s = require(\"dgram\").createSocket(\"udp4\"); "
                              "s.send(\"x\", 9, \"192.0.2.15\", () => s.close())'")
                << u"The run tried to reach 192.0.2.15:9."_s;
        QTest::newRow("message with the connection")
            << QByteArray("python3 -c 'import socket; socket.socket().sendmsg([b\"x\"], [], socket.MSG_FASTOPEN, "
                          "(\"192.0.2.9\", 80))'")
            << u"The run tried to reach 192.0.2.9:80."_s;
        QTest::newRow("words with the connection")
            << QByteArray("python3 -c 'import socket; socket.socket().sendto(b\"x\", socket.MSG_FASTOPEN, "
                          "(\"192.0.2.10\", 80))'")
            << u"The run tried to reach 192.0.2.10:80."_s;
        QTest::newRow("first of many messages") << manyMessages << u"The run tried to reach 192.0.2.11:9."_s;
        QTest::newRow("last of many messages") << manyMessages << u"The run tried to reach 192.0.2.13:9."_s;
        QTest::newRow("name") << QByteArray("getent hosts example.org")
                              << u"The run asked the name server at 127.0.0.1 for a host's address."_s;
        QTest::newRow("mount") << QByteArray("mount -t tmpfs none /tmp")
                               << u"The run tried to change its file system (mount), which was refused."_s;
        QTest::newRow("namespace") << QByteArray("unshare -U true")
                                   << u"The run tried to make or enter a namespace (unshare), which was refused."_s;
        QTest::newRow("other process") << QByteArray(
            "python3 -c 'import ctypes; ctypes.CDLL(None).ptrace(16, 1, 0, 0)'")
                                       << u"The run tried to look into another process (ptrace), which was refused."_s;
        QTest::newRow("nothing") << QByteArray("id; ls -l /; python3 -c 'import asyncio, multiprocessing'")
                                 << QString();
    }

    void tellsWhatWasTried()
    {
        QFETCH(QByteArray, script);
        QFETCH(QString, words);
        const Result<SealedOutcome> r = runSealed(*m_backend, shellSpec(script + "; " + script));
        QVERIFY(r);
        QStringList told;
        QSet<QByteArray> known;
        for (const RunEvent &event : r->events) {
            const QByteArray once = event.detail.english().toUtf8() + event.question;
            QVERIFY(!known.contains(once));
            known.insert(once);
            told.append(event.detail.english());
        }
        told.removeDuplicates(); // several questions for one name
        QCOMPARE(told.count(words), words.isEmpty() ? 0 : 1);
        if (words.isEmpty())
            QCOMPARE(told, QStringList());
    }

    // Another thread changes the address between the engine's look at it and the kernel's.
    void countsTheAddressesThatAreHidden_data()
    {
        QTest::addColumn<QByteArray>("code");
        QTest::addColumn<bool>("isHidden");
        // Of many messages the others keep the engine looking until the first one's address is another.
        const QByteArray begin = R"(import ctypes, socket, struct, threading, time
libc = ctypes.CDLL(None)
v4 = ("192.0.2.7", 9)
v6 = ("2001:db8::7", 9)
d = socket.socket(2, 2)
d6 = socket.socket(10, 2)
def no(deed, *a):
    try: deed(*a)
    except OSError: pass
def name(family, *address): return ctypes.create_string_buffer(struct.pack('=H', family) + b'\0\x09' + b''.join(address))
def head(name): return struct.pack('@PI4xPNPNi4xI4x', ctypes.addressof(name), len(name) - 1, 0, 0, 0, 0, 0, 0)
def hide(s, inside, outside):
    first = name(*inside)
    heads = ctypes.create_string_buffer(head(first) + head(name(*inside)) * 1023)
    def change():
        time.sleep(0.001)
        ctypes.memmove(first, name(*outside), len(first))
    for _ in range(50):
        ctypes.memmove(first, name(*inside), len(first))
        thread = threading.Thread(target=change)
        thread.start()
        libc.sendmmsg(s.fileno(), heads, 1024, 0)
        thread.join()
def hide4(): hide(d, (2, b'\x7f\0\0\1', bytes(8)), (2, b'\xc0\0\2\7', bytes(8)))
def hide6(): hide(d6, (10, bytes(4), bytes(15), b'\1'), (10, bytes(4), b'\x20\1\x0d\xb8', bytes(11), b'\7'))
)";
        const auto row = [&](const char *name, const char *code, bool isHidden) {
            QTest::newRow(name) << begin + code << isHidden;
        };
        row("messages", "hide4()", true);
        row("messages of version 6", "hide6()", true);
        // Else the calls that the kernel refuses at once would make up for those that are hidden.
        row("beside calls that lead nowhere", "for _ in range(50): no(socket.socket(2, 1).sendto, b'x', v4)\nhide4()",
            true);
        row("what is seen",
            "for a in v4, v4: no(d.sendto, b'x', a); no(d.sendmsg, [b'x'], [], 0, a); no(d.connect, a)\n"
            "no(socket.socket().connect, v4)\n"
            "no(d6.sendmsg, [b'x'], [], 0, v6); no(d6.connect, v6); no(socket.getaddrinfo, 'a.test', 1)",
            false);
        row("to itself", "d.bind(('127.0.0.1', 0)); d.sendmsg([b'x'], [], 0, d.getsockname())", false);
        row("connection", "a, b = socket.socketpair()\nfor _ in range(5): a.sendmsg([b'x'])", false);
        row("the last of many messages",
            "inside, outside = name(2, b'\\x7f\\0\\0\\1', bytes(8)), name(2, b'\\xc0\\0\\2\\7', bytes(8))\n"
            "d.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)\n"
            "heads = ctypes.create_string_buffer(head(inside) * 1023 + head(outside))\n"
            "libc.sendmmsg(d.fileno(), heads, 1024, 0)",
            false);
    }
    void countsTheAddressesThatAreHidden()
    {
        QFETCH(QByteArray, code);
        QFETCH(bool, isHidden);
        static const QRegularExpression sentence(
            u"^The run tried addresses that Glovebox could not see \\(attempts: ([0-9]+)\\)\\.$"_s);
        int attempts = 0;
        // Who hides one has to be in time, which a busy machine may keep the code from in each of its fifty calls.
        for (int runs = 0; attempts == 0 && runs < (isHidden ? 5 : 1); ++runs) {
            const Result<SealedOutcome> r = runSealed(*m_backend, pythonSpec(code));
            QVERIFY(r);
            QCOMPARE(r->err, "");
            for (const RunEvent &event : r->events) {
                if (event.type == EventType::EventsMore)
                    QCOMPARE(event.unseen.value_or(0), sentence.match(event.detail.english()).captured(1).toInt());
                if (event.type == EventType::EventsMore)
                    attempts += sentence.match(event.detail.english()).captured(1).toInt();
            }
        }
        QVERIFY2((attempts > 0) == isHidden && attempts <= 50, QByteArray::number(attempts));
    }

    // With the flag by which PID 1 hands its descriptors over nobody is asked where a message goes: refused.
    void takesNoMessageWithThePacketsFlag()
    {
        const Result<SealedOutcome> r = runSealed(
            *m_backend,
            pythonSpec("import socket\nd = socket.socket(2, 2)\na, b = socket.socketpair()\n"
                       "def told(deed, *args):\n    try: print(deed(*args))\n    except OSError as e: print(e.errno)\n"
                       "told(d.sendmsg, [b'x'], [], socket.MSG_EOR, ('192.0.2.7', 9))\n"
                       "told(d.sendmsg, [b'x'], [], socket.MSG_EOR | socket.MSG_FASTOPEN, ('192.0.2.8', 9))\n"
                       "told(d.sendto, b'x', socket.MSG_EOR, ('192.0.2.9', 9))\n"
                       "told(a.send, b'xyz', socket.MSG_EOR)\n"));
        QVERIFY(r);
        QCOMPARE(r->out, QByteArray::number(EOPNOTSUPP) + "\n" + QByteArray::number(EOPNOTSUPP) + "\n"
                             + QByteArray::number(ENETUNREACH) + "\n3\n");
        QStringList told;
        for (const RunEvent &event : r->events)
            told.append(event.detail.english());
        QCOMPARE(told, QStringList{u"The run tried to reach 192.0.2.9:9."_s});
    }

    // Calls that the kernel refuses before it looks for a way. 192.0.2.1:443, by the system call itself.
    void tellsNoAttemptThatCouldBeNone_data()
    {
        QTest::addColumn<QByteArray>("call"); // of s4, s6 (streams), d4, d6 (datagrams), u (a unix socket), f (a file)
        QTest::addColumn<bool>("isTold");
        const auto row = [](const char *name, const char *call, bool isTold = false) {
            QTest::newRow(name) << QByteArray(call) << isTold;
        };
        row("closed", "connect(99, v4, 16)");
        row("negative", "connect(-1, v4, 16)");
        row("file", "connect(f, v4, 16)");
        row("pipe", "connect(os.pipe()[0], v4, 16)");
        row("unix socket", "connect(u, v4, 16)");
        row("of version 6 by one of 4", "connect(s4, v6, 28)");
        row("of version 4 by one of 6", "connect(s6, v4, 16)");
        row("of no family", "connect(s4, none, 16)");
        row("of no family, datagrams", "connect(d4, none, 16)");
        row("unknown family", "connect(s4, other, 16)");
        row("short", "connect(s4, v4, 15)");
        row("short of version 6", "connect(s6, v6, 23)");
        row("long", "connect(s4, v4, 129)");
        row("negative length", "connect(s4, v4, -16)");
        row("nowhere", "connect(s4, 8, 16)");
        row("datagram, closed", "sendto(99, b'x', 1, 0, v4, 16)");
        row("datagram, short", "sendto(d4, b'x', 1, 0, v4, 15)");
        row("datagram of version 6 by one of 4", "sendto(d4, b'x', 1, 0, v6, 28)");
        row("words on a stream without a connection", "sendto(s4, b'x', 1, 0x4000, v4, 16)");
        row("as it is meant", "connect(s4, v4, 16)", true);
        row("of version 6", "connect(s6, v6, 28)", true);
        row("of version 6, as short as may be", "connect(s6, v6, 24)", true);
        row("longer", "connect(s4, v4, 128)", true);
        row("length with bits that don't count", "connect(s4, v4, ctypes.c_long(0x100000010))", true);
        row("datagrams", "connect(d4, v4, 16)", true);
        row("datagrams of version 4 by one of 6", "connect(d6, v4, 16)", true);
        row("datagram", "sendto(d4, b'x', 1, 0, v4, 16)", true);
        row("datagram of no family", "sendto(d4, b'x', 1, 0, none, 16)", true);
        row("datagram of version 4 by one of 6", "sendto(d6, b'x', 1, 0, v4, 16)", true);
        row("words with the connection", "sendto(s4, b'x', 1, 0x20000000, v4, 16)", true);
    }

    void tellsNoAttemptThatCouldBeNone()
    {
        QFETCH(QByteArray, call);
        QFETCH(bool, isTold);
        const QByteArray script =
            "import ctypes, os, socket, struct\n"
            "libc = ctypes.CDLL(None, use_errno=True)\n"
            "n = {'x86_64': (42, 44), 'aarch64': (203, 206)}[os.uname().machine]\n"
            "connect = lambda *a: libc.syscall(n[0], *a)\n"
            "sendto = lambda *a: libc.syscall(n[1], *a)\n"
            "rest = struct.pack('>H', 443) + bytes([192, 0, 2, 1]) + bytes(120)\n"
            "v4, none, other = (struct.pack('=H', f) + rest for f in (2, 0, 77))\n"
            "v6 = struct.pack('=H', 10) + struct.pack('>HI', 443, 0) + bytes(10) + b'\\xff\\xff' + "
            "bytes([192, 0, 2, 1]) + bytes(100)\n"
            "sockets = [socket.socket(f, t) for f in (2, 10) for t in (1, 2)]\n"
            "s4, d4, s6, d6 = (s.fileno() for s in sockets)\n"
            "unix = socket.socket(1)\nu = unix.fileno()\nf = os.open('/etc/passwd', 0)\n"
            "print("
            + call + ", ctypes.get_errno())\n";
        SealedSpec spec = shellSpec("python3 calls.py");
        spec.assignment.files.append({"calls.py", script});
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY(r);
        QCOMPARE(r->err, "");
        QStringList told;
        for (const RunEvent &event : r->events)
            told.append(event.destination ? event.destination->host : event.detail.english());
        QCOMPARE(told, isTold ? QStringList{u"192.0.2.1"_s} : QStringList());
        // The kernel says the same: whatever led somewhere found no way, or is a datagram to be sent.
        const bool foundNoWay = r->out.endsWith(" 101\n") || !r->out.startsWith("-1 ");
        QVERIFY2(foundNoWay == isTold || call.contains("4, none, 16)"), r->out);
    }

    // The calls that a person is told about are refused by the engine's answer only: none may slip through.
    void refusesEveryReportedCall()
    {
        QByteArray script = "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nfor number, name in [\n";
        for (const launcher::ReportedCall &call : launcher::reportedCalls)
            script += "(" + QByteArray::number(call.number) + ", '" + call.name + "'),";
        script += "]:\n    result = libc.syscall(number, -1, -1, -1, -1, -1, -1)\n"
                  "    print(name, result, ctypes.get_errno())\n";
        SealedSpec spec = shellSpec("python3 calls.py");
        spec.assignment.files.append({"calls.py", script});
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY(r);
        QByteArray expected;
        for (const launcher::ReportedCall &call : launcher::reportedCalls)
            expected += QByteArray(call.name) + " -1 1\n";
        QCOMPARE(r->out, expected);
        QCOMPARE(r->events.size(), qsizetype(std::size(launcher::reportedCalls)));
    }

    // Threads that change the rights of much memory keep it locked nearly all the time, for whoever looks into it, too.
    void waitsForNobodyWhoLocksTheirMemory()
    {
        const QByteArray script = R"(
import ctypes, socket, struct, threading
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
size = ctypes.c_size_t(16 << 30)
memory = ctypes.c_void_p(libc.mmap(None, size, 1, 0x4022, -1, ctypes.c_long(0)))  # MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
assert libc.madvise(memory, size, 15) == 0  # MADV_NOHUGEPAGE
assert libc.madvise(memory, size, 22) == 0, ctypes.get_errno()  # MADV_POPULATE_READ
begin = threading.Event()
def lock():
    begin.wait()
    while True:
        for rights in 0, 1:
            libc.mprotect(memory, size, rights)
words = ctypes.create_string_buffer(b"x")
vector = ctypes.create_string_buffer(struct.pack("@PN", ctypes.addressof(words), 1))
name = ctypes.create_string_buffer(struct.pack("=H", 2) + struct.pack(">H", 9) + bytes([192, 0, 2, 1]) + bytes(8))
message = struct.pack("@PI4xPNPNi4xI4x", ctypes.addressof(name), 16, ctypes.addressof(vector), 1, 0, 0, 0, 0)
messages = ctypes.create_string_buffer(64 * message)
datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(12):
    threading.Thread(target=lock).start()
print("asks", flush=True)
begin.set()
while True:
    libc.sendmmsg(datagrams.fileno(), messages, 64, 0)
)";
        SealedSpec spec = pythonSpec(script);
        const auto process = launchIn(*m_backend, spec);
        QVERIFY(process);
        const UniqueFd output = (*process)->takeStdout();
        QVERIFY((*process)->start());
        QVERIFY(waitUntilReadable(**process, output.get()));
        char word = 0;
        QCOMPARE(::read(output.get(), &word, 1), 1); // nothing where the code has no such memory
        qint64 longest = 0;
        for (const QDeadlineTimer until(4'000); !until.hasExpired();) {
            pollfd asked{(*process)->eventDescriptor(), POLLIN, 0};
            if (::poll(&asked, 1, 100) > 0) {
                QElapsedTimer time;
                time.start();
                static_cast<void>((*process)->takeEvents(1));
                longest = std::max(longest, time.elapsed());
            }
        }
        (*process)->kill();
        static_cast<void>(endOf(**process));
        QVERIFY2(longest < 500, qPrintable(QString::number(longest)));
    }

    // A filter may say that a call goes into the audit log, and strict mode kills with a line there; so did our own filter, for
    // calls of another table.
    void writesNoAuditLog()
    {
        SealedSpec spec = shellSpec("python3 filters.py");
        const QByteArray script = R"(
import ctypes, mmap, platform, struct
libc = ctypes.CDLL(None, use_errno=True)
log = ctypes.create_string_buffer(struct.pack("=HBBI", 6, 0, 0, 0x7ffc0000))  # return SECCOMP_RET_LOG
program = ctypes.create_string_buffer(struct.pack("@H6xN", 1, ctypes.addressof(log)))
number = {"x86_64": 317, "aarch64": 277}[platform.machine()]
for flags in 0, 2:  # SECCOMP_FILTER_FLAG_LOG
    print(libc.syscall(number, 1, flags, program), ctypes.get_errno())
for mode in 1, 2:
    print(libc.prctl(22, mode, program), ctypes.get_errno())
if platform.machine() == "x86_64":
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")  # eax = 20, getpid; int 0x80; ret
    print(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))())
else:
    print(-38)
)";
        spec.assignment.files.append({"filters.py", script});
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY(r);
        QCOMPARE(r->out + r->err, "-1 38\n-1 38\n-1 22\n-1 22\n-38\n");
    }
};

QTEST_GUILESS_MAIN(TestDeeds)
#include "tst_deeds.moc"
