// SPDX-License-Identifier: Apache-2.0
// Streams that end in the middle of a form, as those of killed programs do: what is there of the value doesn't come out.
#include "scrubforms.h"
#include "scrubreference.h"

#include <QRandomGenerator>
#include <QTest>

#include <algorithm>

using namespace glovebox;
using reference::Secret;

namespace {

// The reference is slow, and is not what sanitizers look at.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int turns = 1, referenceEach = 8;
#else
constexpr int turns = 2, referenceEach = 2;
#endif

QByteArray streamed(const std::vector<Secret> &secrets, const QByteArray &text)
{
    const auto plan = reference::planOf(secrets);
    const QByteArray out = reference::scrubInPieces(plan, text, text.size() + 1);
    for (const qsizetype size : {1, 2, 3, 7}) {
        if (reference::scrubInPieces(plan, text, size) != out)
            return "depends on the pieces";
    }
    return out == reference::scrubbed(secrets, text) ? out : "isn't what the reference gives: " + out;
}

// How many characters of the value a beginning of one of its forms tells, at least.
qsizetype told(const forms::Form &form, const QByteArray &value, const QByteArray &beginning)
{
    for (qsizetype bytes = value.size(); bytes > 0; --bytes) {
        const QByteArray written = form.of(value.first(bytes));
        if (!written.isEmpty() && beginning.startsWith(written))
            return forms::characters(value.first(bytes)).size();
    }
    return 0;
}

} // namespace

