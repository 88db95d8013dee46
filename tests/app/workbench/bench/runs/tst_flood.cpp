// SPDX-License-Identifier: Apache-2.0
// A program that prints without end leaves the window quick and small.
#include "app/workbench/bench/benchpage.h"
#include "app/workbench/runpanel/output/outputview.h"
#include "tests/app/workbench/desk/desk.h"

#include <QFile>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

#ifdef __SANITIZE_ADDRESS__ // slows the program down, and keeps what was freed for a while
constexpr qint64 stallMilliseconds = 200, mostMegabytes = 512;
#else
constexpr qint64 stallMilliseconds = 50, mostMegabytes = 64;
#endif

Application *application()
{
    return static_cast<Application *>(QCoreApplication::instance());
}

// What this process holds in memory now.
qint64 residentBytes()
{
    QFile file(u"/proc/self/status"_s);
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    const QByteArray status = file.readAll();
    const qsizetype at = status.indexOf("VmRSS:");
    return status.mid(at + 6, status.indexOf(" kB", at) - at - 6).trimmed().toLongLong() * 1024;
}

} // namespace

class TestFlood : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void aFloodNeitherStallsNorGrows_data();
    void aFloodNeitherStallsNorGrows();
    void aFloodInATerminalDoesNotStall_data();
    void aFloodInATerminalDoesNotStall();
    void whoReadsAboveIsLeftThere();
};

void TestFlood::aFloodNeitherStallsNorGrows_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<int>("megabytes");
    QTest::newRow("300 MB of short lines") << u"b'y\\n' * 500000"_s << 300;
    QTest::newRow("300 MB of one line") << u"b'x' * 1000000"_s << 300;
    QTest::newRow("300 MB of colours") << u"b'\\x1b[31mred\\x1b[0m \\xe6\\x97\\xa5\\n' * 50000"_s << 300;
    QTest::newRow("50 MB of redrawn lines")
        << u"b'\\xe6\\x97\\xa5' * 2000 + b'\\x1b[3900Gx\\x1b[2Gy' * 5000 + b'\\n'"_s << 50;
    QTest::newRow("1 GiB") << u"b'a line of ordinary length, as programs print them\\n' * 20000"_s << 1024;
}

