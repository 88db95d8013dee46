// SPDX-License-Identifier: Apache-2.0
// run_code and explain_run: what a model asks for is run sealed, and the answer says everything about it.
#include "toolfixture.h"

#include "engine/mcp/tools/tools.h"
#include "tests/support/controlgroups.h"

using namespace glovebox;
using namespace glovebox::mcp;
using namespace Qt::StringLiterals;

class TestRunCode : public ToolFixture
{
    Q_OBJECT

private:
    QJsonObject explained(const QJsonObject &run) { return answer(u"explain_run"_s, {{u"run"_s, run["run"_L1]}}); }
    QJsonObject deniedOf(const QJsonObject &run, const QString &begin)
    {
        for (const auto denial : run["denials"_L1].toArray()) {
            if (denial["what"_L1].toString().startsWith(begin))
                return denial.toObject();
        }
        return {};
    }

private Q_SLOTS:
    void init() { open(); }
    void cleanup() { close(); }
    void cleanupTestCase() { QCOMPARE(complaintsAboutAnswers(), QByteArray()); }

    void theToolsComeInAnOrderThatNeverChanges()
    {
        QStringList names;
        for (const Tool &tool : gloveboxTools())
            names.append(tool.name);
        QCOMPARE(names, QStringList({u"run_code"_s, u"wait_run"_s, u"cancel_run"_s, u"explain_run"_s, u"sandbox_info"_s,
                                     u"session"_s, u"files"_s, u"install_packages"_s}));
    }

    void everyToolSaysWhatItTakesAndGives()
    {
        for (const Tool &tool : gloveboxTools()) {
            QVERIFY2(!tool.title.isEmpty() && !tool.description.isEmpty(), qPrintable(tool.name));
            QCOMPARE(tool.inputSchema["additionalProperties"_L1], QJsonValue(false));
            QCOMPARE(tool.outputSchema["type"_L1].toString(), u"object"_s);
            for (const auto &hint : {"readOnlyHint"_L1, "destructiveHint"_L1, "idempotentHint"_L1, "openWorldHint"_L1})
                QVERIFY2(tool.annotations[hint].isBool(), qPrintable(tool.name));
        }
    }

    void whatRanIsAnsweredWhole()
    {
        const QJsonObject run =
            this->run(u"python"_s, u"import sys\nprint('hello')\nprint('oops', file=sys.stderr)\nsys.exit(3)"_s);
        QCOMPARE(run["outcome"_L1].toString(), u"failed"_s);
        QCOMPARE(run["state"_L1].toString(), u"done"_s);
        QCOMPARE(run["exit_code"_L1].toInt(), 3);
        QCOMPARE(run["stdout"_L1].toString(), u"hello\n"_s);
        QCOMPARE(run["stderr"_L1].toString(), u"oops\n"_s);
        QCOMPARE(run["stdout_bytes"_L1].toInt(), 6);
        QCOMPARE(run["truncated"_L1].toBool(), false);
        QCOMPARE(run["denials"_L1].toArray(), QJsonArray());
        QVERIFY(run["audit_index"_L1].toInt() >= 2);
        QVERIFY(run["usage"_L1]["wall_ms"_L1].toInt() > 0);
        QVERIFY(run["isolation"_L1]["verified_controls"_L1].toInt() > 10);
        QCOMPARE(run["next"_L1].toString(), QString());
    }

    void theTextSaysTheSameAsTheObject()
    {
        const auto reply =
            call(u"run_code"_s, {{u"language"_s, u"sh"_s}, {u"code"_s, u"echo out; echo err >&2; exit 4"_s}});
        QVERIFY(reply);
        QVERIFY(!reply->isError);
        for (const QString &part : {u"failed, exit code 4"_s, u"stdout:\nout"_s, u"stderr:\nerr"_s,
                                    reply->structured["run"_L1].toString(), u"In the log as #"_s})
            QVERIFY2(reply->text.contains(part), qPrintable(reply->text));
    }

