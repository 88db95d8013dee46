// SPDX-License-Identifier: Apache-2.0
// The scrubber against a plain and slow account of what it must give: every form, every cut of the stream, many secrets at once.
#include "scrubforms.h"
#include "scrubreference.h"

#include "engine/base/base.h"
#include "engine/vault/scrub/scrub.h"

#include <QRandomGenerator>
#include <QTest>
#include <QUrl>

using namespace glovebox;
using forms::letters;
using forms::randomBytes;
using forms::randomText;
using reference::planOf;
using reference::scrubInPieces;
using reference::Secret;

namespace {

// The reference is slow, and is not what sanitizers look at.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int texts = 15, streams = 30;
#else
constexpr int texts = 60, streams = 90;
#endif

QByteArray scrub(const std::vector<Secret> &secrets, const QByteArray &text)
{
    return planOf(secrets)->scrubbed(QByteArrayView(text));
}

const QByteArray key =
    "sk-Live/9a\"b\\c d+\xc3\xa9%41 \xf0\x9f\x94\x91Z?"; // has everything that encoders treat in ways of their own

QByteArray jsonOf(const QByteArray &value, bool ascii, bool slashes)
{
    QByteArray out;
    const QString text = QString::fromUtf8(value);
    for (const QChar c : text) {
        if (c == u'"' || c == u'\\' || (slashes && c == u'/'))
            out += '\\' + QByteArray(1, c.toLatin1());
        else if (c == u'\n')
            out += "\\n";
        else if (ascii && c.unicode() > 0x7e)
            out += "\\u" + QByteArray::number(c.unicode(), 16).rightJustified(4, '0');
        else if (c.isHighSurrogate() || c.isLowSurrogate())
            continue;
        else
            out += QString(c).toUtf8();
    }
    if (!ascii && text.contains(QChar(0xd83d)))
        out.replace(QByteArray("Z?"), QByteArray("\xf0\x9f\x94\x91Z?"));
    return out;
}

QByteArray wrapped(const QByteArray &text, qsizetype column, const QByteArray &lineBreak)
{
    QByteArray out;
    for (qsizetype at = 0; at < text.size(); at += column)
        out += (at > 0 ? lineBreak : QByteArray()) + text.mid(at, column);
    return out;
}

} // namespace