void TestFlood::aFloodNeitherStallsNorGrows()
{
    QFETCH(QString, line);
    QFETCH(int, megabytes);
    Desk desk;
    desk.show();
    desk.openEngine();
    auto *page = qobject_cast<BenchPage *>(desk.frame.page(u"bench"_s));
    BenchTab *tab = page->current();
    const auto runCode = [&](const QString &code) {
        tab->editor().setText(code, true);
        tab->run(false);
        return QTest::qWaitFor([tab] { return tab->runs().current()->isDone(); }, 120'000);
    };
    QVERIFY(runCode(u"print('warm')\n"_s)); // what is loaded once isn't growth
    Desk::settle();
    const qint64 before = residentBytes();
    qint64 most = before;
    QTimer sampler;
    connect(&sampler, &QTimer::timeout, &sampler, [&most] { most = std::max(most, residentBytes()); });
    sampler.start(20);
    application()->watchStalls(true);
    QElapsedTimer time;
    time.start();
    QVERIFY(runCode(u"import sys\npiece = %1\nleft = %2 << 20\nwhile left > 0:\n    sys.stdout.buffer.write(piece)\n   "
                    u" left -= len(piece)\n"
                    "sys.stdout.buffer.write(b'\\nlast line\\n')\n"_s.arg(line)
                        .arg(megabytes)));
    const qint64 stall = application()->takeLongestStall();
    application()->watchStalls(false);
    const auto result = tab->runs().current()->result();
    qInfo("%lld ms for %lld MB; longest stall %lld ms; grew by %.1f MiB", time.elapsed(), result->out.totalBytes >> 20,
          stall, double(most - before) / double(mebibyte));
    QVERIFY(result->outcome == Outcome::Completed);
    QVERIFY(result->out.totalBytes >= qint64(megabytes) << 20);
    QVERIFY2(stall <= stallMilliseconds, qPrintable(u"%1 ms"_s.arg(stall)));
    QVERIFY2(most - before < mostMegabytes * mebibyte, qPrintable(u"%1 MiB"_s.arg((most - before) / mebibyte)));
    // The beginning, one gap, and the end.
    const LineStore &lines = tab->runs().output()->log()->lines();
    int gaps = 0;
    bool last = false;
    for (qint64 i = lines.first(); i < lines.end(); ++i) {
        gaps += lines.line(i).kind == OutputLine::Kind::Note && lines.line(i).text.contains(u"left out"_s) ? 1 : 0;
        last = last || lines.line(i).text == u"last line"_s;
    }
    // So many lines that the gap itself is among the oldest, which are gone?
    QCOMPARE(gaps, lines.dropped() > 0 ? 0 : 1);
    QVERIFY(last);
}

void TestFlood::aFloodInATerminalDoesNotStall_data()
{
    QTest::addColumn<QString>("line");
    QTest::newRow("lines") << u"b'a line of ordinary length, as programs print them\\n' * 2000"_s;
    QTest::newRow("screens") << u"b'\\x1b[H\\x1b[2J\\x1b[31mred' * 5000"_s;
    QTest::newRow("scrolling") << u"b'\\x1b[99S\\x1b[99T' * 5000"_s;
    QTest::newRow("inserted lines") << u"b'\\x1b[H\\x1b[L\\x1b[M' * 5000"_s;
    QTest::newRow("repeated") << u"b'x\\x1b[999b' * 5000"_s;
    QTest::newRow("screens of others") << u"b'\\x1b[?1049h\\x1b[?1049l' * 5000"_s;
    QTest::newRow("questions") << u"b'\\x1b[6n\\x1b[c' * 5000"_s;
}

void TestFlood::aFloodInATerminalDoesNotStall()
{
    QFETCH(QString, line);
    Desk desk;
    desk.frame.resize(1360, 860);
    desk.show();
    desk.openEngine();
    BenchTab *tab = qobject_cast<BenchPage *>(desk.frame.page(u"bench"_s))->current();
    tab->policy().setTerminal(true);
    tab->editor().setText(u"import os, time\npiece = %1\nend = time.monotonic() + 0.7\nwhile time.monotonic() < end:\n"
                          "    os.write(1, piece)\nos.write(1, b'\\x1b[?1049l\\x1b[m\\r\\nlast line\\n')\n"_s.arg(line),
                          true);
    Desk::settle();
    const qint64 before = residentBytes();
    application()->watchStalls(true);
    tab->run(false);
    QVERIFY(QTest::qWaitFor([tab] { return tab->runs().current()->isDone(); }, 60'000));
    const qint64 stall = application()->takeLongestStall();
    application()->watchStalls(false);
    qInfo("%.1f MB; longest stall %lld ms; grew by %.1f MiB",
          double(tab->runs().current()->result()->out.totalBytes) / 1e6, stall,
          double(residentBytes() - before) / double(mebibyte));
    QVERIFY2(tab->runs().output()->text().contains(u"last line"_s),
             qPrintable(tab->runs().output()->text().right(300)));
    QVERIFY2(stall <= stallMilliseconds, qPrintable(u"%1 ms"_s.arg(stall)));
    QVERIFY(residentBytes() - before < mostMegabytes * mebibyte);
}

void TestFlood::whoReadsAboveIsLeftThere()
{
    Desk desk;
    desk.show();
    desk.openEngine();
    BenchTab *tab = qobject_cast<BenchPage *>(desk.frame.page(u"bench"_s))->current();
    tab->editor().setText(
        u"import time\nfor i in range(400):\n    print('line', i, flush=True)\n    time.sleep(0.005)\n"_s, true);
    tab->run(false);
    OutputView *output = tab->runs().output();
    QTRY_VERIFY_WITH_TIMEOUT(output->text().contains(u"line 100"_s), 20'000);
    QVERIFY(output->isAtBottom());
    output->setFocus();
    QTest::keyClick(output, Qt::Key_Home);
    const QString seen = output->visibleText();
    QVERIFY(seen.contains(u"line 0"_s));
    QTRY_VERIFY_WITH_TIMEOUT(output->text().contains(u"line 300"_s), 20'000);
    QCOMPARE(output->visibleText(), seen);
    QTest::keyClick(output, Qt::Key_End);
    QTRY_VERIFY_WITH_TIMEOUT(tab->runs().current()->isDone(), 20'000);
    QVERIFY(output->isAtBottom());
    QVERIFY(output->visibleText().contains(u"line 399"_s));
}

GLOVEBOX_TEST_MAIN(TestFlood)
#include "tst_flood.moc"
