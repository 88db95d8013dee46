// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/runpanel/output/terminal/sequencefilter.h"

#include <QRandomGenerator>
#include <QTest>

using namespace glovebox;

class TestSequenceFilter : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void whatAScreenNeedsPasses_data();
    void whatAScreenNeedsPasses();
    void whatIsHostileDoesNotPass_data();
    void whatIsHostileDoesNotPass();
    void anyChunkingPassesTheSame();

private:
    static QByteArray passed(const QByteArray &bytes)
    {
        SequenceFilter filter;
        const QByteArray first = filter.passed(bytes);
        return first + filter.finish();
    }
};

void TestSequenceFilter::whatAScreenNeedsPasses_data()
{
    QTest::addColumn<QByteArray>("bytes");
    for (const char *bytes :
         {"text\r\n", "gr\303\266\303\237e \xe6\x97\xa5 \xf0\x9f\x8e\x89", "\b\t\x0e\x0f", "\x1b[31;1mred\x1b[m",
          "\x1b[38;2;1;2;3mx", "\x1b[38:2:1:2:3mx", "\x1b[10;20H", "\x1b[;5H", "\x1b[2J\x1b[K\x1b[1;24r",
          "\x1b[?1049h\x1b[?25l", "\0337\033D\033M\033=\033>", "\x1b(0\x1b(B", "\x1b[6n\x1b[c", "e\xcc\x81"})
        QTest::newRow(QByteArray(bytes).toPercentEncoding().constData()) << QByteArray(bytes);
}

void TestSequenceFilter::whatAScreenNeedsPasses()
{
    QFETCH(QByteArray, bytes);
    QCOMPARE(passed(bytes), bytes);
}

void TestSequenceFilter::whatIsHostileDoesNotPass_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("out");
    const auto row = [](const char *name, const QByteArray &bytes, const QByteArray &out) {
        QTest::newRow(name) << bytes << out;
    };
    row("title", "a\x1b]0;evil\ab", "ab");
    row("clipboard", "a\x1b]52;c;ZXZpbA==\x1b\\b", "ab");
    row("a string without end is text at last", "\x1b]" + QByteArray(5000, 'x'), QByteArray(5000 - 4096, 'x'));
    row("a string ends with its line", "\x1b]0;evil\nnext", "\nnext");
    row("device control", "a\x1bP$qm\x1b\\b", "ab");
    row("questions", "\x1b[5n\x1b[?6n\x1b[>c\x1b[=c\x1b[21t\x1bZ\x1b[x", "");
    row("mouse and focus", "\x1b[?1000h\x1b[?1004h\x1b[?1005h\x1b[?1006;25h", "\x1b[?1000h\x1b[?1006h\x1b[?25h");
    row("size of the window", "\x1b[8;9999;9999t", "");
    row("wide lines", "\x1b#6", "");
    row("another set of characters", "\x1b(A\x1b*0", "");
    row("huge counts", "\x1b[99999999999999999999A", "\x1b[1000A");
    row("parameters without end", "\x1b[" + QByteArray("1;").repeated(20) + "m", "\x1b[1;1;1;1;1;1;1;1;1;1;1;1m");
    row("a sequence without end", "\x1b[" + QByteArray(100, '1'), "\x1b[19m\\x1b\x1b[10m[" + QByteArray(100, '1'));
    row("C1",
        "\xc2\x9b"
        "31m",
        "\x1b[19m\\u{9b}\x1b[10m31m");
    row("right-to-left override", "\xe2\x80\xae", "\x1b[19m\\u{202e}\x1b[10m");
    row("invalid bytes", "\x9b\xc0", "\x1b[19m\\x9b\x1b[10m\x1b[19m\\xc0\x1b[10m");
    row("marks without end", "e" + QByteArray("\xcc\x81").repeated(50) + "x", "e\xcc\x81\xcc\x81x");
    row("restored cursor", "\x1b[s\x1b[u\x1b\x38", "\x1b\x37\x1b\x38\x1b[0n\x1b\x38\x1b[0n");
    const QByteArray anew = QByteArray(SequenceFilter::lineEnds) + SequenceFilter::noMouse;
    row("reset", "\x1b\x63\x1b[!p", "\x1b\x63" + anew + "\x1b[!p" + anew);
    row("repeat", "\x1b[9bx\x1b[3b\xe6\x97\xa5\x1b[b\x1b[9999b",
        "xxxx\xe6\x97\xa5\xe6\x97\xa5" + QByteArray("\xe6\x97\xa5").repeated(300));
    row("bell and zero", QByteArray("a\a\0b\x7f", 5), "ab");
    row("cut", "\x1b[3\nx", "\x1b[19m\\x1b\x1b[10m[3\nx");
}

void TestSequenceFilter::whatIsHostileDoesNotPass()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, out);
    QCOMPARE(passed(bytes), out);
}

void TestSequenceFilter::anyChunkingPassesTheSame()
{
    const QByteArray bits[] = {
        "\x1b[31m",     "\x1b]8;;u\x1b\\", "\x1b]0;t", "\x1b", "[",      "text",          "\n",
        "\xe2\x80\xae", "\xcc\x81",        "\xe2\x82", "\xff", "\x1b(0", "\x1b[?1049;5h", "\x1bP",
        "\a",           "\x1b[6n"};
    QRandomGenerator random(20240101);
    for (int round = 0; round < 400; ++round) {
        QByteArray bytes;
        for (int i = 0; i < 30; ++i)
            bytes += bits[random.bounded(int(std::size(bits)))];
        SequenceFilter filter;
        QByteArray out;
        for (qsizetype at = 0; at < bytes.size();) {
            const qsizetype length = std::min<qsizetype>(1 + random.bounded(5), bytes.size() - at);
            out += filter.passed(QByteArrayView(bytes).sliced(at, length));
            at += length;
        }
        QCOMPARE(out + filter.finish(), passed(bytes));
    }
}

QTEST_APPLESS_MAIN(TestSequenceFilter)
#include "tst_sequencefilter.moc"