    void everyLanguageRuns_data()
    {
        QTest::addColumn<QString>("code");
        QTest::newRow("python") << u"print(6 * 7)"_s;
        QTest::newRow("node") << u"console.log(6 * 7)"_s;
        QTest::newRow("bash") << u"echo $((6 * 7))"_s;
        QTest::newRow("sh") << u"echo $((6 * 7))"_s;
    }
    void everyLanguageRuns()
    {
        QFETCH(QString, code);
        QCOMPARE(run(QString::fromLatin1(QTest::currentDataTag()), code)["stdout"_L1].toString(), u"42\n"_s);
    }

    void filesLieBesideTheProgram()
    {
        const QJsonArray files{
            QJsonObject{{u"name"_s, u"a b.txt"_s}, {u"content"_s, u"grün"_s}},
            QJsonObject{{u"name"_s, u"b"_s}, {u"content"_s, u"AP8="_s}, {u"encoding"_s, u"base64"_s}}};
        const QJsonObject run = this->run(u"python"_s, u"print(open('a b.txt', 'rb').read(), open('b', 'rb').read())"_s,
                                          {{u"files"_s, files}});
        QCOMPARE(run["stdout"_L1].toString(), u"b'gr\\xc3\\xbcn' b'\\x00\\xff'\n"_s);
    }

    void theRunHasNoInput() { QCOMPARE(run(u"sh"_s, u"cat; echo end"_s)["stdout"_L1].toString(), u"end\n"_s); }

    // --- what makes no sense

    void argumentsThatMakeNoSenseAreRefused_data()
    {
        QTest::addColumn<QJsonObject>("arguments");
        const QJsonObject good{{u"language"_s, u"python"_s}, {u"code"_s, u"print(1)"_s}};
        const auto with = [&](const QString &name, const QJsonValue &value) {
            QJsonObject arguments = good;
            arguments[name] = value;
            return arguments;
        };
        QTest::newRow("nothing") << QJsonObject();
        QTest::newRow("no code") << QJsonObject{{u"language"_s, u"python"_s}};
        QTest::newRow("empty code") << with(u"code"_s, QString());
        QTest::newRow("code is a number") << with(u"code"_s, 1);
        QTest::newRow("code is too long") << with(u"code"_s, QString(1024 * 1024 + 1, u'#'));
        QTest::newRow("unknown language") << with(u"language"_s, u"cobol"_s);
        QTest::newRow("language with NUL") << with(u"language"_s, QString(u"python"_s + QChar(0)));
        QTest::newRow("unknown member") << with(u"network"_s, true);
        QTest::newRow("allow is a text") << with(u"allow"_s, u"example.org"_s);
        QTest::newRow("allow has an empty entry") << with(u"allow"_s, QJsonArray{QString()});
        QTest::newRow("too many hosts") << with(u"allow"_s, [] {
            QJsonArray hosts;
            for (int i = 0; i < 257; ++i)
                hosts.append(u"h%1.example"_s.arg(i));
            return hosts;
        }());
        QTest::newRow("secrets with values") << with(u"secrets"_s, QJsonArray{QJsonObject{{u"KEY"_s, u"value"_s}}});
        QTest::newRow("timeout 0") << with(u"timeout"_s, 0);
        QTest::newRow("timeout below 0") << with(u"timeout"_s, -1);
        QTest::newRow("timeout is a day") << with(u"timeout"_s, 86400);
        QTest::newRow("timeout is a text") << with(u"timeout"_s, u"5"_s);
        QTest::newRow("dry_run is a text") << with(u"dry_run"_s, u"no"_s);
        QTest::newRow("file without content") << with(u"files"_s, QJsonArray{QJsonObject{{u"name"_s, u"a"_s}}});
        QTest::newRow("file without name")
            << with(u"files"_s, QJsonArray{QJsonObject{{u"name"_s, QString()}, {u"content"_s, QString()}}});
    }
    void argumentsThatMakeNoSenseAreRefused()
    {
        QFETCH(QJsonObject, arguments);
        const auto reply = call(u"run_code"_s, arguments);
        QVERIFY(!reply);
        QCOMPARE(reply.error().code, ErrorCode::InvalidInput);
        QVERIFY(m_client->runs.ids().isEmpty());
    }

