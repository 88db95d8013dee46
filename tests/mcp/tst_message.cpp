// SPDX-License-Identifier: Apache-2.0
// One message is read strictly: what is wrong has an error with its own code, and an id comes back as it was written.
#include "engine/mcp/protocol/wire/message.h"

#include <QTest>

using namespace Qt::StringLiterals;
using namespace glovebox::mcp;

class TestMessage : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void idsComeBackAsTheyWereWritten_data()
    {
        QTest::addColumn<QByteArray>("id");
        for (const char *id :
             {"1", "0", "-7", "9007199254740991", "1.0", "1e3", "\"a\"", "\"\"", "\"\\u0061\\n\\\"\"", "\"\xC3\xA4\""})
            QTest::addRow("%s", id) << QByteArray(id);
    }
    void idsComeBackAsTheyWereWritten()
    {
        QFETCH(QByteArray, id);
        const MessageText read = readMessage("{\"params\":{\"id\":5,\"x\":[\"}\",{\"id\":6}]}, \"id\" : " + id
                                             + " ,\"jsonrpc\":\"2.0\",\"method\":\"ping\"}");
        QCOMPARE(read.messages.size(), 1U);
        QVERIFY(read.messages[0]);
        QCOMPARE(read.messages[0]->kind, Message::Kind::Request);
        QCOMPARE(resultText(read.messages[0]->id, {}), "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":{}}");
    }

    // As Windows programs begin a text with it; an answer without its id would be no JSON.
    void aByteOrderMarkIsNoPartOfTheMessage()
    {
        const MessageText read = readMessage("\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}");
        QVERIFY(read.messages[0]);
        QCOMPARE(resultText(read.messages[0]->id, {}), R"({"jsonrpc":"2.0","id":7,"result":{}})"_ba);
        const MessageText batch = readMessage("\xEF\xBB\xBF[{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"ping\"}]");
        QVERIFY(batch.isBatch && batch.messages[0]);
        QCOMPARE(batch.messages[0]->id.json, "8"_ba);
        for (const char *text : {"[{}]", "[{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}]",
                                 "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}"})
            QVERIFY(!readMessage(QByteArray("\xEF\xBB\xBF\xEF\xBB\xBF") + text).messages[0]); // and ends
    }

    // Both sides would go on answering for ever.
    void anErrorAboutNoMessageIsAResponse()
    {
        for (const char *id : {"", "\"id\":null,"}) {
            const MessageText read = readMessage("{\"jsonrpc\":\"2.0\"," + QByteArray(id)
                                                 + "\"error\":{\"code\":-32700,\"message\":\"what?\"}}");
            QVERIFY(read.messages[0]);
            QCOMPARE(read.messages[0]->kind, Message::Kind::Response);
            QVERIFY(read.messages[0]->error && read.messages[0]->id.json.isEmpty());
        }
        QVERIFY(!readMessage(R"({"jsonrpc":"2.0","id":null,"result":{}})").messages[0]);
        QVERIFY(!readMessage(R"({"jsonrpc":"2.0","error":7})").messages[0]);
    }

    void wrongMessagesHaveTheirOwnErrors_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("code");
        QTest::newRow("no JSON") << "{\"jsonrpc\":"_ba << ErrorNumber::parse;
        QTest::newRow("empty") << ""_ba << ErrorNumber::parse;
        QTest::newRow("no UTF-8") << "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}"_ba << ErrorNumber::parse;
        QTest::newRow("half a surrogate")
            << "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xed\xa0\x80\"}"_ba << ErrorNumber::parse;
        for (const char *value : {"\"ping\"", "5", "null", " true\t"}) // JSON, and no message
            QTest::newRow(value) << QByteArray(value) << ErrorNumber::invalidRequest;
        QTest::newRow("two values") << "5,6"_ba << ErrorNumber::parse;
        QTest::newRow("an empty batch") << "[]"_ba << ErrorNumber::invalidRequest;
        QTest::newRow("no version") << R"({"id":1,"method":"ping"})"_ba << ErrorNumber::invalidRequest;
        QTest::newRow("version 1.0") << R"({"jsonrpc":"1.0","id":1,"method":"ping"})"_ba << ErrorNumber::invalidRequest;
        QTest::newRow("no method") << R"({"jsonrpc":"2.0","id":1})"_ba << ErrorNumber::invalidRequest;
        QTest::newRow("result and error")
            << R"({"jsonrpc":"2.0","id":1,"result":{},"error":{}})"_ba << ErrorNumber::invalidRequest;
        QTest::newRow("method of a wrong type")
            << R"({"jsonrpc":"2.0","id":1,"method":1})"_ba << ErrorNumber::invalidRequest;
        QTest::newRow("params of a wrong type")
            << R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[]})"_ba << ErrorNumber::invalidParams;
        QTest::newRow("_meta of a wrong type")
            << R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":1}})"_ba << ErrorNumber::invalidParams;
        QTest::newRow("a key twice") << R"({"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"})"_ba
                                     << ErrorNumber::invalidRequest;
        QTest::newRow("a key twice, escaped")
            << R"({"jsonrpc":"2.0","id":1,"i\u0064":2,"method":"ping"})"_ba << ErrorNumber::invalidRequest;
        for (const char *id : {"null", "true", "false", "{}", "[]", "[1]", "1.5", "1e300", "9007199254740993"})
            QTest::addRow("id %s", id) << "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":" + QByteArray(id) + '}'
                                       << ErrorNumber::invalidRequest;
        QTest::newRow("deep") << "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":" + QByteArray(2000, '[')
                                     + QByteArray(2000, ']') + '}'
                              << ErrorNumber::parse;
    }
    void wrongMessagesHaveTheirOwnErrors()
    {
        QFETCH(QByteArray, text);
        QFETCH(int, code);
        const MessageText read = readMessage(text);
        QCOMPARE(read.messages.size(), 1U);
        QVERIFY(!read.messages[0]);
        QCOMPARE(read.messages[0].error().code, code);
        QVERIFY(read.messages[0].error().message.endsWith(u'.') || code == ErrorNumber::parse);
    }

    // An error names the request, wherever its id could be read.
    void errorsNameTheirRequest()
    {
        const MessageText read = readMessage(R"({"jsonrpc":"2.0","id":"x","method":1})");
        QVERIFY(errorText(read.messages[0].error(), true).contains("\"id\":\"x\""));
        const MessageText nameless = readMessage("{");
        QVERIFY(errorText(nameless.messages[0].error(), true).startsWith(R"({"jsonrpc":"2.0","id":null,"error")"));
        QVERIFY(errorText(nameless.messages[0].error(), false).startsWith(R"({"jsonrpc":"2.0","error")"));
    }

    void aBatchIsReadPieceByPiece()
    {
        const MessageText read =
            readMessage(R"( [ {"jsonrpc":"2.0","id":1e0,"method":"a"}, 5 ,{"jsonrpc":"2.0","method":"b"}] )");
        QVERIFY(read.isBatch);
        QCOMPARE(read.messages.size(), 3U);
        QCOMPARE(read.messages[0]->id.json, "1e0"_ba);
        QCOMPARE(read.messages[1].error().code, ErrorNumber::invalidRequest);
        QCOMPARE(read.messages[2]->kind, Message::Kind::Notification);
        QCOMPARE(readMessage('[' + QByteArray("1,").repeated(batchMax) + "1]").messages.size(), 1U);
    }

    void linesComeWholeHoweverTheyAreCut()
    {
        const QByteArray stream = "one\r\n\n  \ntwo\nthree";
        for (qsizetype step = 1; step <= stream.size(); ++step) {
            LineReader reader;
            QByteArrayList lines;
            for (qsizetype at = 0; at < stream.size(); at += step) {
                reader.feed(QByteArrayView(stream).sliced(at, std::min(step, stream.size() - at)));
                while (const auto line = reader.next())
                    lines.append(line->value());
            }
            QCOMPARE(lines, (QByteArrayList{"one", "two"}));
        }
    }

    // However long a line is, it takes no more memory than a message may have, is told once, and the next line is read.
    void aLineThatIsTooLongIsToldOnce()
    {
        LineReader reader;
        const QByteArray piece(1024 * 1024, 'x');
        int told = 0;
        for (int i = 0; i < 100; ++i) {
            reader.feed(piece);
            while (const auto line = reader.next()) {
                QVERIFY(!*line);
                QCOMPARE(line->error().code, ErrorNumber::invalidRequest);
                ++told;
            }
        }
        QCOMPARE(told, 1);
        reader.feed("\nnext\n");
        QCOMPARE(reader.next()->value(), "next"_ba);
        QVERIFY(!reader.next());
        reader.feed(QByteArray(messageMax, 'y') + "\r\n" + QByteArray(messageMax + 1, 'z') + "\nlast\n");
        QCOMPARE(reader.next()->value().size(), messageMax);
        QVERIFY(!*reader.next());
        QCOMPARE(reader.next()->value(), "last"_ba);
    }
};

QTEST_GUILESS_MAIN(TestMessage)
#include "tst_message.moc"
