// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/runpanel/output/ansi/ansiparser.h"

#include <QRandomGenerator>
#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// Everything that came out, with marks where the style changes, "<1,0,0>", and where the cursor moves, "[Column 0]".
class Recorder : public TextSink
{
public:
    void text(QStringView text, const TextStyle &style) override
    {
        if (style != last) {
            out += u"<%1,%2,%3>"_s.arg(style.foreground).arg(style.background).arg(style.attributes);
            last = style;
        }
        out += text;
    }
    void newLine() override { out += u"⏎"_s; }
    void control(LineControl control, int count) override
    {
        static constexpr const char *names[] = {"Up",         "Down",      "Left",      "Right",     "Column",
                                                "EraseRight", "EraseLeft", "EraseLine", "EraseBelow"};
        out += u"[%1 %2]"_s.arg(QLatin1StringView(names[int(control)])).arg(count);
    }

    QString out;
    TextStyle last;
};

QString parsed(const QByteArray &bytes)
{
    Recorder recorder;
    AnsiParser parser;
    parser.feed(bytes, recorder);
    parser.finish(recorder);
    return recorder.out;
}

} // namespace

class TestAnsiParser : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void plainTextComesThrough();
    void coloursAreObeyed_data();
    void coloursAreObeyed();
    void whatIsNotTextIsShown_data();
    void whatIsNotTextIsShown();
    void whatBarsRedrawThemselvesWithIsObeyed_data();
    void whatBarsRedrawThemselvesWithIsObeyed();
    void otherControlSequencesAreDropped();
    void anUnfinishedSequenceDoesNotSwallowWhatFollows();
    void anyChunkingGivesTheSame();
};

void TestAnsiParser::plainTextComesThrough()
{
    QCOMPARE(parsed("one\r\ntwo\tthree\n"), u"one⏎two\tthree⏎"_s);
    QCOMPARE(parsed("größe 日本 🎉\n"), u"größe 日本 🎉⏎"_s);
}

void TestAnsiParser::coloursAreObeyed_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("out");
    QTest::newRow("red") << QByteArray("\x1b[31mx") << u"<2,0,0>x"_s;
    QTest::newRow("bright") << QByteArray("\x1b[92mx") << u"<11,0,0>x"_s;
    QTest::newRow("bold and background") << QByteArray("\x1b[1;44mx") << u"<0,5,1>x"_s;
    QTest::newRow("reset") << QByteArray("\x1b[1mx\x1b[my") << u"<0,0,1>x<0,0,0>y"_s;
    QTest::newRow("palette") << QByteArray("\x1b[38;5;200mx") << u"<201,0,0>x"_s;
    QTest::newRow("rgb") << QByteArray("\x1b[38;2;1;2;3mx") << u"<%1,0,0>x"_s.arg(0xff010203u);
    QTest::newRow("rgb with colons") << QByteArray("\x1b[38:2::1:2:3mx") << u"<%1,0,0>x"_s.arg(0xff010203u);
    QTest::newRow("behind an extended colour") << QByteArray("\x1b[38;5;1;4mx") << u"<2,0,8>x"_s;
    QTest::newRow("no underline by subparameter") << QByteArray("\x1b[4mx\x1b[4:0my") << u"<0,0,8>x<0,0,0>y"_s;
    QTest::newRow("conceal has no effect") << QByteArray("\x1b[8mx") << u"x"_s;
}

void TestAnsiParser::coloursAreObeyed()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, out);
    QCOMPARE(parsed(bytes), out);
}

void TestAnsiParser::whatIsNotTextIsShown_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("out");
    const QString shown = u"<0,0,64>"_s, plain = u"<0,0,0>"_s;
    QTest::newRow("bell") << QByteArray("a\ab") << u"a"_s + shown + u"\\x07"_s + plain + u"b"_s;
    QTest::newRow("zero") << QByteArray("\0", 1) << shown + u"\\x00"_s;
    QTest::newRow("C1") << QByteArray("\xc2\x9b") << shown + u"\\u{9b}"_s;
    QTest::newRow("right-to-left override") << QByteArray("\xe2\x80\xae") << shown + u"\\u{202e}"_s;
    QTest::newRow("isolate") << QByteArray("\xe2\x81\xa6") << shown + u"\\u{2066}"_s;
    QTest::newRow("zero width space") << QByteArray("\xe2\x80\x8b") << shown + u"\\u{200b}"_s;
    QTest::newRow("line separator") << QByteArray("\xe2\x80\xa8") << shown + u"\\u{2028}"_s;
    QTest::newRow("tag") << QByteArray("\xf3\xa0\x81\x81") << shown + u"\\u{e0041}"_s;
    QTest::newRow("invalid byte") << QByteArray("\xff") << shown + u"\\xff"_s;
    QTest::newRow("overlong") << QByteArray("\xc0\xaf") << shown + u"\\xc0\\xaf"_s;
    QTest::newRow("surrogate") << QByteArray("\xed\xa0\x80") << shown + u"\\xed\\xa0\\x80"_s;
    QTest::newRow("cut character") << QByteArray("\xe2\x82") << shown + u"\\xe2\\x82"_s;
    QTest::newRow("title") << QByteArray("\x1b]0;evil\a")
                           << shown + u"\\x1b"_s + plain + u"]0;evil"_s + shown + u"\\x07"_s;
    QTest::newRow("reset of the terminal") << QByteArray("\x1b"
                                                         "c")
                                           << shown + u"\\x1b"_s + plain + u"c"_s;
}

