// SPDX-License-Identifier: Apache-2.0
// One spelling for what is hashed, and no doubt about what is read.
#include "engine/base/base.h"

#include <QJsonArray>
#include <QTest>

#include <limits>

using namespace glovebox;
using namespace Qt::StringLiterals;

Q_DECLARE_METATYPE(QJsonValue)

namespace {

QByteArray nested(int levels)
{
    return QByteArray("{\"a\":").repeated(levels - 1) + "{}" + QByteArray("}").repeated(levels - 1);
}

} // namespace

class TestJson : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void writesSortedAndWithoutSpace()
    {
        const QJsonObject object{{u"b"_s, QJsonArray{1, true, QJsonValue(QJsonValue::Null), u"x"_s}},
                                 {u"a"_s, QJsonObject{{u"z"_s, -5}, {u"y"_s, false}}},
                                 {u""_s, 0}};
        QCOMPARE(canonicalJson(object).value(), R"({"":0,"a":{"y":false,"z":-5},"b":[1,true,null,"x"]})");
    }

    // The example of RFC 8785, section 3.2.3: U+FB33 sorts after the surrogates of U+1F600, although its code point is lower.
    void sortsKeysByUtf16CodeUnits()
    {
        QJsonObject object;
        const QStringList sorted{u"\r"_s, u"1"_s, u"\u0080"_s, u"\u00f6"_s, u"\u20ac"_s, u"\U0001f600"_s, u"\ufb33"_s};
        for (const QString &key : sorted)
            object.insert(key, 1);
        QByteArray expected = "{";
        for (const QString &key : sorted)
            expected += "\"" + (key == u"\r" ? QByteArray("\\r") : key.toUtf8()) + "\":1,";
        expected.back() = '}';
        QCOMPARE(canonicalJson(object).value(), expected);
    }

    void escapesOnlyWhatItMust()
    {
        const QString text = u"\"\\/\b\t\n\f\r\u0000\u001f\u007f\u00e4\u2028"_s;
        QCOMPARE(canonicalJson({{u"k"_s, text}}).value(),
                 "{\"k\":\"\\\"\\\\/\\b\\t\\n\\f\\r\\u0000\\u001f\x7f\xc3\xa4\xe2\x80\xa8\"}");
    }

    void refusesNumbersThatOthersWouldReadDifferently_data()
    {
        QTest::addColumn<QJsonValue>("value");
        QTest::addColumn<QByteArray>("written");
        QTest::newRow("largest") << QJsonValue(qint64(9007199254740991)) << QByteArray("9007199254740991");
        QTest::newRow("smallest") << QJsonValue(qint64(-9007199254740991)) << QByteArray("-9007199254740991");
        QTest::newRow("whole double") << QJsonValue(1e15) << QByteArray("1000000000000000");
        QTest::newRow("minus zero") << QJsonValue(-0.0) << QByteArray("0");
        QTest::newRow("too large") << QJsonValue(qint64(9007199254740992)) << QByteArray();
        QTest::newRow("too small") << QJsonValue(std::numeric_limits<qint64>::min()) << QByteArray();
        QTest::newRow("fraction") << QJsonValue(1.5) << QByteArray();
        QTest::newRow("small fraction") << QJsonValue(1e-7) << QByteArray();
        QTest::newRow("huge") << QJsonValue(1e300) << QByteArray();
    }
    void refusesNumbersThatOthersWouldReadDifferently()
    {
        QFETCH(QJsonValue, value);
        QFETCH(QByteArray, written);
        const auto json = canonicalJson({{u"n"_s, value}});
        QCOMPARE(json.has_value(), !written.isEmpty());
        if (json)
            QCOMPARE(*json, "{\"n\":" + written + "}");
        else
            QCOMPARE(json.error().code, ErrorCode::InvalidInput);
    }

    void refusesHalfCharacters()
    {
        QVERIFY(!canonicalJson({{u"k"_s, QString(QChar(0xd83d))}}));
        QVERIFY(!canonicalJson({{u"k"_s, QString(QChar(0xde00)) + QChar(0xd83d)}}));
        QVERIFY(!canonicalJson({{QString(QChar(0xd83d)), 1}}));
        QCOMPARE(canonicalJson({{u"k"_s, u"\U0001f600"_s}}).value(), "{\"k\":\"\xf0\x9f\x98\x80\"}");
    }

    void nestsSixtyFourLevelsAndNoMore()
    {
        const auto deepest = parseStrictJson(nested(64));
        QVERIFY(deepest);
        QCOMPARE(canonicalJson(*deepest).value(), nested(64));
        QVERIFY(!canonicalJson({{u"a"_s, *deepest}}));
        QVERIFY(!parseStrictJson(nested(65)));
        QVERIFY(!parseStrictJson("{\"a\":" + QByteArray("[").repeated(1'000'000)));
    }

    void readsWhatItWrites()
    {
        const QJsonObject object{
            {u"text"_s, u"\u00e4\n\"\\\U0001f600"_s},
            {u"list"_s, QJsonArray{0, -1, true, false, QJsonValue(QJsonValue::Null), QJsonArray{}}},
            {u"object"_s, QJsonObject{}}};
        QCOMPARE(parseStrictJson(canonicalJson(object).value()).value(), object);
    }

    void readsSpaceAndEscapes()
    {
        const auto object = parseStrictJson(
            " \t\r\n{ \"a\" : [ 1 , 2 ] , \"\\u0062\":\"\\ud83d\\uDE00\\/\\b\\f\\n\\r\\t\\\"\\\\\"} \n");
        QVERIFY(object);
        QCOMPARE(object->value(u"a"_s), QJsonValue(QJsonArray{1, 2}));
        QCOMPARE(object->value(u"b"_s).toString(), u"\U0001f600/\b\f\n\r\t\"\\"_s);
    }

    void saysWhereTheTextIsWrong_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("where");
        const auto row = [](const char *name, const char *text, const QString &where) {
            QTest::newRow(name) << QByteArray(text) << where;
        };
        row("empty", "", u"Line 1, column 1:"_s);
        row("array", "[1]", u"Line 1, column 1:"_s);
        row("byte order mark", "\xef\xbb\xbf{}", u"Line 1, column 1:"_s);
        row("rest", "{} x", u"Line 1, column 4:"_s);
        row("second object", "{}{}", u"Line 1, column 3:"_s);
        row("duplicate", "{\"a\":1,\n \"\\u0061\":2}", u"Line 2, column 2:"_s);
        row("trailing comma", "{\"a\":1,}", u"Line 1, column 8:"_s);
        row("list comma", "{\"a\":[1,]}", u"Line 1, column 9:"_s);
        row("no colon", "{\"a\" 1}", u"Line 1, column 6:"_s);
        row("no comma", "{\"a\":1\n\"b\":2}", u"Line 2, column 1:"_s);
        row("no value", "{\"a\":}", u"Line 1, column 6:"_s);
        row("cut off", "{\"a\":", u"Line 1, column 6:"_s);
        row("cut off in text", "{\"a", u"Line 1, column 4:"_s);
        row("cut off in escape", "{\"a\\", u"Line 1, column 4:"_s);
        row("cut off in list", "{\"a\":[1", u"Line 1, column 8:"_s);
        row("comment", "{/**/}", u"Line 1, column 2:"_s);
        row("single quotes", "{'a':1}", u"Line 1, column 2:"_s);
        row("NaN", "{\"a\":NaN}", u"Line 1, column 6:"_s);
        row("minus zero", "{\"a\":-0}", u"Line 1, column 6:"_s);
        row("point", "{\"a\":1.0}", u"Line 1, column 6:"_s);
        row("exponent", "{\"a\":1e3}", u"Line 1, column 6:"_s);
        row("plus", "{\"a\":+1}", u"Line 1, column 6:"_s);
        row("minus alone", "{\"a\":-}", u"Line 1, column 6:"_s);
        row("leading zero", "{\"a\":01}", u"Line 1, column 6:"_s);
        row("too large", "{\"a\":9007199254740992}", u"Line 1, column 6:"_s);
        row("far too large", "{\"a\":-99999999999999999999999999}", u"Line 1, column 6:"_s);
        row("control character", "{\"a\":\"x\ny\"}", u"Line 1, column 8:"_s);
        row("bad escape", "{\"\xc3\xa4\":\"\\x41\"}", u"Line 1, column 7:"_s);
        row("bad hex", "{\"a\":\"\\u00g0\"}", u"Line 1, column 7:"_s);
        row("high surrogate alone", "{\"a\":\"\\ud83dx\"}", u"Line 1, column 7:"_s);
        row("low surrogate alone", "{\"a\":\"\\ude00\"}", u"Line 1, column 7:"_s);
        row("two high surrogates", "{\"a\":\"\\ud83d\\ud83d\"}", u"Line 1, column 7:"_s);
        row("stray continuation", "{\"a\":\"\x80\"}", u"Line 1, column 7:"_s);
        row("overlong", "{\"a\":\"\xc0\xaf\"}", u"Line 1, column 7:"_s);
        row("overlong three", "{\"a\":\"\xe0\x80\xaf\"}", u"Line 1, column 7:"_s);
        row("surrogate in UTF-8", "{\"a\":\"\xed\xa0\x80\"}", u"Line 1, column 7:"_s);
        row("beyond Unicode", "{\"a\":\"\xf4\x90\x80\x80\"}", u"Line 1, column 7:"_s);
        row("cut off UTF-8", "{\"a\":\"\xe2\x82", u"Line 1, column 7:"_s);
        QTest::newRow("NUL") << QByteArray("{\"a\":1}\0", 8) << u"Line 1, column 8:"_s;
    }
    void saysWhereTheTextIsWrong()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, where);
        const auto object = parseStrictJson(text);
        QVERIFY(!object);
        QCOMPARE(object.error().code, ErrorCode::InvalidInput);
        const QString message = object.error().message.english();
        QVERIFY2(message.startsWith(where), qPrintable(message));
    }

    // Every cut and every changed byte of a valid text is read or refused, never more.
    void survivesMangledText()
    {
        const QByteArray whole = "{\"a\":[1,{\"b\":\"\\ud83d\\ude00\xc3\xa4\"}],\"c\":null,\"d\":-12}";
        for (qsizetype at = 0; at < whole.size(); ++at) {
            QVERIFY(!parseStrictJson(whole.first(at)));
            for (int byte = 0; byte < 256; ++byte) {
                QByteArray changed = whole;
                changed[at] = char(byte);
                if (const auto object = parseStrictJson(changed))
                    QVERIFY(canonicalJson(*object));
            }
        }
    }

    void bytesBecomeTextForPeople()
    {
        QCOMPARE(textFromBytes("plain \xc3\xa4"), u"plain \u00e4"_s);
        QCOMPARE(textFromBytes("a\xff\xc3(\xe2\x82"), u"a\\xff\\xc3(\\xe2\\x82"_s);
        QCOMPARE(textFromBytes(QByteArrayView("\0\x01", 2)), QString::fromLatin1("\0\x01", 2));
        QCOMPARE(textFromBytes({}), QString());
    }
};

QTEST_GUILESS_MAIN(TestJson)
#include "tst_json.moc"
