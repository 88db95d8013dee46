// SPDX-License-Identifier: Apache-2.0
// Nothing but text, tabs, newlines and colours reaches a terminal, however the bytes arrive.
#include "app/cli/terminal/terminal.h"

#include <QRandomGenerator>
#include <QRegularExpression>
#include <QTest>

using namespace glovebox;

class TestTerminal : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void onlyTextTabsNewlinesAndColoursPass_data();
    void onlyTextTabsNewlinesAndColoursPass();
    void anyChunkingGivesTheSameResult();
    void whatIsShownNeverHoldsAControl();
    void aColourThatIsStillSetIsEnded();
    void escapedTextHasNoColours();
    void escapedLineIsOneLine();
};

static QByteArray shown(const QByteArray &bytes)
{
    TerminalFilter filter(TerminalFilter::Colours::Pass);
    QByteArray result = filter.filter(bytes);
    return result += filter.finish();
}

void TestTerminal::onlyTextTabsNewlinesAndColoursPass_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char *name, const QByteArray &bytes, const QByteArray &expected) {
        QTest::newRow(name) << bytes << expected;
    };
    const auto same = [&](const char *name, const QByteArray &bytes) { row(name, bytes, bytes); };
    same("text", "plain text\twith a tab\n");
    same("characters", "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x8e\x89\n");
    same("colour and its end", "\x1b[31mred\x1b[0m");
    same("end of colours without a number", "\x1b[1;31mred\x1b[m");
    same("24-bit colour", "\x1b[38;2;10;20;30mx\x1b[0m");
    same("colour with colons", "\x1b[38:2::10:20:30mx\x1b[m");
    row("carriage return", "good\rbad", "good\\rbad");
    row("bell, backspace, NUL, DEL", QByteArray("\a\b\0\x7f", 4), "\\x07\\x08\\x00\\x7f");
    row("clear screen", "\x1b[2J", "\\x1b[2J");
    row("cursor up", "\x1b[1A", "\\x1b[1A");
    row("private mode", "\x1b[?25l", "\\x1b[?25l");
    row("private m", "\x1b[>4;1m", "\\x1b[>4;1m");
    row("intermediate byte", "\x1b[1 m", "\\x1b[1 m");
    row("window title", "\x1b]0;owned\x07", "\\x1b]0;owned\\x07");
    row("clipboard", "\x1b]52;c;eA==\x1b\\", "\\x1b]52;c;eA==\\x1b\\");
    row("hyperlink", "\x1b]8;;http://x\x1b\\", "\\x1b]8;;http://x\\x1b\\");
    row("reset of the terminal",
        "\x1b"
        "c",
        "\\x1bc");
    row("escape twice, then a colour", "\x1b\x1b[31m\x1b[0m", "\\x1b\x1b[31m\x1b[0m");
    row("colour broken off by a newline", "\x1b[31\n", "\\x1b[31\n");
    row("colour broken off by the end", "\x1b[31", "\\x1b[31");
    row("endless parameters", "\x1b[" + QByteArray(100, '1') + "m", "\\x1b[" + QByteArray(100, '1') + "m");
    row("C1 in UTF-8",
        "\xc2\x9b"
        "31m",
        "\\u{9b}31m");
    row("C1 as a byte",
        "\x9b"
        "31m",
        "\\x9b31m");
    row("right-to-left override",
        "a\xe2\x80\xae"
        "b",
        "a\\u{202e}b");
    row("isolates and marks", "\xe2\x81\xa6\xe2\x81\xa9\xe2\x80\x8e\xe2\x80\x8f\xd8\x9c",
        "\\u{2066}\\u{2069}\\u{200e}\\u{200f}\\u{61c}");
    row("overlong slash", "\xc0\xaf", "\\xc0\\xaf");
    row("overlong in three bytes", "\xe0\x80\xaf", "\\xe0\\x80\\xaf");
    row("surrogate", "\xed\xa0\x80", "\\xed\\xa0\\x80");
    row("beyond Unicode", "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
    row("cut character", "\xe2\x82", "\\xe2\\x82");
    row("cut character, then text", "\xe2\x82x", "\\xe2\\x82x");
    row("cut character, then another", "\xe2\x82\xc3\xbc", "\\xe2\\x82\xc3\xbc");
    row("cut character, then a colour", "\xe2\x82\x1b[0m", "\\xe2\\x82\x1b[0m");
}