class TestScrubEnds : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void noBeginningOfAFormIsShown_data()
    {
        QTest::addColumn<quint32>("limit");
        QTest::newRow("ASCII") << 0x80U;
        QTest::newRow("European") << 0x500U;
        QTest::newRow("all of Unicode") << 0x110000U;
    }
    void noBeginningOfAFormIsShown()
    {
        QFETCH(quint32, limit);
        QRandomGenerator random(limit + 1);
        for (int turn = 0; turn < turns; ++turn) {
            const QByteArray value = forms::randomText(random, 8 + random.bounded(12), limit);
            const auto plan = reference::planOf({{"KEY", value}});
            for (const forms::Form &form : forms::all()) {
                const QByteArray written = form.of(value);
                for (qsizetype size = 1; size < written.size(); ++size) {
                    const QByteArray text = "(" + written.first(size);
                    const QByteArray out = reference::scrubInPieces(plan, text, text.size());
                    const auto what = [&] {
                        return QByteArray(form.name) + " of " + value.toPercentEncoding() + ": "
                               + text.toPercentEncoding() + " gives " + out.toPercentEncoding();
                    };
                    QByteArray left = out;
                    left.replace("[part of secret KEY]", "").replace("[secret KEY]", "");
                    if (left.size() == out.size())
                        QVERIFY2(told(form, value, written.first(size)) <= 3, what());
                    else
                        QVERIFY2(left.size() <= 4 + form.left, what()); // with the "&#x" of a number
                    for (const qsizetype piece : {1, 3})
                        QVERIFY2(reference::scrubInPieces(plan, text, piece) == out, what());
                    if (turn == 0 && size % referenceEach == 0)
                        QVERIFY2(reference::scrubbed({{"KEY", value}}, text) == out, what());
                }
            }
        }
    }

    void atMostThreeBytesAndHalfOfAValueAreShown()
    {
        const QByteArray all = "9a7QxK2m";
        for (qsizetype size = 4; size <= all.size(); ++size) {
            const QByteArray value = all.first(size);
            QByteArray backwards = value;
            std::reverse(backwards.begin(), backwards.end());
            for (qsizetype cut = 1; cut < size; ++cut) {
                const bool isShown = cut <= 3 && 2 * cut <= size;
                for (const QByteArray &text : {value, backwards})
                    QCOMPARE(streamed({{"PIN", value}}, "x" + text.first(cut)),
                             "x" + (isShown ? text.first(cut) : QByteArray("[part of secret PIN]")));
            }
        }
        QCOMPARE(streamed({{"KEY", all}}, all.toHex().first(6)), all.toHex().first(6));
        QCOMPARE(streamed({{"KEY", all}}, all.toHex().first(7)), QByteArray("[part of secret KEY]"));
        QCOMPARE(streamed({{"KEY", all}}, all.toBase64().first(4)), all.toBase64().first(4));
        QCOMPARE(streamed({{"KEY", all}}, all.toBase64().first(5)), QByteArray("[part of secret KEY]"));
    }

    void whatIsInTheMiddleOfAnEscapeOrAJointIsToo()
    {
        const QByteArray value = "K=\"3\n&\\x%y'zW0";
        for (const QByteArray &text : QList<QByteArray>{"K=\"3\n",
                                                        "K=\\\"3\\",
                                                        "K=\\\"3\\n&\\",
                                                        "%4b%3d%22%33%",
                                                        "%4b%3d%22%33%0",
                                                        "K&#61;&quot;3&#1",
                                                        "K&#61;&quot;3&",
                                                        "K=3D=223=",
                                                        "K=3D=223=0",
                                                        "K=3D=223=\r",
                                                        "'K=\"3' + ",
                                                        "4b3d2233\r",
                                                        "4b3d2233\\",
                                                        "4b3d22330",
                                                        "4b 3d 22 33",
                                                        "4b 3d 22 33 ",
                                                        "4b 3d 22 33 0",
                                                        "0x4b, 0x3d, 0x22, 0x33, 0x",
                                                        "75, 61, 34, 51",
                                                        "75, 61, 34, 51, ",
                                                        "75, 61, 34, 51, 1",
                                                        "\\x4b\\x3d\\x22\\x33\\x0",
                                                        "\\u004b\\u003d\\u0022\\u0033\\u000",
                                                        "\\113\\075\\042\\063\\01",
                                                        "\\u{4b}\\u{3d}\\u{22}\\u{33}\\u{a",
                                                        value.toBase64().first(5) + "\r"}) {
            const QByteArray out = streamed({{"KEY", value}}, "-> " + text);
            const qsizetype opening =
                text.startsWith('\'') || text.startsWith("0x") ? 2 : 0; // what the form doesn't begin with
            QVERIFY2(out.endsWith("[part of secret KEY]") && out.size() <= 23 + opening, text + " gives " + out);
        }
    }

    void whatGoesOnInAnotherWayIsShown()
    {
        const std::vector<Secret> secrets{{"KEY", "sk-live-0123456789"}};
        for (const QByteArray &text :
             QList<QByteArray>{"sk-live-\n", "sk-live-01234567 ", "sk-live.", "736b2d6c697665 z", "", "s", "desk",
                               "ask-", "%73%6b%2", "\\", "Ask: "})
            QCOMPARE(streamed(secrets, text), text);
        // As are names and sentences, which nobody cuts off.
        for (const QByteArray text : {"sk-live-0123", "736b2d6c6976"})
            QCOMPARE(reference::planOf(secrets)->scrubbed(QByteArrayView(text)), text);
        QVERIFY(!reference::planOf(secrets)->finds("sk-live-0123"));
    }

    void whoseBeginningStandsThereIsNamed()
    {
        // Of those that begin alike the one that was lent first.
        QCOMPARE(streamed({{"A", "token-1-abc"}, {"B", "token-2-abc"}}, "token-"), QByteArray("[part of secret A]"));
        QCOMPARE(streamed({{"A", "token-1-abc"}, {"B", "token-2-abc"}}, "token-2"), QByteArray("[part of secret B]"));
        // A whole value, and a longer one that it begins.
        const std::vector<Secret> prefixes{{"A", "abcdefgh"}, {"B", "abcdefghijkl"}};
        QCOMPARE(streamed(prefixes, "-abcdefgh"), QByteArray("-[secret A]"));
        QCOMPARE(streamed(prefixes, "-abcdefghij"), QByteArray("-[secret A][part of secret B]"));
        // And one with an end that could join strings.
        QCOMPARE(streamed({{"A", "abcdefgh'"}}, "abcdefgh'\n"), QByteArray("[secret A]"));
        QCOMPARE(streamed(prefixes, "-abcdefghijkl"), QByteArray("-[secret B]"));
        QCOMPARE(streamed(prefixes, "-abcdefghij-"), QByteArray("-[secret A]ij-"));
        // A whole value within a beginning, and one that reaches into it.
        QCOMPARE(streamed({{"A", "cdef"}, {"B", "abcdefghijkl"}}, "-abcdefgh"), QByteArray("-[part of secret B]"));
        QCOMPARE(streamed({{"A", "12345678"}, {"B", "5678abcdef"}}, "-12345678ab"),
                 QByteArray("-[secret A][part of secret B]"));
        QCOMPARE(streamed({{"A", "abababab"}}, "-ababababab"), QByteArray("-[secret A]"));
        QCOMPARE(streamed({{"A", "abcdefgh"}}, "-abcdefghabcdef"), QByteArray("-[secret A][part of secret A]"));
        // The half of a short value behind what is too little of a long one.
        QCOMPARE(streamed({{"LONG", "xyzabcdefgh"}, {"PIN", "yz12"}}, "-xyz"), QByteArray("-xyz"));
        QCOMPARE(streamed({{"LONG", "wxyzabcdefgh"}, {"PIN", "xyz1"}}, "-wxyz"), QByteArray("-[part of secret LONG]"));
        QCOMPARE(streamed({{"LONG", "12xyzabcdefgh"}, {"PIN", "2xyz"}}, "-12xy"), QByteArray("-[part of secret LONG]"));
        QCOMPARE(streamed({{"LONG", "a12xyzabcdefgh"}, {"PIN", "a123"}}, "-a12"), QByteArray("-[part of secret PIN]"));
    }

    void valuesWithLinesAndBytesOfAllKinds()
    {
        QCOMPARE(
            streamed({{"KEY", "-----BEGIN KEY-----\nMm9ZaXBQ\n-----END KEY-----"}}, "x\n-----BEGIN KEY-----\r\nMm9Z"),
            QByteArray("x\n[part of secret KEY]"));
        QCOMPARE(streamed({{"KEY", QByteArray("\0\0\0\0\xff\xfe\x80\0\1\2", 10)}}, QByteArray("a\0\0\0\0", 5)),
                 QByteArray("a[part of secret KEY]"));
        // What stands for any character in names of Unicode is nothing in other streams.
        const std::vector<Secret> accents{{"KEY", "ab\xc3\xa9\xc3\xa8\xc3\xa7pqrstu"}};
        QCOMPARE(reference::scrubInPieces(reference::planOf(accents), "(ab\xff\xff\xff", 1),
                 QByteArray("(ab\xff\xff\xff"));
        QCOMPARE(streamed(accents, "(ab\\N{EM DASH}\\N{EN DASH}\\N{"), QByteArray("([part of secret KEY]"));
    }

    void manySecretsEndInTheirOwnNames()
    {
        QRandomGenerator random(257);
        std::vector<Secret> secrets;
        for (int i = 0; i < 256; ++i)
            secrets.push_back(
                {"S" + QByteArray::number(i), forms::randomBytes(random, 8 + random.bounded(56), forms::letters)});
        const auto plan = reference::planOf(secrets);
        for (const Secret &secret : secrets) {
            for (const QByteArray &form : {secret.value, secret.value.toHex(), secret.value.toPercentEncoding()}) {
                for (const qsizetype size : {1, 1000})
                    QCOMPARE(reference::scrubInPieces(plan, "<" + form.chopped(1), size),
                             "<[part of secret " + secret.name + ']');
            }
        }
    }

    void everyEndOfAnyStreamIsWhatTheReferenceGives()
    {
        QRandomGenerator random(7);
        for (int turn = 0; turn < 24; ++turn) {
            const QByteArray alphabet = turn % 3 == 0   ? QByteArray("ab\\")
                                        : turn % 3 == 1 ? QByteArray("a%4\\n/A'x0 ,=&\r")
                                                        : forms::letters;
            std::vector<Secret> secrets;
            for (int i = 0; i < 1 + turn % 4; ++i)
                secrets.push_back(
                    {"S" + QByteArray::number(i), forms::randomBytes(random, 4 + random.bounded(12), alphabet)});
            const auto plan = reference::planOf(secrets);
            QByteArray text = forms::randomBytes(random, random.bounded(20), alphabet);
            for (int i = 0; i < 3; ++i) {
                const QByteArray &value = secrets[random.bounded(int(secrets.size()))].value;
                const QByteArray written = forms::all()[random.bounded(int(forms::all().size()))].of(value);
                text += written.first(random.bounded(int(written.size()) + 1));
            }
            for (qsizetype end = 1; end <= text.size(); ++end) {
                const QByteArray expected = reference::scrubbed(secrets, text.first(end));
                for (const qsizetype size : {1, 3, 1000})
                    QVERIFY2(reference::scrubInPieces(plan, text.first(end), size) == expected,
                             text.first(end).toPercentEncoding() + " gives "
                                 + reference::scrubInPieces(plan, text.first(end), size).toPercentEncoding() + ", not "
                                 + expected.toPercentEncoding() + " of " + secrets[0].value.toPercentEncoding());
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestScrubEnds)
#include "tst_scrubends.moc"
