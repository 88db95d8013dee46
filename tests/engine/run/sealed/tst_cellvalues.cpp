// SPDX-License-Identifier: Apache-2.0
// The value of a cell's last expression: as the languages show it, bounded, and whatever the code of the cell makes of it.
#include "lentfixture.h"

#include "engine/run/grants/lentsecrets.h"

#include <QJsonObject>

using namespace glovebox;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class TestCellValues : public LentFixture
{
    Q_OBJECT

    RunRequest cell(const QByteArray &code, const QByteArray &language)
    {
        RunRequest wanted = request(language, code, {});
        wanted.session = m_session;
        wanted.isStateful = true;
        return wanted;
    }
    std::shared_ptr<const RunResult> runCell(const QByteArray &code, const QByteArray &language = "python")
    {
        return m_engine->start(cell(code, language))->wait();
    }
    static std::optional<QByteArray> textOf(const RunResult &result)
    {
        return result.value ? std::optional(result.value->text) : std::nullopt;
    }
    // Finds the driver's channel and the tag of the cell that runs.
    static QByteArray forging(const QByteArray &answer)
    {
        return "import os, sys\n"
               "frame = sys._getframe()\n"
               "while 'tag' not in frame.f_locals: frame = frame.f_back\n"
               "channel, tag = frame.f_globals['channel'], frame.f_locals['tag']\n"
               + answer;
    }

    QString m_session;

private Q_SLOTS:
    void initTestCase() { open(); }
    void init() { m_session = m_engine->createSession({}, m_engine->caller()).value().id; }
    void cleanupTestCase() { m_engine.reset(); }

    void aValueIsShownAsItsLanguageShowsIt_data()
    {
        QTest::addColumn<QByteArray>("language");
        QTest::addColumn<QByteArray>("code");
        QTest::addColumn<QByteArray>("value"); // empty: none
        QTest::addColumn<QByteArray>("out");
        QTest::addColumn<int>("status");
        const auto python = [](const char *name, const char *code, const char *value, const char *out, int status = 0) {
            QTest::addRow("python, %s", name)
                << QByteArray("python") << QByteArray(code) << QByteArray(value) << QByteArray(out) << status;
        };
        const auto node = [](const char *name, const char *code, const char *value, const char *out, int status = 0) {
            QTest::addRow("node, %s", name)
                << QByteArray("node") << QByteArray(code) << QByteArray(value) << QByteArray(out) << status;
        };
        python("number", "x = 6\nx * 7", "42", "42\n");
        python("after output", "print('out')\n'in'", "'in'", "out\n'in'\n");
        python("statement", "x = 42", "", "");
        python("nothing", "None", "", "");
        python("awaited", "await __import__('asyncio').sleep(0, 'done')", "'done'", "'done'\n");
        python("exception", "42\n1 / 0", "", "", 1);
        python("exit", "42\nraise SystemExit(0)", "", "");
        python("beyond ASCII", "'gr\xc3\xbcn \xf0\x9f\x98\x80'", "'gr\xc3\xbcn \xf0\x9f\x98\x80'",
               "'gr\xc3\xbcn \xf0\x9f\x98\x80'\n");
        python("bytes", "b'\\0\\xff'", "b'\\x00\\xff'", "b'\\x00\\xff'\n");
        python("half a pair", "'a\\ud83d'", "'a\\ud83d'", "'a\\ud83d'\n");
        python("half a pair, as it is", "class A:\n    def __repr__(self): return 'a\\ud83d\\0'\nA()", "a\\ud83d",
               "a\\ud83d");
        python("several lines", "class A:\n    def __repr__(self): return 'a\\nb\\n'\nA()", "a\nb\n", "a\nb\n\n");
        python("text of another class",
               "class S(str):\n    def encode(self, *_): raise ValueError\n    def __getitem__(self, _): raise "
               "ValueError\n"
               "class A:\n    def __repr__(self): return S('mine')\nA()",
               "mine", "mine\n");
        python("that prints", "class A:\n    def __repr__(self): print('once'); return 'A'\nA()", "A", "once\nA\n");
        python("that raises", "class A:\n    def __repr__(self): raise ValueError('sour')\nA()", "", "", 1);
        python("that is no text", "class A:\n    def __repr__(self): return 7\nA()", "", "", 1);
        python("that ends the cell", "class A:\n    def __repr__(self): raise SystemExit(3)\nA()", "", "", 3);
        python("shown by a hook of its own", "import sys\nsys.displayhook = lambda value: print('hook', value)\n6 * 7",
               "42", "hook 42\n");
        python("shown by a hook before ours",
               "import sys\ndef hook(value, ours=sys.displayhook): print('hook'); ours(value)\nsys.displayhook = "
               "hook\n6 * 7",
               "42", "hook\n42\n");
        node("number", "const x = 6; x * 7", "42", "42\n");
        node("after output", "console.log('out'); 'in'", "'in'", "out\n'in'\n");
        node("statement", "const x = 42", "", "");
        node("nothing", "undefined", "", "");
        node("null", "null", "null", "null\n");
        node("awaited", "await Promise.resolve({ a: [1, 2n] })", "{ a: [ 1, 2n ] }", "{ a: [ 1, 2n ] }\n");
        node("exception", "42; throw new Error('sour')", "", "", 1);
        node("beyond ASCII", "'gr\xc3\xbcn \xf0\x9f\x98\x80'", "'gr\xc3\xbcn \xf0\x9f\x98\x80'",
             "'gr\xc3\xbcn \xf0\x9f\x98\x80'\n");
        node("bytes", "Buffer.from([0, 255])", "<Buffer 00 ff>", "<Buffer 00 ff>\n");
        node("half a pair, as it is", "({ [Symbol.for('nodejs.util.inspect.custom')]: () => 'a\\ud83db' })",
             "a\xef\xbf\xbd"
             "b",
             "a\xef\xbf\xbd"
             "b\n");
        node("that prints",
             "({ [Symbol.for('nodejs.util.inspect.custom')]: () => { console.log('once'); return 'A'; } })", "A",
             "once\nA\n");
        node("that throws", "({ [Symbol.for('nodejs.util.inspect.custom')]: () => { throw new Error('sour'); } })", "",
             "", 1);
        node("thrown, that throws",
             "throw { [Symbol.for('nodejs.util.inspect.custom')]: () => { throw new Error('sour'); } }", "", "", 1);
    }
    void aValueIsShownAsItsLanguageShowsIt()
    {
        QFETCH(QByteArray, language);
        QFETCH(QByteArray, code);
        QFETCH(QByteArray, value);
        QFETCH(QByteArray, out);
        QFETCH(int, status);
        RunRequest wanted = cell(code, language);
        wanted.policy.limits.wall = 10s;
        const auto result = m_engine->start(wanted)->wait();
        QVERIFY2(result->exitCode == status,
                 qPrintable(result->reason.english() + QString::fromUtf8(result->err.kept())));
        if (QByteArray(QTest::currentDataTag()) == "python, half a pair, as it is") { // a NUL isn't seen above
            value += '\0';
            out += QByteArray("\0\n", 2);
        }
        QCOMPARE(result->out.kept(), out);
        QCOMPARE(textOf(*result), value.isEmpty() ? std::nullopt : std::optional(value));
        QVERIFY(!result->value || !result->value->isCut);
        const QJsonObject object = toJson(*result);
        QCOMPARE(object["value"_L1], value.isEmpty() ? QJsonValue() : QJsonValue(QString::fromUtf8(value)));
        QCOMPARE(object["value_truncated"_L1], QJsonValue(false));
        // Whatever it was, the interpreter goes on.
        const auto next = runCell("'next'", language);
        QCOMPARE(textOf(*next), std::optional<QByteArray>("'next'"));
    }

    void ofALargeOneTheBeginningIsGiven_data()
    {
        QTest::addColumn<QByteArray>("language");
        QTest::addColumn<QByteArray>("code");
        QTest::addColumn<qsizetype>("bytes");
        QTest::addColumn<bool>("isCut");
        const QByteArray class_ =
            "class A:\n    def __init__(self, text): self.text = text\n    def __repr__(self): return self.text\n";
        const auto python = [&](const char *text) { return class_ + "A(" + text + ")"; };
        const auto node = [](const char *text) {
            return QByteArray("({ [Symbol.for('nodejs.util.inspect.custom')]: () => ") + text + " })";
        };
        const qsizetype most = maximumValueBytes;
        QTest::newRow("python, just whole") << QByteArray("python") << python("'x' * 65536") << most << false;
        QTest::newRow("python, one more") << QByteArray("python") << python("'x' * 65537") << most << true;
        QTest::newRow("python, characters") << QByteArray("python") << python("'x' + 'ü' * 40000") << most - 1 << true;
        QTest::newRow("python, much") << QByteArray("python") << python("'x' * 60_000_000") << most << true;
        QTest::newRow("node, just whole") << QByteArray("node") << node("'x'.repeat(65536)") << most << false;
        QTest::newRow("node, one more") << QByteArray("node") << node("'x'.repeat(65537)") << most << true;
        QTest::newRow("node, characters") << QByteArray("node") << node("'x' + 'ü'.repeat(40000)") << most - 1 << true;
        QTest::newRow("node, a pair in the middle")
            << QByteArray("node") << node("'x'.repeat(65535) + '\\u{1f600}'") << most - 1 << true;
        QTest::newRow("node, much") << QByteArray("node") << node("'x'.repeat(20_000_000)") << most << true;
    }
    void ofALargeOneTheBeginningIsGiven()
    {
        QFETCH(QByteArray, language);
        QFETCH(QByteArray, code);
        QFETCH(qsizetype, bytes);
        QFETCH(bool, isCut);
        const auto result = runCell(code, language);
        QVERIFY2(result->value, result->err.kept());
        QCOMPARE(result->value->text.size(), bytes);
        QCOMPARE(result->value->isCut, isCut);
        QVERIFY(QByteArrayView(result->value->text).isValidUtf8());
        QVERIFY(result->value->text.startsWith('x'));
        QCOMPARE(toJson(*result)["value_truncated"_L1], QJsonValue(isCut));
        QCOMPARE(textOf(*runCell("7", language)), std::optional<QByteArray>("7"));
    }

    void whatDoesNotCompleteHasNone_data()
    {
        QTest::addColumn<QByteArray>("language");
        QTest::addColumn<QByteArray>("code");
        QTest::addColumn<Outcome>("outcome");
        const QByteArray custom = "({ [Symbol.for('nodejs.util.inspect.custom')]: () => { ";
        QTest::newRow("python, killed by its value")
            << QByteArray("python")
            << QByteArray("class A:\n    def __repr__(self): __import__('os').kill(__import__('os').getpid(), 9)\nA()")
            << Outcome::Signalled;
        QTest::newRow("node, killed by its value")
            << QByteArray("node") << custom + "process.kill(process.pid, 'SIGKILL'); } })" << Outcome::Signalled;
        QTest::newRow("python, ended by its value")
            << QByteArray("python") << QByteArray("class A:\n    def __repr__(self): __import__('os')._exit(0)\nA()")
            << Outcome::Completed;
        QTest::newRow("python, out of time")
            << QByteArray("python") << QByteArray("while True: pass\n42") << Outcome::TimedOut;
        QTest::newRow("node, out of time") << QByteArray("node") << QByteArray("for (;;); 42") << Outcome::TimedOut;
        QTest::newRow("python, out of time in its value")
            << QByteArray("python") << QByteArray("class A:\n    def __repr__(self):\n        while True: pass\nA()")
            << Outcome::TimedOut;
        QTest::newRow("python, interrupted, which its value takes for its end")
            << QByteArray("python")
            << QByteArray("class A:\n    def __repr__(self):\n        try:\n            while True: pass\n"
                          "        except KeyboardInterrupt: return 'all the same'\nA()")
            << Outcome::TimedOut;
    }
    void whatDoesNotCompleteHasNone()
    {
        QFETCH(QByteArray, language);
        QFETCH(QByteArray, code);
        QFETCH(Outcome, outcome);
        runCell("1", language); // its start takes no time from the cell
        RunRequest wanted = cell(code, language);
        wanted.policy.limits.wall = 1500ms;
        const auto result = m_engine->start(wanted)->wait();
        QCOMPARE(toString(result->outcome), toString(outcome));
        QCOMPARE(textOf(*result), std::nullopt);
        QCOMPARE(textOf(*runCell("7", language)), std::optional<QByteArray>("7"));
    }

    void aPlainRunHasNone() { QCOMPARE(textOf(*run("python", "print(6)\n42", {})), std::nullopt); }

    // What the code says in the driver's place is bounded, and the next cell's answer is the next cell's.
    void aForgedAnswerIsBounded_data()
    {
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<std::optional<QByteArray>>("value");
        QTest::newRow("another value") << QByteArray("os.write(channel, tag + b'\\0\\4\\0\\0\\0wall')\n'none'")
                                       << std::optional<QByteArray>("all");
        QTest::newRow("no text") << QByteArray("os.write(channel, tag + b'\\0\\3\\0\\0\\0w\\xff\\0')")
                                 << std::optional(QByteArray("\xff\0", 2));
        QTest::newRow("too large") << QByteArray("os.write(channel, tag + b'\\0\\2\\0\\1\\0w' + b'x' * 65537)")
                                   << std::optional<QByteArray>();
        QTest::newRow("as large as can be said")
            << QByteArray("os.write(channel, tag + b'\\0\\xff\\xff\\xff\\xff')") << std::optional<QByteArray>();
        QTest::newRow("of an unknown kind")
            << QByteArray("os.write(channel, tag + b'\\0\\2\\0\\0\\0zz')") << std::optional<QByteArray>();
    }
    void aForgedAnswerIsBounded()
    {
        QFETCH(QByteArray, answer);
        QFETCH(std::optional<QByteArray>, value);
        const auto forger = runCell(forging(answer));
        QCOMPARE(toString(forger->outcome), toString(Outcome::Completed));
        QCOMPARE(textOf(*forger), value);
        QVERIFY(toJson(*forger)["value"_L1].toString().size() <= 4 * maximumValueBytes);
        const auto next = runCell("'mine'");
        QVERIFY(next->outcome == Outcome::Completed);
        QCOMPARE(textOf(*next), std::optional<QByteArray>("'mine'"));
    }

    // Cells are lent none, as long as an interpreter that stays can't be given any.
    void aLentSecretIsTakenOut()
    {
        add(u"KEY"_s, SecretValue::copyOf("TopSecretValue42"));
        LiveRun live(request("python", "1", {{u"KEY"_s, {}, false}}));
        LentSecrets secrets;
        QVERIFY(secrets.borrow(m_engine->vault(), *Languages::byId(u"python"_s).value(), live, {}));
        const auto scrubbed = [&](const QByteArray &text, bool isCut) {
            RunResult result;
            result.value = CellValue{text, isCut};
            secrets.scrub(result);
            return result.value;
        };
        QCOMPARE(scrubbed("'TopSecretValue42!'", false), (CellValue{"'[secret KEY]!'", false}));
        QCOMPARE(scrubbed("'546f7053656372657456616c75653432'", false), (CellValue{"'[secret KEY]'", false}));
        QCOMPARE(scrubbed("'xxx TopSecretV", true), (CellValue{"'xxx [part of secret KEY]", true}));
        QCOMPARE(scrubbed("'plain'", false), (CellValue{"'plain'", false}));
    }
};

QTEST_GUILESS_MAIN(TestCellValues)
#include "tst_cellvalues.moc"