void TestTerminal::onlyTextTabsNewlinesAndColoursPass()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, expected);
    QCOMPARE(shown(bytes), expected);
}

// Bytes that are likely to meet each other in interesting ways.
static QByteArray hostileBytes(QRandomGenerator &random, int count)
{
    static const QByteArrayList pieces = {"\x1b",
                                          "[",
                                          "31",
                                          ";",
                                          ":",
                                          "m",
                                          "0",
                                          "\x1b[0m",
                                          "\x1b[1;32m",
                                          "\r",
                                          "\n",
                                          "\t",
                                          "text",
                                          "\xc2",
                                          "\x9b",
                                          "\xe2\x80",
                                          "\xae",
                                          "\xe2\x80\xae",
                                          "\xf0\x9f",
                                          "\x8e\x89",
                                          "\xed\xa0\x80",
                                          "\x7f",
                                          QByteArray(1, '\0'),
                                          "\x1b]0;x\a",
                                          "\xff",
                                          QByteArray(70, '1')};
    QByteArray bytes;
    for (int i = 0; i < count; ++i)
        bytes += pieces[random.bounded(pieces.size())];
    return bytes;
}

void TestTerminal::anyChunkingGivesTheSameResult()
{
    QRandomGenerator random(20240521);
    for (int round = 0; round < 3000; ++round) {
        const QByteArray bytes = hostileBytes(random, 12);
        TerminalFilter filter(TerminalFilter::Colours::Pass);
        QByteArray pieces;
        for (qsizetype from = 0; from < bytes.size();) {
            const qsizetype length = std::min<qsizetype>(1 + random.bounded(4), bytes.size() - from);
            pieces += filter.filter(QByteArrayView(bytes).sliced(from, length));
            from += length;
        }
        pieces += filter.finish();
        QCOMPARE(pieces, shown(bytes));
    }
}

// An independent check of the result: valid UTF-8 in which every control is a tab, a newline, or begins a whole colour.
void TestTerminal::whatIsShownNeverHoldsAControl()
{
    static const QRegularExpression colour(QStringLiteral("\x1b\\[[0-9;:]{0,62}m"));
    static const QRegularExpression control(QStringLiteral("[\\x{0}-\\x{8}\\x{b}-\\x{1f}\\x{7f}-\\x{9f}\\x{61c}\\x{"
                                                           "200e}\\x{200f}\\x{202a}-\\x{202e}\\x{2066}-\\x{2069}]"));
    QRandomGenerator random(7);
    for (int round = 0; round < 3000; ++round) {
        QByteArray bytes = hostileBytes(random, 8);
        for (int i = 0; i < 8; ++i)
            bytes.insert(random.bounded(bytes.size()), char(random.bounded(256)));
        const QByteArray result = shown(bytes);
        QVERIFY(result.isValidUtf8());
        QVERIFY2(!QString::fromUtf8(result).remove(colour).contains(control), bytes.toHex().constData());
    }
}

void TestTerminal::aColourThatIsStillSetIsEnded()
{
    QCOMPARE(shown("\x1b[31mred\n"), QByteArray("\x1b[31mred\n\x1b[0m"));
    TerminalFilter filter(TerminalFilter::Colours::Pass);
    filter.filter("\x1b[31m");
    QCOMPARE(filter.finish(), QByteArray("\x1b[0m"));
    QCOMPARE(filter.finish(), QByteArray());
}

void TestTerminal::escapedTextHasNoColours()
{
    QCOMPARE(escapedText("\x1b[31mred\x1b[0m\n\tx"), QByteArray("\\x1b[31mred\\x1b[0m\n\tx"));
}

void TestTerminal::escapedLineIsOneLine()
{
    QCOMPARE(escapedLine("one\ntwo\tthree\r"), QByteArray("one\\ntwo\\tthree\\r"));
}

QTEST_GUILESS_MAIN(TestTerminal)
#include "tst_terminal.moc"
