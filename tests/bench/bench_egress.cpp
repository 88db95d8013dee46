// SPDX-License-Identifier: Apache-2.0
// What the allowed network costs: a large answer, the delay of one connection, and 200 connections at once, by CONNECT and by
// plain sockets from inside a run, against the same program outside of it; all in the test internet, whose servers are a few
// microseconds away. The program inside takes the time, so the run's own start doesn't count. Asserts nothing.
//
// bench_egress [ROUNDS]   (default 8)
#include "measure.h"

#include "tests/support/testinternet/testinternet.h"

#include <QCoreApplication>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <algorithm>
#include <cstdio>

using namespace glovebox;
using namespace glovebox::bench;
using namespace Qt::StringLiterals;

namespace {

// Prints milliseconds: of the answer; the median of 200 connections with a short answer each; of 200 that are open at once.
constexpr const char *clientCode = R"(import socket, statistics, sys, time
way, what = sys.argv[1:]
host = "v4.allowed.test"

def connected():
    s = socket.create_connection(("127.0.0.1", 3128) if way == "connect" else (host, 80))
    if way == "connect":
        s.sendall(f"CONNECT {host}:80 HTTP/1.1\r\nHost: {host}:80\r\n\r\n".encode())
        head = b""
        while b"\r\n\r\n" not in head:
            head += s.recv(4096)
        assert b" 200 " in head.split(b"\r\n")[0], head
    return s

def ask(s, path):
    s.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())

def answer(s, space=bytearray(1 << 20)):
    total = 0
    while n := s.recv_into(space):
        total += n
    s.close()
    return total

begin = time.perf_counter()
if what == "bulk":
    s = connected()
    ask(s, "/bytes?count=%d" % (1 << 30))
    assert answer(s) > 1 << 30
    print((time.perf_counter() - begin) * 1000)
elif what == "delay":
    times = []
    for _ in range(200):
        begin = time.perf_counter()
        s = connected()
        ask(s, "/")
        assert answer(s) > 0
        times.append(time.perf_counter() - begin)
    print(statistics.median(times) * 1000)
else:
    sockets = [connected() for _ in range(200)]
    for s in sockets:
        ask(s, "/")
    assert all(answer(s) > 0 for s in sockets)
    print((time.perf_counter() - begin) * 1000)
)";

std::chrono::nanoseconds told(const QString &program, const QStringList &arguments)
{
    QProcess process;
    process.start(program, arguments);
    process.closeWriteChannel();
    bool isNumber = false;
    const double ms =
        process.waitForFinished(120'000) ? process.readAllStandardOutput().trimmed().toDouble(&isNumber) : 0;
    if (isNumber)
        return std::chrono::nanoseconds(static_cast<qint64>(ms * 1e6));
    std::fputs(process.readAllStandardError().constData(), stderr);
    return std::chrono::nanoseconds(-1);
}

} // namespace

GLOVEBOX_TEST_FILE
{
    enterTestInternet(argv);
    const QCoreApplication application(argc, argv);
    const int rounds = argc > 1 ? std::max(1, QByteArray(argv[1]).toInt()) : 8;
    const QTemporaryDir home;
    qputenv("GLOVEBOX_HOME", home.path().toLocal8Bit());
    const QString file = home.filePath(u"client.py"_s);
    QFile code(file);
    if (!code.open(QIODevice::WriteOnly) || code.write(clientCode) < 0 || !code.flush())
        return 1;

    const auto outside = [&](const QString &what) { return told(u"python3"_s, {file, u"plain"_s, what}); };
    const auto inside = [&](const QString &way, const QString &what) {
        return told(QStringLiteral(GLOVEBOX_BIN "/glovebox"),
                    {u"run"_s, u"--allow"_s, u"v4.allowed.test"_s, file, u"--"_s, way, what});
    };
    const struct
    {
        const char *title;
        QString what;
        const char *promise;
    } parts[] = {{"1 GiB", u"bulk"_s, "<= 2.5 x direct"},
                 {"A connection with a short answer", u"delay"_s, "<= direct + 2 ms"},
                 {"200 connections at once", u"many"_s, ""}};
    for (const auto &part : parts) {
        std::vector<Series> series;
        series.push_back({"direct", [&] { return outside(part.what); }, {}, {}});
        series.push_back({"CONNECT", [&] { return inside(u"connect"_s, part.what); }, part.promise, {}});
        series.push_back({"plain sockets", [&] { return inside(u"plain"_s, part.what); }, part.promise, {}});
        if (!measure(series, rounds))
            return 1;
        print(part.title, series);
    }
    return 0;
}