    // On record, since they are requests; with a sentence that says what to change.
    void requestsThatMakeNoSenseAreRejected_data()
    {
        QTest::addColumn<QJsonObject>("more");
        QTest::addColumn<QString>("reason");
        const auto file = [](const QString &name) {
            return QJsonObject{{u"files"_s, QJsonArray{QJsonObject{{u"name"_s, name}, {u"content"_s, u"x"_s}}}}};
        };
        QTest::newRow("a path") << file(u"../x"_s) << u"is not a file name"_s;
        QTest::newRow("dots") << file(u".."_s) << u"is not a file name"_s;
        QTest::newRow("NUL in a name") << file(QString(u"a"_s + QChar(0) + u'b')) << u"is not a file name"_s;
        QTest::newRow("the program's own name") << file(u"main.py"_s) << u"Rename the file"_s;
        QTest::newRow("NUL in the code") << QJsonObject{{u"code"_s, QString(u"print(1)"_s + QChar(0))}}
                                         << u"byte 9 is zero"_s;
        QTest::newRow("a page instead of a host")
            << QJsonObject{{u"allow"_s, QJsonArray{u"https://example.org/x"_s}}} << u"Give only the host"_s;
        QTest::newRow("every host") << QJsonObject{{u"allow"_s, QJsonArray{u"*"_s}}} << u"every host"_s;
        QTest::newRow("a secret's name that is none")
            << QJsonObject{{u"secrets"_s, QJsonArray{u"no name"_s}}} << u"no name"_s;
        QTest::newRow("one secret twice") << QJsonObject{{u"secrets"_s, QJsonArray{u"A"_s, u"A"_s}}} << u"A"_s;
    }
    void requestsThatMakeNoSenseAreRejected()
    {
        QFETCH(QJsonObject, more);
        QFETCH(QString, reason);
        QJsonObject arguments{{u"language"_s, u"python"_s}, {u"code"_s, u"print(1)"_s}};
        for (auto member = more.begin(); member != more.end(); ++member)
            arguments[member.key()] = member.value();
        const auto reply = call(u"run_code"_s, arguments);
        QVERIFY2(reply, reply ? "" : qPrintable(reply.error().message.english()));
        QVERIFY(reply->isError);
        QCOMPARE(reply->structured["outcome"_L1].toString(), u"rejected"_s);
        QVERIFY2(reply->structured["reason"_L1].toString().contains(reason), qPrintable(reply->text));
        QVERIFY(!deniedOf(reply->structured, u"the request"_s)["how"_L1].toString().isEmpty());
        QVERIFY(reply->structured["audit_index"_L1].toInt() > 0);
    }

    void whatIsNoTextAndNoBase64IsRejected()
    {
        const auto half = call(u"run_code"_s, {{u"language"_s, u"python"_s}, {u"code"_s, QString(QChar(0xd800))}});
        QVERIFY(half && half->isError);
        QVERIFY(half->structured["reason"_L1].toString().contains(u"surrogate"_s));
        QCOMPARE(half->structured["run"_L1], QJsonValue());
        const QJsonArray files{
            QJsonObject{{u"name"_s, u"a"_s}, {u"content"_s, u"not base64!"_s}, {u"encoding"_s, u"base64"_s}}};
        const auto file = call(u"run_code"_s, {{u"language"_s, u"sh"_s}, {u"code"_s, u"cat a"_s}, {u"files"_s, files}});
        QVERIFY(file && file->isError && file->structured["reason"_L1].toString().contains(u"base64"_s));
    }

    // --- what comes out

    void bytesThatAreNoTextAreShownEscaped()
    {
        const QJsonObject run = this->run(u"sh"_s, u"printf '\\377\\000\\033[31mgrün'"_s);
        QCOMPARE(run["stdout"_L1].toString(), QString(u"\\xff"_s + QChar(0) + QChar(27) + u"[31mgrün"_s));
    }

