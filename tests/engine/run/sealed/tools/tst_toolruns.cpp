// SPDX-License-Identifier: Apache-2.0
// Real sealed runs that call tools of a real server outside: what they get, what they don't, and what is on record of it.
#include "toolfixture.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QTest>

#include <sys/stat.h>

#include <algorithm>

using namespace glovebox;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class TestToolRuns : public ToolFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        open(test::isBubblewrapTried() ? NativeBuilder::Bubblewrap : NativeBuilder::Direct);
        QVERIFY(QDir().mkpath(m_engine->paths().config));
        list({u"echo"_s, u"say"_s, u"fails"_s, u"hangs"_s, u"odd-name.v2"_s, u"world"_s});
    }
    void cleanup() { m_engine.reset(); }

    void codeCallsTools_data()
    {
        QTest::addColumn<QByteArray>("language");
        QTest::addColumn<QByteArray>("code");
        QTest::newRow("Python") << QByteArray("python") << QByteArray(R"(
from glovebox_tools import t, ToolError
print(t.echo(text="ä", count=2), t.say(text="hi"))
try:
    t.fails()
except ToolError as error:
    print(error)
print(t.odd_name_v2(plain="p", **{"x-y": "z"})["got"]["x-y"])
)");
        QTest::newRow("Node.js, a module") << QByteArray("node") << QByteArray(R"(
import { t, ToolError } from './glovebox_tools.cjs';
console.log(await t.echo({ text: 'ä', count: 2 }), await t.say({ text: 'hi' }));
await t.fails().catch((error) => console.log(error instanceof ToolError, error.message));
console.log((await t.odd_name_v2({ plain: 'p', 'x-y': 'z' })).got['x-y']);
)");
        QTest::newRow("Node.js, CommonJS") << QByteArray("node") << QByteArray(R"(
const { t } = require('./glovebox_tools.cjs');
Promise.all([1, 2, 3].map((n) => t.echo({ text: 'ä', count: n }))).then(async (all) => {
    console.log(all[1], await t.say({ text: 'hi' }));
    try { await t.fails() } catch (error) { console.log(error.message) }
    console.log((await t.odd_name_v2({ plain: 'p', 'x-y': 'z' })).got['x-y']);
});
)");
    }
    void codeCallsTools()
    {
        QFETCH(QByteArray, language);
        QFETCH(QByteArray, code);
        const auto result = call(language, code, {u"t.echo"_s, u"t.say"_s, u"t.fails"_s, u"t.odd-name.v2"_s});
        QVERIFY2(result->outcome == Outcome::Completed, result->err.kept() + qPrintable(result->reason.english()));
        const QByteArray out = result->out.kept();
        QVERIFY2(out.contains("said hi") && out.contains("the disk is on fire") && out.endsWith("z\n"), out);
        QCOMPARE(eventsOf(*result, EventType::ToolServerStarted).size(), 1);
        const QStringList calls = eventsOf(*result, EventType::ToolCalled);
        QVERIFY(calls.size() >= 4);
        const QByteArray arguments = R"({"count":2,"text":"ä"})";
        const QString hash = QString::fromLatin1(sha256({arguments}).toHex());
        QVERIFY2(std::ranges::any_of(calls,
                                     [&](const QString &event) {
                                         return event.startsWith(u"The run called t.echo ("_s) && event.contains(hash);
                                     }),
                 qPrintable(calls.join(u'\n')));
        QVERIFY(!entries(result->id).contains("\"ä\"")); // the arguments themselves aren't on record
        QVERIFY(entries(result->id).contains(R"("tools":["t.echo","t.say","t.fails","t.odd-name.v2"])"));
        QVERIFY(result->egress.isEmpty());
        const auto isModule = [](const Artifact &artifact) { return artifact.path.contains(u"glovebox_tools"_s); };
        QVERIFY(std::ranges::none_of(result->artifacts, isModule));
    }

    void refusedCallsAreTold()
    {
        list({u"echo"_s, u"say"_s}, u"text"_s, {u"allowed"_s});
        const auto result = call("python", R"(
import socket, json
from glovebox_tools import t, ToolError
import glovebox_tools
for tool, arguments in (("t.fails", {}), ("t.echo", {"text": "other"}), ("t.echo", {"text": "allowed"})):
    try:
        print(glovebox_tools._call(tool, arguments))
    except ToolError as error:
        print(error)
print(hasattr(t, "fails"))
)",
                                 {u"t.echo"_s});
        QCOMPARE(result->out.kept(),
                 QByteArray("The call of t.fails was refused: the run may call only t.echo.\n"
                            "The call of t.echo was refused: the person doesn't allow this value of the "
                            "argument \"text\".\n"
                            "{'got': {'text': 'allowed'}}\nFalse\n"));
        QCOMPARE(eventsOf(*result, EventType::ToolRefused).size(), 2);
        QCOMPARE(eventsOf(*result, EventType::ToolCalled).size(), 1);
    }

    void noToolIsThereUnlessNamed()
    {
        const auto result = call("python", R"(
import socket
try:
    import glovebox_tools
except ImportError:
    print("none")
for port in range(3100, 3200):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
        print(port)
    except OSError:
        pass
)",
                                 {});
        QCOMPARE(result->out.kept(), QByteArray("none\n"));
        QVERIFY(!entries(result->id).contains("\"tools\""));
    }

    void serversAreOutsideAndEndWithTheRun()
    {
        const auto result = call("python", R"(
from glovebox_tools import t
import os
world = t.world()
print(world["folder"], os.path.exists("/proc/1/root" + __file__))
)",
                                 {u"t.world"_s});
        QVERIFY2(result->out.kept().startsWith(accountHome().toUtf8() + ' '), result->out.kept());
    }

    void secretsDoNotLeaveByTools()
    {
        add(u"KEY"_s, SecretValue::copyOf("sw0rdf1sh-0123456789"));
        const auto result = call("python", R"(
import base64, os
from glovebox_tools import t, ToolError
key = os.environ["KEY"]
for text in (key, base64.b64encode(key.encode()).decode(), key[::-1], "x" + key.encode().hex()):
    try:
        print("out:", t.echo(text=text))
    except ToolError as error:
        print(error)
print(t.say(text="harmless"))
)",
                                 {u"t.echo"_s, u"t.say"_s}, {{u"KEY"_s, {}, false}});
        const QByteArray out = result->out.kept();
        QVERIFY2(!out.contains("out:") && out.endsWith("said harmless\n"), out);
        QCOMPARE(eventsOf(*result, EventType::ToolRefused).size(), 4);
        const QByteArray recorded = entries(result->id);
        QVERIFY(!recorded.contains("sw0rdf1sh"));
        QVERIFY(recorded.contains("KEY"));
    }

    void secretsLeaveByTheToolsThatTheirLimitsName()
    {
        add(u"KEY"_s, SecretValue::copyOf("sw0rdf1sh-0123456789"),
            {.hosts = QStringList{u"example.org"_s}, .tools = {u"t.echo"_s}});
        const QByteArray code = R"(
import os
import glovebox_tools
for tool in ("t.echo", "t.say"):
    try:
        print(len(glovebox_tools._call(tool, {"text": os.environ["KEY"]})))
    except glovebox_tools.ToolError as error:
        print(error)
)";
        const auto result = call("python", code, {u"t.echo"_s}, {{u"KEY"_s, {}, false}});
        // No hash of it either, which anybody could try values against.
        const QByteArray withValue = sha256({R"({"text":"sw0rdf1sh-0123456789"})"}).toHex();
        QVERIFY(!entries(result->id).contains(withValue));
        QCOMPARE(result->out.kept(), QByteArray("1\nThe call of t.say was refused: the run may call only t.echo.\n"));
        const auto denied = call("python", code, {u"t.echo"_s, u"t.say"_s}, {{u"KEY"_s, {}, false}});
        QVERIFY2(denied->outcome == Outcome::Denied, qPrintable(denied->reason.english()));
        QVERIFY2(denied->reason.english().contains(u"of servers: t.say."_s), qPrintable(denied->reason.english()));
        QVERIFY(!entries(result->id).contains("sw0rdf1sh"));
    }

    // What is cut would end in the middle of a value, where nothing finds it any more.
    void noBeginningOfASecretIsOnRecord()
    {
        add(u"KEY"_s, SecretValue::copyOf("sw0rdf1sh-0123456789"), {.hosts = {}, .tools = {u"t.fails"_s}});
        const auto result = call("python", R"(
import os
import glovebox_tools
for room in range(180, 200):
    for tool, text in (("x" * room + os.environ["KEY"], "none"), ("t.fails", "x" * room + os.environ["KEY"])):
        try:
            glovebox_tools._call(tool, {"text": text})
        except glovebox_tools.ToolError:
            pass
)",
                                 {u"t.fails"_s}, {{u"KEY"_s, {}, false}});
        QVERIFY2(result->outcome == Outcome::Completed, result->err.kept() + qPrintable(result->reason.english()));
        QCOMPARE(eventsOf(*result, EventType::ToolRefused).size(), 20);
        QCOMPARE(eventsOf(*result, EventType::ToolCalled).size(), 20);
        QVERIFY2(!entries(result->id).contains("sw0rd"), entries(result->id));
    }

    // Else the run could have them do outside what it may not.
    void noRunMayChangeTheProgramOfAServer()
    {
        QTemporaryDir folder;
        const QString script = folder.filePath(u"server.py"_s), link = folder.filePath(u"python"_s);
        QVERIFY(QFile::copy(QStringLiteral(GLOVEBOX_SOURCE_DIR "/tests/support/toolserver.py"), script));
        QVERIFY(QFile::link(u"/usr/bin/python3"_s, link));
        QCOMPARE(::chmod(QFile::encodeName(folder.path()).constData(), 0777), 0);
        const QString source = QStringLiteral(GLOVEBOX_SOURCE_DIR "/tests/support/toolserver.py");
        for (const QStringList &command : {QStringList{u"/usr/bin/python3"_s, script}, QStringList{link, source},
                                           QStringList{u"/usr/bin/env"_s, u"--file="_s + script}}) {
            const QJsonObject server{{u"command"_s, QJsonArray::fromStringList(command)}};
            write(QJsonDocument(QJsonObject{{u"notes"_s, server}}).toJson());
            RunRequest wanted = request("python", "print('ran')", {});
            wanted.policy.folders = {{folder.path(), u"/work/shown"_s, FolderGrant::Mode::ReadWrite}};
            const auto refused = m_engine->start(wanted)->wait();
            QVERIFY2(refused->outcome == Outcome::Rejected, qPrintable(command.join(u' ')));
            QVERIFY2(refused->reason.english().contains(u"one of your MCP servers is started from "_s),
                     qPrintable(refused->reason.english()));
            wanted.policy.folders[0].mode = FolderGrant::Mode::ReadOnly;
            const auto allowed = m_engine->start(wanted)->wait();
            QVERIFY2(allowed->out.kept() == "ran\n", qPrintable(allowed->reason.english()));
        }
        for (const QString &below : {u"node_modules/x"_s, u"data"_s, u"venv/bin"_s, u"venv/lib/python"_s}) {
            QVERIFY(QDir(folder.path()).mkpath(below));
            QCOMPARE(::chmod(QFile::encodeName(folder.filePath(below)).constData(), 0777), 0);
        }
        const QString python = folder.filePath(u"venv/bin/python3"_s);
        QVERIFY(QFile::link(u"/usr/bin/python3"_s, python));
        write(
            QJsonDocument(QJsonObject{{u"notes"_s, QJsonObject{{u"command"_s, QJsonArray{python, script}}}}}).toJson());
        for (const auto &[below, mayBe] : {std::pair(u"node_modules/x"_s, false),
                                           std::pair(u"venv/lib/python"_s, false), std::pair(u"data"_s, true)}) {
            RunRequest wanted = request("python", "print('ran')", {});
            wanted.policy.folders = {{folder.filePath(below), u"/work/shown"_s, FolderGrant::Mode::ReadWrite}};
            const auto result = m_engine->start(wanted)->wait();
            QVERIFY2((result->out.kept() == "ran\n") == mayBe, qPrintable(below + result->reason.english()));
            QVERIFY(mayBe || result->reason.english().contains(u"MCP servers loads modules from "_s));
        }
        list({u"echo"_s});
        RunRequest wanted = request("python", "print('ran')", {});
        wanted.policy.folders = {{folder.path(), u"/work/shown"_s, FolderGrant::Mode::ReadWrite}};
        QCOMPARE(m_engine->start(wanted)->wait()->out.kept(), QByteArray("ran\n"));
    }

    // Whatever becomes of this engine: the server has done it.
    void callsAreOnRecordAlsoWhenTheEngineIsKilled()
    {
        m_engine.reset();
        QProcess program;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"GLOVEBOX_HOME"_s, m_home->path());
        program.setProcessEnvironment(environment);
        program.start(
            QStringLiteral(GLOVEBOX_BIN "/glovebox"),
            {u"run"_s, u"-l"_s, u"python"_s, u"--tool"_s, u"t.say"_s, u"-c"_s,
             u"from glovebox_tools import t\nprint(t.say(text='a'), flush=True)\nimport time\ntime.sleep(60)"_s});
        QTRY_VERIFY_WITH_TIMEOUT(program.waitForReadyRead(100) || program.bytesAvailable() > 0, 20'000);
        QCOMPARE(program.readAllStandardOutput(), QByteArray("said a\n"));
        program.kill();
        QVERIFY(program.waitForFinished());
        QProcess later; // closes what was left open
        later.setProcessEnvironment(environment);
        later.start(QStringLiteral(GLOVEBOX_BIN "/glovebox"), {u"audit"_s, u"show"_s, u"last"_s});
        QVERIFY(later.waitForFinished());
        const QByteArray shown = later.readAllStandardOutput();
        QVERIFY2(shown.contains("t.say") && shown.contains("called"), shown);
        reopen(test::isBubblewrapTried() ? NativeBuilder::Bubblewrap : NativeBuilder::Direct);
        const auto reader = m_engine->auditReader();
        QVERIFY(reader);
        const auto runs = (*reader)->runs({});
        QVERIFY(runs && runs->size() == 1);
        const QByteArray recorded = entries(runs->first().run);
        QVERIFY2(recorded.contains("run.interrupted"), recorded);
        QVERIFY2(recorded.contains(R"("kind":"tool.called")") && recorded.contains(R"("tool":"t.say")"), recorded);
        QVERIFY2(recorded.contains(sha256({R"({"text":"a"})"}).toHex()), recorded);
    }

    void secretsOfHostsAreNotForRunsWithTools()
    {
        add(u"KEY"_s, SecretValue::copyOf("sw0rdf1sh-0123456789"), {.hosts = QStringList{u"example.org"_s}});
        const auto result = call("python", "print(1)", {u"t.echo"_s}, {{u"KEY"_s, {}, false}});
        QVERIFY2(result->outcome == Outcome::Denied, qPrintable(result->reason.english()));
        QVERIFY2(result->reason.english().contains(u"t.echo"_s), qPrintable(result->reason.english()));
        QVERIFY(eventsOf(*result, EventType::ToolServerStarted).isEmpty());
    }

    void nothingRunsWithoutItsTools_data()
    {
        QTest::addColumn<QByteArray>("language");
        QTest::addColumn<QStringList>("tools");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char *name, const QByteArray &language, const QStringList &tools,
                            const QString &sentence) { QTest::newRow(name) << language << tools << sentence; };
        row("one that isn't listed", "python", {u"t.dies"_s}, u"not on the list"_s);
        row("an unknown server", "python", {u"u.echo"_s}, u"There is no server \"u\""_s);
        row("no name", "python", {u"echo"_s}, u"SERVER.TOOL"_s);
        row("twice", "python", {u"t.echo"_s, u"t.echo"_s}, u"named twice"_s);
        row("in a shell", "bash", {u"t.echo"_s}, u"can't"_s);
    }
    void nothingRunsWithoutItsTools()
    {
        QFETCH(QByteArray, language);
        QFETCH(QStringList, tools);
        QFETCH(QString, sentence);
        const auto result = call(language, language == "bash" ? "echo ran" : "print('ran')", tools);
        QVERIFY2(result->outcome == Outcome::Rejected, qPrintable(result->reason.english()));
        QVERIFY2(result->reason.english().contains(sentence), qPrintable(result->reason.english()));
        QVERIFY(result->out.kept().isEmpty());
        QVERIFY(!result->id.isEmpty()); // on record all the same
    }

    void aListThatIsNotSoundRunsNothing()
    {
        write("{\"t\": {\"command\": [\"python3\"]}}");
        const auto result = call("python", "print('ran')", {u"t.echo"_s});
        QVERIFY2(result->outcome == Outcome::Rejected, qPrintable(result->reason.english()));
        QVERIFY(result->reason.english().contains(u"mcp-servers.json"_s));
    }

    void cancellingEndsTheServersToo()
    {
        RunRequest wanted =
            request("python", "from glovebox_tools import t\nprint('calls', flush=True)\nt.hangs()", {});
        wanted.policy.tools = {u"t.hangs"_s};
        const auto run = m_engine->start(wanted);
        QTRY_VERIFY_WITH_TIMEOUT(!run->output(0, 100).chunks.empty(), 20'000);
        run->cancel();
        const auto result = run->wait();
        QVERIFY2(result->outcome == Outcome::Cancelled, qPrintable(result->reason.english()));
    }

    void aCallCutOffByTheTimeLimitIsOnRecord()
    {
        RunRequest wanted = request("python", "from glovebox_tools import t\nt.hangs()", {});
        wanted.policy.tools = {u"t.hangs"_s};
        wanted.policy.limits.wall = 2s;
        const auto result = m_engine->start(wanted)->wait();
        QVERIFY2(result->outcome == Outcome::TimedOut, qPrintable(result->reason.english()));
        const QStringList calls = eventsOf(*result, EventType::ToolCalled);
        QCOMPARE(calls.size(), 1);
        QVERIFY2(calls.first().endsWith(
                     u"The run ended before the server answered, so the server may have carried the call out."_s),
                 qPrintable(calls.first()));
    }

    void sessionsKeepNoModuleOfTools()
    {
        const auto session = m_engine->createSession({.name = u"shop"_s}, m_engine->caller());
        QVERIFY(session);
        RunRequest wanted = request("python", R"(
from glovebox_tools import t
open("kept.txt", "w").write(t.say(text="a"))
)",
                                    {});
        wanted.session = session->id;
        wanted.policy.tools = {u"t.say"_s};
        const auto kept = m_engine->start(wanted)->wait();
        QVERIFY2(kept->outcome == Outcome::Completed, kept->err.kept());
        RunRequest next = request("python", "import os\nprint(sorted(os.listdir()), open('kept.txt').read())", {});
        next.session = session->id;
        QCOMPARE(m_engine->start(next)->wait()->out.kept(), QByteArray("['kept.txt', 'main.py'] said a\n"));
    }

    void toolsGoAlongWithHosts()
    {
        RunRequest wanted = request("python", "from glovebox_tools import t\nprint(t.say(text='a'))", {});
        wanted.policy.allow = {u"example.org:3129"_s}; // the port that tools have otherwise
        wanted.policy.tools = {u"t.say"_s};
        const auto result = m_engine->start(wanted)->wait();
        QVERIFY2(result->outcome == Outcome::Completed, result->err.kept() + qPrintable(result->reason.english()));
        QCOMPARE(result->out.kept(), QByteArray("said a\n"));
    }

private:
    std::shared_ptr<const RunResult> call(const QByteArray &language, const QByteArray &code, const QStringList &tools,
                                          std::vector<SecretGrant> secrets = {})
    {
        RunRequest wanted = request(language, code, std::move(secrets));
        wanted.policy.tools = tools;
        return m_engine->start(wanted)->wait();
    }
};

QTEST_GUILESS_MAIN(TestToolRuns)
#include "tst_toolruns.moc"