void TestAnsiParser::whatIsNotTextIsShown()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, out);
    QCOMPARE(parsed(bytes), out);
}

void TestAnsiParser::whatBarsRedrawThemselvesWithIsObeyed_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("out");
    QTest::newRow("backspace") << QByteArray("a\bb") << u"a[Left 1]b"_s;
    QTest::newRow("lone CR") << QByteArray("10%\r20%\r") << u"10%[Column 0]20%[Column 0]"_s;
    QTest::newRow("CR CR LF") << QByteArray("a\r\r\nb") << u"a[Column 0]⏎b"_s;
    QTest::newRow("up") << QByteArray("\x1b[Aa\x1b[3A") << u"[Up 1]a[Up 3]"_s;
    QTest::newRow("zero is one") << QByteArray("\x1b[0B\x1b[0G") << u"[Down 1][Column 0]"_s;
    QTest::newRow("lines") << QByteArray("\x1b[2E\x1b[2F") << u"[Down 2][Column 0][Up 2][Column 0]"_s;
    QTest::newRow("columns") << QByteArray("\x1b[4C\x1b[5D\x1b[6G") << u"[Right 4][Left 5][Column 5]"_s;
    QTest::newRow("erase") << QByteArray("\x1b[K\x1b[1K\x1b[2K\x1b[J")
                           << u"[EraseRight 1][EraseLeft 1][EraseLine 1][EraseBelow 1]"_s;
    QTest::newRow("not the screen") << QByteArray("\x1b[2J\x1b[3J\x1b[H\x1b[?K\x1b[9K") << u""_s;
    QTest::newRow("bounded") << QByteArray("\x1b[99999999999999999999A") << u"[Up 9999]"_s;
}

void TestAnsiParser::whatBarsRedrawThemselvesWithIsObeyed()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, out);
    QCOMPARE(parsed(bytes), out);
}

void TestAnsiParser::otherControlSequencesAreDropped()
{
    QCOMPARE(parsed("a\x1b[5nb\x1b[10;20Hc\x1b[?25ld"), u"abcd"_s);
    QCOMPARE(parsed("\x1b=a\x1b(Bb\x1b)0c\x1b>"), u"abc"_s);
    QVERIFY(parsed("\x1b(\x1b(Axyz").endsWith(u"(Axyz"_s)); // sets that nobody draws are text
}

void TestAnsiParser::anUnfinishedSequenceDoesNotSwallowWhatFollows()
{
    const QString out = parsed("\x1b[" + QByteArray(200, '1') + "\nsecret\n");
    QVERIFY(out.contains(QString(200, u'1')));
    QVERIFY(out.endsWith(u"⏎secret⏎"_s));
    QVERIFY(parsed("\x1b[" + QByteArray(200, '1') + "mX").contains(u"1mX"_s)); // nothing waits for its end for ever
    QVERIFY(parsed("\x1b[3\nnext").endsWith(u"[3⏎next"_s));
}

void TestAnsiParser::anyChunkingGivesTheSame()
{
    const QByteArray bits[] = {"\x1b[31m", "\x1b[0m",      "\x1b[38;5;9m",
                               "\x1b[2K",  "\b",           "\x1b[3A",
                               "\x1b(B",   "\x1b=",        "\x1b]8;;u\x1b\\",
                               "text",     "\n",           "\r\n",
                               "\r",       "\xe2\x80\xae", "\xf0\x9f\x8e\x89",
                               "\xe2\x82", "\xff",         QByteArray(1, '\0'),
                               "\t",       "\x1b",         "\x1b["};
    QRandomGenerator random(20240101);
    for (int round = 0; round < 400; ++round) {
        QByteArray bytes;
        for (int i = 0; i < 30; ++i)
            bytes += bits[random.bounded(int(std::size(bits)))];
        const QString whole = parsed(bytes);
        Recorder recorder;
        AnsiParser parser;
        for (qsizetype at = 0; at < bytes.size();) {
            const qsizetype length = std::min<qsizetype>(1 + random.bounded(5), bytes.size() - at);
            parser.feed(QByteArrayView(bytes).sliced(at, length), recorder);
            at += length;
        }
        parser.finish(recorder);
        QCOMPARE(recorder.out, whole);
    }
}

QTEST_APPLESS_MAIN(TestAnsiParser)
#include "tst_ansiparser.moc"