class TestScrub : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void whatIsNoSecretPassesUnchanged()
    {
        QByteArray all;
        for (int i = 0; i < 256 * 256; ++i)
            all += QByteArray(1, char(i)) + QByteArray(1, char(i >> 8));
        QCOMPARE(scrub({{"KEY", key}}, all), all);
        QCOMPARE(scrub({{"KEY", key}}, {}), QByteArray());
        QCOMPARE(scrub({}, all), all);
    }

    void everyFormIsTakenOut_data()
    {
        QTest::addColumn<QByteArray>("form");
        QTest::newRow("itself") << key;
        QTest::newRow("hex") << key.toHex();
        QTest::newRow("upper hex") << key.toHex().toUpper();
        QTest::newRow("JSON") << jsonOf(key, false, false);
        QTest::newRow("JSON of Python") << jsonOf(key, true, false);
        QTest::newRow("JSON with slashes") << jsonOf(key, true, true);
        QTest::newRow("URL") << key.toPercentEncoding();
        QTest::newRow("URL with slashes") << key.toPercentEncoding("/");
        QTest::newRow("lower URL")
            << key.toPercentEncoding().replace("%2F", "%2f").replace("%5C", "%5c").replace("%C3", "%c3");
        QByteArray full;
        for (const char c : key)
            full += '%' + QByteArray(1, c).toHex().toUpper();
        QTest::newRow("full URL") << full;
        QTest::newRow("full lower URL") << full.toLower();
        QTest::newRow("form") << key.toPercentEncoding().replace("%20", "+");
        QTest::newRow("reversed") << reference::reversed(key);
        QTest::newRow("reversed characters") << reference::reversedCharacters(key);
        QTest::newRow("Python's repr") << QByteArray("sk-Live/9a\"b\\\\c d+\\xc3\\xa9%41 \\xf0\\x9f\\x94\\x91Z?");
        QTest::newRow("upper case") << key.toUpper();
        QTest::newRow("upper case beyond ASCII") << QString::fromUtf8(key).toUpper().toUtf8();
    }
    void everyFormIsTakenOut()
    {
        QFETCH(QByteArray, form);
        const QByteArray text = "before " + form + " after";
        QCOMPARE(scrub({{"KEY", key}}, text), QByteArray("before [secret KEY] after"));
        const auto plan = planOf({{"KEY", key}});
        for (qsizetype cut = 0; cut <= text.size(); ++cut) {
            Scrubber scrubber(plan);
            QByteArray out;
            scrubber.feed(text.first(cut), out);
            scrubber.feed(text.sliced(cut), out);
            scrubber.finish(out);
            QCOMPARE(out, QByteArray("before [secret KEY] after"));
        }
        QCOMPARE(scrubInPieces(plan, text, 1), QByteArray("before [secret KEY] after"));
    }

    void everyFormOfAnyTextIsTakenOut_data()
    {
        QTest::addColumn<quint32>("limit");
        QTest::newRow("ASCII") << 0x80U;
        QTest::newRow("Latin-1") << 0x100U;
        QTest::newRow("European") << 0x500U;
        QTest::newRow("two bytes") << 0x10000U;
        QTest::newRow("all of Unicode") << 0x110000U;
    }
    void everyFormOfAnyTextIsTakenOut()
    {
        QFETCH(quint32, limit);
        QRandomGenerator random(limit);
        for (int turn = 0; turn < texts; ++turn) {
            const QByteArray value = randomText(random, 8 + random.bounded(20), limit);
            const auto plan = planOf({{"KEY", value}});
            for (const forms::Form &form : forms::all()) {
                const QByteArray written = form.of(value);
                if (written.isEmpty())
                    continue;
                const QByteArray text = "(" + written + ")";
                const QByteArray out = plan->scrubbed(QByteArrayView(text));
                const QByteArray left = QByteArray(out).replace("[secret KEY]", "");
                const auto what = [&] {
                    return QByteArray(form.name) + " of " + value.toPercentEncoding() + ": " + text + " gives " + out;
                };
                QVERIFY2(out.contains("[secret KEY]") && left.size() <= 2 + form.left, what());
                for (const qsizetype size : {1, 2, 3, 5, 16})
                    QVERIFY2(scrubInPieces(plan, text, size) == out, what());
                if (turn < 5)
                    QVERIFY2(reference::scrubbed({{"KEY", value}}, text) == out, what());
            }
        }
    }

    void listsAreTakenOutWhereProgramsCutThemOff()
    {
        const QByteArray value = "ghp_" + QByteArray("0aZ9").repeated(40);
        const auto plan = planOf({{"KEY", value}});
        const auto scrubbed = [&](const QByteArray &text) { return plan->scrubbed(QByteArrayView(text)); };
        QCOMPARE(scrubbed("<Buffer " + forms::listed(value.first(50), "%02x", " ") + " ... 114 more bytes>"),
                 QByteArray("<Buffer [secret KEY] ... 114 more bytes>"));
        QCOMPARE(scrubbed("[\n  " + forms::listed(value.first(100), "%u", ", ") + ",\n  ... 64 more items\n]"),
                 QByteArray("[\n  [secret KEY],\n  ... 64 more items\n]"));
        // What a person reads as a beginning is none of a list.
        QCOMPARE(scrubbed(value.first(50)), value.first(50));
    }

    void whatOnlyLooksLikeAFormStays()
    {
        const std::vector<Secret> secrets{{"KEY", "sk-live-0123"}, {"PIN", "1234"}};
        for (const QByteArray text :
             {"[49, 50, 51, 52] <Buffer 31 32 33 34>", "73 6b 2d 6c 69 76 65", "115, 107, 45, 108, 105", "s, k, -, l",
              "735 36b 2d6 c69 766 52d 303 132 33", "0x73, 0x6b, 0x2d", "\\N{EM DASH}\\N{EM DASH}", "a=12&b=34 &amp;",
              "Count 7: ", "Choose 1-6: ", "Take 115 or 11", "it's 's', 'k'", "100% %7"})
            QCOMPARE(scrub(secrets, text), text);
    }

    void nothingIsHeldBackThatNoFormBeginsWith()
    {
        const auto plan = planOf({{"KEY", "Zebra-crossing"}});
        for (const QByteArray text :
             {"Progress 42", "Name: ", "Choose 1-6: ", "12:", "> ", "it's", "a = \"", "50 %: ", "x ="}) {
            Scrubber scrubber(plan);
            QByteArray out;
            scrubber.feed(text, out);
            QCOMPARE(out, text);
        }
    }

    void base64IsTakenOutWhereverItStandsAndHoweverItIsWrapped()
    {
        const auto plan = planOf({{"KEY", key}});
        for (int before = 0; before < 9; ++before) {
            for (const auto option : {QByteArray::Base64Encoding, QByteArray::Base64UrlEncoding}) {
                const QByteArray encoded = (QByteArray(before, 'x') + key + "tail").toBase64(option);
                for (qsizetype column = 1; column <= encoded.size(); ++column) {
                    for (const QByteArray lineBreak : {"\n", "\r\n", "\\n", "\\r\\n"}) {
                        const QByteArray out = plan->scrubbed(QByteArrayView(wrapped(encoded, column, lineBreak)));
                        QVERIFY2(out.contains("[secret KEY]"), wrapped(encoded, column, lineBreak));
                        // At most a character at each end, with bits of a byte of the value.
                        QByteArray left = out;
                        left.replace("[secret KEY]", " ");
                        const QByteArray core = reference::core(key, before % 3);
                        QVERIFY(!left.contains(core.left(4)));
                        QVERIFY(!left.contains(core.right(4)));
                    }
                }
            }
        }
    }

    void linesAreFoundHoweverTheyEnd()
    {
        for (const QByteArray lineEnd : {"\n", "\r\n"}) {
            const QByteArray pem =
                "-----BEGIN KEY-----" + lineEnd + "Mm9ZaXBQYXNz" + lineEnd + "-----END KEY-----" + lineEnd;
            const auto plan = planOf({{"KEY", pem}});
            for (const QByteArray other : {"\n", "\r\n"}) {
                const QByteArray lines = "-----BEGIN KEY-----" + other + "Mm9ZaXBQYXNz" + other + "-----END KEY-----";
                for (const QByteArray &text :
                     {lines, lines.toHex(), lines.toBase64(), lines.toPercentEncoding(), reference::reversed(lines)})
                    QCOMPARE(plan->scrubbed(QByteArrayView("<" + text + ">")).replace('=', ""),
                             QByteArray("<[secret KEY]>"));
            }
        }
        // And what a shell takes off its ends is no part of it.
        QCOMPARE(scrub({{"KEY", " a value of mine\n\n"}}, "a value of mine, a value of mine\n"),
                 QByteArray("[secret KEY], [secret KEY]\n"));
        QCOMPARE(scrub({{"KEY", " ab\n"}}, "ab,  ab\n"), QByteArray("ab, [secret KEY]"));
    }

    void linesOfTwentyBytesAreFoundByThemselves()
    {
        const QByteArray nineteen = "of 19 bytes, no mor", twenty = "of twenty bytes, so.",
                         mark = "-----BEGIN A KEY-----";
        const std::vector<Secret> lines{{"KEY", mark + '\n' + nineteen + '\n' + twenty + "\nend"}};
        QCOMPARE(scrub(lines, "(" + twenty + ")"), QByteArray("([secret KEY])"));
        for (const QByteArray &stays : {nineteen, mark})
            QCOMPARE(scrub(lines, "(" + stays + ")"), "(" + stays + ")");
    }

    void fourKilobytesAreFoundInUtf16()
    {
        QRandomGenerator random(16);
        const QByteArray value = "\xc3\xa9" + randomBytes(random, 4094, letters);
        for (const bool isLittle : {true, false}) {
            QByteArray wide;
            for (const QChar c : QString::fromUtf8(value)) {
                wide += char(isLittle ? c.cell() : c.row());
                wide += char(isLittle ? c.row() : c.cell());
            }
            const QByteArray out = scrub({{"KEY", value}}, wide);
            QVERIFY2(out.contains("[secret KEY]") && out.size() < 20, QByteArray::number(out.size()));
        }
    }

    void noBitOfAValueStaysInBase64OfItAlone()
    {
        for (qsizetype size = 8; size < 20; ++size) {
            const QByteArray value = key.first(size - 2) + "\xff\xfd"; // its last bits are no padding
            const auto plan = planOf({{"KEY", value}});
            for (const auto option : {QByteArray::Base64Encoding, QByteArray::Base64UrlEncoding}) {
                for (const QByteArray lineBreak : {"", "\n"}) {
                    const QByteArray encoded = value.toBase64(option);
                    const QByteArray text = lineBreak.isEmpty() ? encoded : wrapped(encoded, 1, lineBreak);
                    const QByteArray out = plan->scrubbed(QByteArrayView(text));
                    QCOMPARE(QByteArray(out).replace('=', "").replace('\n', ""), QByteArray("[secret KEY]"));
                    // Nor when something follows it, which loses the bits that it shares a character with.
                    const QByteArray followed = (value + "tail").toBase64(option);
                    const QByteArray left = plan->scrubbed(QByteArrayView(followed));
                    QCOMPARE(left, "[secret KEY]" + followed.mid((8 * size + 5) / 6));
                }
            }
        }
    }

    // echo and printf read a value's backslashes, and JSON of what they print has the value again.
    void aValueThatAProgramReadAsAStringIsTakenOut_data()
    {
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QByteArray>("printed");
        QTest::newRow("tab") << QByteArray("\"abcdef/gh\\tijkl") << QByteArray("\"abcdef/gh\tijkl");
        QTest::newRow("backslash") << QByteArray("abcd\\\\tefgh") << QByteArray("abcd\\tefgh");
        QTest::newRow("quote") << QByteArray("abcd\\\"efgh\\n") << QByteArray("abcd\"efgh\n");
        QTest::newRow("quote that echo leaves") << QByteArray("ab\\tcd\\\"efgh") << QByteArray("ab\tcd\\\"efgh");
        QTest::newRow("code point") << QByteArray("abcd\\u0007efgh") << QByteArray("abcd\aefgh");
        QTest::newRow("byte of a name") << QByteArray("abcd\\xffefgh")
                                        << QByteArray("abcd\xff"
                                                      "efgh");
        QTest::newRow("at its end") << QByteArray("abcdefgh\\") << QByteArray("abcdefgh\\");
        QTest::newRow("short then") << QByteArray("a\\tb\\nc\\r") << QByteArray("a\tb\nc\r");
    }
    void aValueThatAProgramReadAsAStringIsTakenOut()
    {
        QFETCH(QByteArray, value);
        QFETCH(QByteArray, printed);
        QCOMPARE(scrub({{"KEY", value}}, "before " + printed + " after"), QByteArray("before [secret KEY] after"));
    }

    void shortValuesAreTakenOutOnlyAsThemselves()
    {
        QCOMPARE(scrub({{"PIN", "9a7Q"}}, "9a7Q Q7a9 39613751 OWE3UQ== 9A7Q 9a7"),
                 QByteArray("[secret PIN] [secret PIN] 39613751 OWE3UQ== 9A7Q 9a7"));
        QCOMPARE(scrub({{"PIN", "9a7"}}, "9a7"), QByteArray("9a7")); // the vault refuses such
    }

    void theLongestOfThoseThatBeginFirstIsNamed()
    {
        const std::vector<Secret> secrets{{"A", "abcdefgh"}, {"B", "abcdefghijkl"}, {"C", "ghijklmnop"}};
        QCOMPARE(scrub(secrets, "-abcdefgh-"), QByteArray("-[secret A]-"));
        QCOMPARE(scrub(secrets, "-abcdefghi-"), QByteArray("-[secret A]i-"));
        QCOMPARE(scrub(secrets, "-abcdefghijkl-"), QByteArray("-[secret B]-"));
        // What only the second one covers is taken out, too.
        QCOMPARE(scrub(secrets, "-abcdefghijklmnop-"), QByteArray("-[secret B][secret C]-"));
        QCOMPARE(scrub(secrets, "-abcdefghabcdefgh-"), QByteArray("-[secret A][secret A]-"));
    }

    void anEndlessOverlapIsNamedOnce()
    {
        QCOMPARE(scrub({{"A", "aaaa"}}, 'x' + QByteArray(100000, 'a') + 'y'), QByteArray("x[secret A]y"));
        QCOMPARE(scrub({{"A", "abcabc"}, {"B", "bcabca"}}, QByteArray("abc").repeated(5000)),
                 QByteArray("[secret A][secret B]"));
    }

    void aBeginningThatComesToNothingIsGivenBack()
    {
        const auto plan = planOf({{"KEY", "correct horse battery"}});
        Scrubber scrubber(plan);
        QByteArray out;
        scrubber.feed("Passphrase? ", out);
        QCOMPARE(out, QByteArray("Passphrase? "));
        scrubber.feed("correct horse", out);
        QCOMPARE(out, QByteArray("Passphrase? "));
        QCOMPARE(scrubber.heldBack(), 13);
        scrubber.feed("s", out);
        QCOMPARE(out, QByteArray("Passphrase? correct horses"));
        scrubber.feed("cor", out);
        scrubber.finish(out);
        QCOMPARE(out, QByteArray("Passphrase? correct horsescor"));
        QVERIFY(!scrubber.hasFound());
        // The streams don't meet.
        scrubber.feed("rect horse battery", out);
        scrubber.finish(out);
        QVERIFY(out.endsWith("correct horse battery"));
    }

    void whatIsHeldBackIsBounded()
    {
        const QByteArray value = QByteArray("0123456789abcdef").repeated(4096); // 64 KiB
        const auto plan = planOf({{"BIG", value}});
        Scrubber scrubber(plan);
        QByteArray out;
        QByteArray text;
        for (const char c : value)
            text += "\\u00" + QByteArray(1, c).toHex();
        text.chop(1);
        for (int i = 0; i < 3; ++i) {
            scrubber.feed(text, out);
            QVERIFY(scrubber.heldBack() <= 6 * value.size());
        }
        scrubber.finish(out);
        QCOMPARE(out, text + text + "[part of secret BIG]");
        out.clear();
        scrubber.feed(value + '\n' + value.toBase64() + '\n' + value.toHex(), out);
        scrubber.finish(out);
        QCOMPARE(QByteArray(out).replace("[secret BIG]", "X").first(3), QByteArray("X\nX"));
        QVERIFY(out.size() < 100);
    }

    void everyCutOfEveryStreamGivesTheSame()
    {
        QRandomGenerator random(6);
        for (int turn = 0; turn < streams; ++turn) {
            // Few letters: many beginnings, overlaps and secrets within secrets.
            const QByteArray alphabet = turn % 3 == 0   ? QByteArray("ab\\")
                                        : turn % 3 == 1 ? QByteArray("a%4\\n/A'x0 ,=&")
                                                        : letters;
            std::vector<Secret> secrets;
            for (int i = 0; i < 1 + turn % 5; ++i)
                secrets.push_back({"S" + QByteArray::number(i), randomBytes(random, 4 + random.bounded(12), alphabet)});
            QByteArray text;
            while (text.size() < 200) {
                const QByteArray &value = secrets[random.bounded(int(secrets.size()))].value;
                const auto &form = forms::all()[std::size_t(random.bounded(int(forms::all().size())))];
                switch (random.bounded(14)) {
                case 0:
                    text += value;
                    break;
                case 1:
                    text += value.first(random.bounded(int(value.size())));
                    break;
                case 2:
                    text += (randomBytes(random, random.bounded(4), letters) + value).toBase64();
                    break;
                case 3:
                    text += wrapped(value.toBase64(QByteArray::Base64UrlEncoding), 1 + random.bounded(9), "\r\n");
                    break;
                case 4:
                    text += value.toHex();
                    break;
                case 5:
                    text += value.toPercentEncoding();
                    break;
                case 6:
                    text += jsonOf(value, true, true);
                    break;
                case 7:
                    text += reference::reversed(value);
                    break;
                case 8:
                    text += "\\u00" + value.left(1).toHex() + value.mid(1);
                    break;
                case 9:
                case 10:
                case 11:
                    text += form.of(value);
                    break;
                case 12:
                    text += form.of(value).chopped(form.of(value).isEmpty() ? 0 : 1);
                    break;
                default:
                    text += randomBytes(random, random.bounded(9), alphabet);
                }
            }
            const auto plan = planOf(secrets);
            QCOMPARE(plan->scrubbed(QByteArrayView(text)), reference::scrubbed(secrets, text, false));
            const QByteArray expected = reference::scrubbed(secrets, text);
            for (qsizetype size = 1; size <= 9; ++size)
                QCOMPARE(scrubInPieces(plan, text, size), expected);
            for (qsizetype cut = 0; cut <= text.size(); ++cut) {
                Scrubber scrubber(plan);
                QByteArray out;
                scrubber.feed(text.first(cut), out);
                scrubber.feed(text.sliced(cut), out);
                scrubber.finish(out);
                QCOMPARE(out, expected);
            }
        }
    }

    void twoHundredAndFiftySixSecretsAtOnce()
    {
        QRandomGenerator random(256);
        std::vector<Secret> secrets;
        for (int i = 0; i < 256; ++i)
            secrets.push_back({"S" + QByteArray::number(i), randomBytes(random, 8 + random.bounded(56), letters)});
        const auto plan = planOf(secrets);
        QByteArray text, expected;
        for (const Secret &secret : secrets) {
            const QByteArray mark = "[secret " + secret.name + ']';
            for (const QByteArray &form : {secret.value, secret.value.toHex(), secret.value.toPercentEncoding(),
                                           reference::reversed(secret.value)}) {
                text += "\n<" + form + '>';
                expected += "\n<" + mark + '>';
            }
        }
        QCOMPARE(plan->scrubbed(QByteArrayView(text)), expected);
        for (const qsizetype size : {1, 2, 3, 5, 64, 1000})
            QCOMPARE(scrubInPieces(plan, text, size), expected);
    }

    void namesOfTheRecordAreScrubbedToo()
    {
        const auto plan = planOf({{"KEY", "hunter2hunter2"}});
        QCOMPARE(plan->scrubbed(QStringLiteral("a/hunter2hunter2.txt")), QStringLiteral("a/[secret KEY].txt"));
        const Text text("It wanted %1.", {QStringLiteral("hunter2hunter2.example")});
        QCOMPARE(plan->scrubbed(text).english(), QStringLiteral("It wanted [secret KEY].example."));
        QVERIFY(plan->finds("..hunter2hunter2"));
        QVERIFY(!plan->finds("..hunter2hunter"));
    }
};

QTEST_APPLESS_MAIN(TestScrub)
#include "tst_scrub.moc"