    void ofMuchOutputTheBeginningAndTheEndAreAnswered()
    {
        const QJsonObject run = this->run(u"python"_s, u"for i in range(20000): print(f'line {i:05} ä')"_s);
        const QString out = run["stdout"_L1].toString();
        QVERIFY(run["truncated"_L1].toBool());
        QCOMPARE(run["stdout_bytes"_L1].toInt(), 20000 * 14);
        QVERIFY(out.startsWith(u"line 00000 ä\n"_s));
        QVERIFY(out.endsWith(u"line 19999 ä\n"_s));
        QVERIFY(out.contains(u"bytes left out"_s));
        QVERIFY(out.size() < 13'000);
        QVERIFY2(!out.contains(u"\\x"_s), "cut between characters");
        QVERIFY(run["next"_L1].toString().contains(u"wait_run"_s));
    }

    void noCharacterIsCutInTwo()
    {
        const QString out =
            run(u"python"_s, u"print('x' + 'ä' * 20000)"_s)["stdout"_L1].toString(); // both cuts are inside one
        QVERIFY(out.contains(u"bytes left out"_s));
        QVERIFY2(!out.contains(u"\\x"_s), qPrintable(out.mid(4090, 120)));
    }

    void aRunThatIsKilledSaysByWhat()
    {
        const QJsonObject run = this->run(u"sh"_s, u"echo begun; kill -9 $$"_s);
        QCOMPARE(run["outcome"_L1].toString(), u"signalled"_s);
        QCOMPARE(run["signal"_L1].toInt(), 9);
        QCOMPARE(run["exit_code"_L1], QJsonValue());
        QCOMPARE(run["stdout"_L1].toString(), u"begun\n"_s);
        QVERIFY(explained(run)["summary"_L1].toString().contains(u"SIGKILL"_s));
    }

    // --- what was refused

    void aNetworkThatWasNotGrantedIsADenialWithARemedy()
    {
        const QJsonObject run =
            this->run(u"python"_s, u"import socket\nsocket.create_connection(('192.0.2.1', 443), 2)"_s);
        const QJsonObject denial = deniedOf(run, u"network: 192.0.2.1:443"_s);
        QVERIFY2(!denial.isEmpty(), qPrintable(run["stderr"_L1].toString()));
        QVERIFY(denial["why"_L1].toString().contains(u"no network"_s));
        QVERIFY(denial["how"_L1].toString().contains(u"\"allow\""_s));
        QCOMPARE(explained(run)["denials"_L1].toArray(), run["denials"_L1].toArray());
    }

    void addressesThatMessagesNameAreADenialToo()
    {
        const QJsonObject run = this->run(u"python"_s, u"import socket\nd = socket.socket(2, 2)\nfor i in range(3):\n"
                                                       "    try: d.sendmsg([b'x'], [], 0, ('192.0.2.7', 9))\n"
                                                       "    except OSError: pass"_s);
        const QJsonObject denial = deniedOf(run, u"network: 192.0.2.7:9"_s);
        QVERIFY2(denial["why"_L1].toString().contains(u"no network"_s), QJsonDocument(run).toJson());
        QCOMPARE(explained(run)["denials"_L1].toArray(), run["denials"_L1].toArray());
    }

    void aHostThatIsNotOnTheListIsNamedForTheNextRequest()
    {
        const QJsonObject run =
            this->run(u"python"_s, u"import urllib.request as r\nr.urlopen('https://other.example', timeout=5)"_s,
                      {{u"allow"_s, QJsonArray{u"allowed.example"_s}}});
        const QJsonObject denial = deniedOf(run, u"network: other.example:443"_s);
        QVERIFY2(!denial.isEmpty(), qPrintable(run["stderr"_L1].toString()));
        QVERIFY2(denial["how"_L1].toString().contains(u"[\"allowed.example\",\"other.example:443\"]"_s),
                 qPrintable(denial["how"_L1].toString()));
        const QJsonObject why = explained(run);
        QCOMPARE(why["allowed_hosts"_L1].toArray(), QJsonArray{u"allowed.example"_s});
        QVERIFY(!why["network"_L1].toArray().isEmpty());
    }

    void limitsAreDenialsWithTheSettingToRaise()
    {
        const QJsonObject late = run(u"sh"_s, u"echo begun; sleep 60"_s, {{u"timeout"_s, 0.5}});
        QCOMPARE(late["outcome"_L1].toString(), u"timed_out"_s);
        QCOMPARE(late["stdout"_L1].toString(), u"begun\n"_s);
        QVERIFY(deniedOf(late, u"time"_s)["how"_L1].toString().contains(u"\"timeout\""_s));
        // By several processes: without cgroups one alone is told that there is no more, and ends by itself.
        const QJsonObject large = run(u"python"_s, u"import os, time\nfor i in range(8):\n"
                                                   "    if os.fork() == 0: b = b'x' * (100 << 20); time.sleep(60)\n"
                                                   "time.sleep(60)"_s);
        QVERIFY2(deniedOf(large, u"memory"_s)["how"_L1].toString().contains(u"run.memory_mb"_s),
                 qPrintable(large["stderr"_L1].toString()));
        if (const QString &missing = test::controlGroups().missing; !missing.isEmpty())
            QSKIP(qPrintable(missing)); // and nobody else counts the processes that are refused
        const QJsonObject many = run(u"bash"_s, u"for i in {1..200}; do sleep 3 & done 2>/dev/null; true"_s);
        QVERIFY2(deniedOf(many, u"processes"_s)["how"_L1].toString().contains(u"run.processes"_s),
                 qPrintable(QString::number(many["denials"_L1].toArray().size())));
    }

    void filesThatGoWithTheHomeAreToldWithAWay()
    {
        const QJsonObject run = this->run(u"sh"_s, u"echo x > ~/out.csv; echo x > ~/.hidden"_s);
        const QJsonObject denial = deniedOf(run, u"keeping files in ~"_s);
        QVERIFY2(denial["why"_L1].toString().contains(u"\"~/out.csv\"."_s), QJsonDocument(run).toJson());
        QVERIFY(denial["how"_L1].toString().contains(u"/work"_s));
        QCOMPARE(explained(run)["denials"_L1].toArray(), run["denials"_L1].toArray());
    }

    void refusedCallsAreDenials()
    {
        const QJsonObject run = this->run(u"python"_s, u"import ctypes\nctypes.CDLL(None).unshare(0x10000000)"_s);
        QCOMPARE(deniedOf(run, u"system call: unshare"_s)["how"_L1].toString(),
                 u"No run may do this. Write the code without it."_s);
    }

    void deniedRunsSayWhatThePersonWouldHaveToDo()
    {
        m_approver->says = false;
        const auto reply =
            call(u"run_code"_s,
                 {{u"language"_s, u"sh"_s}, {u"code"_s, u"echo ran"_s}, {u"allow"_s, QJsonArray{u"example.org"_s}}});
        QVERIFY(reply && reply->isError);
        QCOMPARE(reply->structured["outcome"_L1].toString(), u"denied"_s);
        QVERIFY(deniedOf(reply->structured, u"the run"_s)["how"_L1].toString().contains(u"Ask the person"_s));
        QCOMPARE(reply->structured["stdout"_L1].toString(), QString());
    }

    void aSecretThatThereIsNotIsDeniedByItsName()
    {
        const auto reply =
            call(u"run_code"_s,
                 {{u"language"_s, u"sh"_s}, {u"code"_s, u"echo ran"_s}, {u"secrets"_s, QJsonArray{u"NOSUCH"_s}}});
        QVERIFY(reply && reply->isError);
        QCOMPARE(reply->structured["outcome"_L1].toString(), u"denied"_s);
        QVERIFY2(reply->structured["reason"_L1].toString().contains(u"NOSUCH"_s), qPrintable(reply->text));
        QCOMPARE(reply->structured["secrets"_L1].toArray(), QJsonArray());
    }

    void valuesOfSecretsAreInNoAnswer()
    {
        const QByteArray value = "s3cr3t-value-of-the-test";
        QVERIFY(m_engine->vault().add(u"KEY"_s, {}, {}, SecretValue::copyOf(value), {},
                                      Patience::of(std::chrono::seconds(5))));
        const auto reply = call(u"run_code"_s, {{u"language"_s, u"sh"_s},
                                                {u"code"_s, u"echo \"$KEY\"; echo \"$KEY\" | base64 >&2; exit 1"_s},
                                                {u"secrets"_s, QJsonArray{u"KEY"_s}}});
        QVERIFY(reply);
        QCOMPARE(reply->structured["stdout"_L1].toString(), u"[secret KEY]\n"_s);
        QCOMPARE(reply->structured["secrets"_L1].toArray(), QJsonArray{u"KEY"_s});
        const auto why = call(u"explain_run"_s, {{u"run"_s, reply->structured["run"_L1]}});
        QVERIFY(why);
        const auto killed = call(u"run_code"_s, {{u"language"_s, u"bash"_s},
                                                 {u"code"_s, u"printf %s \"${KEY%?}\"; echo there >&2; kill -9 $$"_s},
                                                 {u"secrets"_s, QJsonArray{u"KEY"_s}}});
        QVERIFY(killed);
        QCOMPARE(killed->structured["stdout"_L1].toString(), u"[part of secret KEY]"_s);
        for (const ToolReply *given : {&*reply, &*why, &*killed}) {
            const QByteArray all = QJsonDocument(given->structured).toJson() + given->text.toUtf8();
            QVERIFY(!all.contains(value));
            QVERIFY(!all.contains(value.toBase64().first(16)));
        }
    }

    void aMachineThatCantSealSaysWhyAndWhatToDo()
    {
        open({}, {}, u"/nonexistent"_s);
        const auto reply = call(u"run_code"_s, {{u"language"_s, u"sh"_s}, {u"code"_s, u"echo ran"_s}});
        QVERIFY(reply && reply->isError);
        QCOMPARE(reply->structured["outcome"_L1].toString(), u"setup_failed"_s);
        QVERIFY(deniedOf(reply->structured, u"the sandbox"_s)["how"_L1].toString().contains(u"glovebox doctor"_s));
        QVERIFY2(!reply->structured["next"_L1].toString().isEmpty(), qPrintable(reply->text));
        const QJsonObject info = answer(u"sandbox_info"_s, {});
        QVERIFY(!info["usable"_L1].toBool());
        QVERIFY(!info["why_not"_L1].toString().isEmpty());
    }

    // --- what would run

    void aDryRunRunsNothingAndSaysWhetherThePersonIsAsked()
    {
        const QJsonObject usual = run(u"sh"_s, u"echo ran"_s, {{u"dry_run"_s, true}});
        QCOMPARE(usual["state"_L1].toString(), u"not_started"_s);
        QCOMPARE(usual["run"_L1], QJsonValue());
        QCOMPARE(usual["dry_run"_L1]["verdict"_L1].toString(), u"allowed"_s);
        const QJsonObject more =
            run(u"sh"_s, u"echo ran"_s, {{u"dry_run"_s, true}, {u"allow"_s, QJsonArray{u"pypi"_s}}});
        QCOMPARE(more["dry_run"_L1]["verdict"_L1].toString(), u"asks_the_person"_s);
        QVERIFY(more["dry_run"_L1]["why"_L1].toString().contains(u"pypi.org:443"_s));
        const auto wrong = call(
            u"run_code"_s,
            {{u"language"_s, u"sh"_s}, {u"code"_s, u"echo"_s}, {u"dry_run"_s, true}, {u"allow"_s, QJsonArray{u"*"_s}}});
        QVERIFY(wrong && wrong->isError);
        QCOMPARE(m_approver->asked.load(), 0);
        QVERIFY(m_client->runs.ids().isEmpty());
        QCOMPARE((*m_engine->auditReader())->lastEntry().value_or(-1), key());
    }

    void theBenchSaysWhatItOffers()
    {
        const QJsonObject info = answer(u"sandbox_info"_s, {});
        QVERIFY(info["usable"_L1].toBool());
        QCOMPARE(info["defaults"_L1]["timeout_seconds"_L1].toInt(), 30);
        QStringList languages;
        for (const auto language : info["languages"_L1].toArray()) {
            languages.append(language["id"_L1].toString());
            QVERIFY(language["usable"_L1].toBool());
            if (language["id"_L1].toString() == u"python"_s)
                QVERIFY(language["version"_L1].toString().startsWith(u"3."_s));
        }
        QCOMPARE(languages, Languages::ids());
    }

private:
    // Entries of a log without runs: the signing key's.
    qint64 key() const { return 1; }
};

QTEST_GUILESS_MAIN(TestRunCode)
#include "tst_runcode.moc"
