// SPDX-License-Identifier: Apache-2.0
// The tools through the real `glovebox mcp`: a program that drives it over its standard streams, dies, sends nonsense or too much.
#include "tests/app/cli/program.h"
#include "tests/support/signals.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

#include <csignal>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// One client with its `glovebox mcp`.
class Conversation
{
public:
    explicit Conversation(const Home &home)
        : m_program(home.program({u"mcp"_s}))
    {
        m_program->start();
        ask(u"initialize"_s, {{u"protocolVersion"_s, u"2025-11-25"_s},
                              {u"capabilities"_s, QJsonObject()},
                              {u"clientInfo"_s, QJsonObject{{u"name"_s, u"test"_s}, {u"version"_s, u"1"_s}}}});
        notify(u"notifications/initialized"_s, {});
    }

    ~Conversation()
    {
        m_program->closeWriteChannel();
        m_program->waitForFinished();
    }

    QProcess &program() { return *m_program; }
    void write(const QByteArray &line) { m_program->write(line + '\n'); }
    void notify(const QString &method, const QJsonObject &params)
    {
        write(QJsonDocument(QJsonObject{{u"jsonrpc"_s, u"2.0"_s}, {u"method"_s, method}, {u"params"_s, params}})
                  .toJson(QJsonDocument::Compact));
    }
    int send(const QString &method, const QJsonObject &params)
    {
        write(
            QJsonDocument(
                QJsonObject{{u"jsonrpc"_s, u"2.0"_s}, {u"id"_s, ++m_id}, {u"method"_s, method}, {u"params"_s, params}})
                .toJson(QJsonDocument::Compact));
        return m_id;
    }
    int sendCall(const QString &tool, const QJsonObject &arguments, const QJsonObject &meta = {})
    {
        QJsonObject params{{u"name"_s, tool}, {u"arguments"_s, arguments}};
        if (!meta.isEmpty())
            params[u"_meta"_s] = meta;
        return send(u"tools/call"_s, params);
    }
    // The next message; {}: none came within half a minute.
    QJsonObject next()
    {
        while (!m_program->canReadLine()) {
            if (!m_program->waitForReadyRead(30'000))
                return {};
        }
        return QJsonDocument::fromJson(m_program->readLine()).object();
    }
    QJsonObject answerTo(int id)
    {
        for (;;) {
            const QJsonObject message = next();
            if (message.isEmpty() || message["id"_L1].toInt() == id)
                return message;
        }
    }
    QJsonObject ask(const QString &method, const QJsonObject &params) { return answerTo(send(method, params)); }
    QJsonObject call(const QString &tool, const QJsonObject &arguments)
    {
        return answerTo(sendCall(tool, arguments))["result"_L1].toObject();
    }
    QJsonObject run(const QString &code, const QString &language = u"sh"_s)
    {
        return call(u"run_code"_s, {{u"language"_s, language}, {u"code"_s, code}})["structuredContent"_L1].toObject();
    }
    // Until a progress notification has this line.
    bool waitForLine(const QString &line)
    {
        for (;;) {
            const QJsonObject message = next();
            if (message.isEmpty() || message.contains(u"id"_s))
                return false;
            if (message["params"_L1]["message"_L1].toString() == line)
                return true;
        }
    }

private:
    std::unique_ptr<QProcess> m_program;
    int m_id = 0;
};

const QJsonObject withProgress{{u"progressToken"_s, u"p"_s}};

QJsonObject forever(const QString &line)
{
    return {{u"language"_s, u"sh"_s}, {u"code"_s, u"trap '' INT TERM; echo %1; sleep 1000"_s.arg(line)}};
}

} // namespace

class TestStdioTools : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // Nobody has to be asked: whoever starts `glovebox mcp` is the person's own program.
    void aRunWithinTheDefaultsNeedsNoQuestion()
    {
        const Home home;
        Conversation client(home);
        const QJsonObject run = client.run(u"echo hello"_s);
        QCOMPARE(run["outcome"_L1].toString(), u"completed"_s);
        QCOMPARE(run["stdout"_L1].toString(), u"hello\n"_s);
        const QList<QJsonObject> recorded = home.runsOnRecord();
        QCOMPARE(recorded.size(), 1);
        QCOMPARE(recorded.first()["run"_L1], run["run"_L1]);
    }

    // Without an engine so far, and with one: as another program sets it, at the next call.
    void whatIsTurnedOffIsNeitherListedNorCalled()
    {
        const Home home;
        QVERIFY(QDir(home.path()).mkpath(u"config"_s));
        const auto set = [&](const QByteArray &switches) {
            std::ignore = home.write(u"config/settings.json"_s, "{\"mcp\": {" + switches + "}}");
        };
        set(R"("explain_run": "off")");
        Conversation client(home);
        const auto tools = [&] {
            QStringList names;
            for (const auto tool : client.ask(u"tools/list"_s, {})["result"_L1]["tools"_L1].toArray())
                names.append(tool["name"_L1].toString());
            return names;
        };
        QCOMPARE(tools(), (QStringList{u"run_code"_s, u"wait_run"_s, u"cancel_run"_s, u"sandbox_info"_s, u"session"_s,
                                       u"files"_s, u"install_packages"_s}));
        const QJsonObject refused = client.call(u"explain_run"_s, {{u"run"_s, u"x"_s}});
        QVERIFY(refused["isError"_L1].toBool());
        QVERIFY2(refused["content"_L1][0]["text"_L1].toString().contains(u"turned explain_run off"),
                 qPrintable(refused["content"_L1][0]["text"_L1].toString()));
        QCOMPARE(client.run(u"echo one"_s)["outcome"_L1].toString(), u"completed"_s);
        set(R"("run_code": "off")");
        const QJsonObject run = client.run(u"echo two"_s);
        QCOMPARE(run["outcome"_L1].toString(), u"denied"_s);
        QVERIFY(run["denials"_L1][0]["why"_L1].toString().contains(u"turned run_code off"));
        QCOMPARE(home.runsOnRecord().size(), 2); // refusals are on record
        QCOMPARE(tools(), (QStringList{u"wait_run"_s, u"cancel_run"_s, u"explain_run"_s, u"sandbox_info"_s,
                                       u"session"_s, u"files"_s, u"install_packages"_s}));
        // Nobody can be asked here.
        set(R"("sandbox_info": "asks")");
        const QJsonObject denied = client.call(u"sandbox_info"_s, {});
        QVERIFY(denied["isError"_L1].toBool());
        QVERIFY(denied["content"_L1][0]["text"_L1].toString().contains(u"asked about each call of sandbox_info"));
    }

    void whateverWantsMoreIsDeniedWhereNobodyCanBeAsked()
    {
        const Home home;
        Conversation client(home);
        const QJsonObject wishes[] = {{{u"allow"_s, QJsonArray{u"example.org"_s}}},
                                      {{u"secrets"_s, QJsonArray{u"KEY"_s}}},
                                      {{u"timeout"_s, 3600}}};
        for (QJsonObject arguments : wishes) {
            arguments[u"language"_s] = u"sh"_s;
            arguments[u"code"_s] = u"echo ran"_s;
            const QJsonObject result = client.call(u"run_code"_s, arguments);
            QVERIFY(result["isError"_L1].toBool());
            const QJsonObject run = result["structuredContent"_L1].toObject();
            QCOMPARE(run["outcome"_L1].toString(), u"denied"_s);
            QCOMPARE(run["stdout"_L1].toString(), QString());
            QVERIFY(run["denials"_L1][0]["how"_L1].toString().contains(u"person"_s));
        }
    }

    void aClientThatGoesTakesItsRunsAlong()
    {
        const Home home;
        {
            Conversation client(home);
            client.sendCall(u"run_code"_s, forever(u"begun"_s), withProgress);
            QVERIFY(client.waitForLine(u"begun"_s));
            client.program().closeWriteChannel();
            QVERIFY(client.program().waitForFinished(10'000));
            QCOMPARE(client.program().exitCode(), 0);
        }
        const QList<QJsonObject> recorded = home.runsOnRecord();
        QCOMPARE(recorded.size(), 1);
        QCOMPARE(recorded.first()["outcome"_L1].toString(), u"cancelled"_s);
    }

    void aKilledServerLeavesNoRunOpen()
    {
        const Home home;
        {
            Conversation client(home);
            client.sendCall(u"run_code"_s, forever(u"begun"_s), withProgress);
            QVERIFY(client.waitForLine(u"begun"_s));
            sendSignal(client.program().processId(), SIGKILL);
            QVERIFY(client.program().waitForFinished(10'000));
        }
        Conversation next(home);
        QCOMPARE(next.run(u"true"_s)["outcome"_L1].toString(), u"completed"_s);
        const QList<QJsonObject> recorded = home.runsOnRecord();
        QCOMPARE(recorded.size(), 2);
        QCOMPARE(recorded.last()["outcome"_L1].toString(), u"interrupted"_s);
    }

    void aCancelledRequestKillsItsRun()
    {
        const Home home;
        Conversation client(home);
        const int id = client.sendCall(u"run_code"_s, forever(u"begun"_s), withProgress);
        QVERIFY(client.waitForLine(u"begun"_s));
        client.notify(u"notifications/cancelled"_s, {{u"requestId"_s, id}});
        const QJsonObject listed = client.ask(u"resources/list"_s, {});
        const QString run = listed["result"_L1]["resources"_L1][0]["uri"_L1].toString().section(u'/', 3, 3);
        const QJsonObject end = client.call(u"wait_run"_s, {{u"run"_s, run}})["structuredContent"_L1].toObject();
        QCOMPARE(end["outcome"_L1].toString(), u"cancelled"_s);
        QCOMPARE(end["stdout"_L1].toString(), u"begun\n"_s);
    }

    void oneProgramsRunsAreNoneOfAnothers()
    {
        const Home home;
        Conversation one(home);
        Conversation other(home);
        const QJsonObject run = one.run(u"echo mine"_s);
        for (const QString &tool : {u"wait_run"_s, u"cancel_run"_s, u"explain_run"_s}) {
            const QJsonObject result = other.call(tool, {{u"run"_s, run["run"_L1]}});
            QVERIFY(result["isError"_L1].toBool());
            QVERIFY(!QJsonDocument(result).toJson().contains("mine"));
        }
        const QString uri = u"glovebox://runs/%1/stdout"_s.arg(run["run"_L1].toString());
        QVERIFY(other.ask(u"resources/read"_s, {{u"uri"_s, uri}}).contains(u"error"_s));
        QCOMPARE(one.ask(u"resources/read"_s, {{u"uri"_s, uri}})["result"_L1]["contents"_L1][0]["text"_L1].toString(),
                 u"mine\n"_s);
    }

    void nonsenseInBetweenHarmsNothing()
    {
        const Home home;
        Conversation client(home);
        client.write("not JSON");
        QVERIFY(client.next().contains(u"error"_s));
        client.write("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"run_code\","
                     "\"arguments\":{\"language\":\"sh\",\"code\":\"\xff\xfe\"}}}");
        QVERIFY(client.next().contains(u"error"_s));
        const QJsonObject missing = client.ask(u"tools/call"_s, {{u"name"_s, u"run_code"_s}});
        QVERIFY(missing.contains(u"error"_s) || missing["result"_L1]["isError"_L1].toBool());
        const QJsonObject unknown = client.ask(u"tools/call"_s, {{u"name"_s, u"nosuch"_s}});
        QVERIFY(unknown.contains(u"error"_s));
        QCOMPARE(client.run(u"echo still"_s)["stdout"_L1].toString(), u"still\n"_s);
    }

    void aMegabyteOfCodeRunsAndMoreIsRefused()
    {
        const Home home;
        Conversation client(home);
        const QString line = u"# ünïcödé 0123456789\n"_s;
        QString code = line.repeated(1024 * 1024 / line.size() - 1) + u"print('end')"_s;
        QCOMPARE(client.run(code, u"python"_s)["stdout"_L1].toString(), u"end\n"_s);
        code += line.repeated(10);
        const QJsonObject more = client.call(u"run_code"_s, {{u"language"_s, u"python"_s}, {u"code"_s, code}});
        QVERIFY(!more["structuredContent"_L1].toObject().contains(u"stdout"_s));
        QCOMPARE(client.run(u"echo still"_s)["stdout"_L1].toString(), u"still\n"_s);
    }

    // An editor's configuration file in a repository sets the environment.
    void theEnvironmentCantGiveARunMore()
    {
        const Home home;
        const auto program = home.program({u"mcp"_s});
        QProcessEnvironment environment = program->processEnvironment();
        environment.insert(u"GLOVEBOX_RUN_MEMORY_MB"_s, u"4096"_s);
        program->setProcessEnvironment(environment);
        program->start();
        program->write(
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\","
            "\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}\n"
            "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"run_code\","
            "\"arguments\":{\"language\":\"sh\",\"code\":\"echo ran\"}}}\n");
        QByteArray output;
        QVERIFY(waitForOutput(*program, "GLOVEBOX_RUN_MEMORY_MB", output));
        QVERIFY(!output.contains("ran\\n"));
        program->closeWriteChannel();
        QVERIFY(program->waitForFinished());
    }

    // What a repository's .mcp.json says the person's settings are, they are not.
    void aProjectsOwnSettingsGrantNothing_data()
    {
        QTest::addColumn<QString>("variable");
        QTest::addColumn<bool>("startsThere");
        QTest::addColumn<bool>("isRepository");
        QTest::addColumn<bool>("isRefused");
        QTest::newRow("GLOVEBOX_HOME") << u"GLOVEBOX_HOME"_s << true << false << true;
        QTest::newRow("XDG_CONFIG_HOME") << u"XDG_CONFIG_HOME"_s << true << false << true;
        QTest::newRow("XDG_DATA_HOME") << u"XDG_DATA_HOME"_s << true << false << true;
        QTest::newRow("HOME") << u"HOME"_s << true << false << true;
        QTest::newRow("of a repository, started elsewhere") << u"XDG_CONFIG_HOME"_s << false << true << true;
        QTest::newRow("no project") << u"XDG_CONFIG_HOME"_s << false << false << false;
    }
    void aProjectsOwnSettingsGrantNothing()
    {
        QFETCH(QString, variable);
        QFETCH(bool, startsThere);
        QFETCH(bool, isRepository);
        QFETCH(bool, isRefused);
        const Home home, project;
        const QString moved = project.path(u"a/b"_s);
        for (const QString &config : {u"config"_s, u"glovebox"_s, u".config/glovebox"_s}) {
            QVERIFY(QDir().mkpath(moved + u'/' + config));
            project.write(u"a/b/"_s + config + u"/settings.json"_s, R"({"mcp":{"limits":"on"}})");
        }
        if (isRepository)
            QVERIFY(QDir(project.path()).mkdir(u".git"_s));
        const auto program = home.program({u"mcp"_s});
        QProcessEnvironment environment = program->processEnvironment();
        environment.remove(u"GLOVEBOX_HOME"_s);
        for (const QString &usual : {u"XDG_CONFIG_HOME"_s, u"XDG_DATA_HOME"_s, u"XDG_RUNTIME_DIR"_s})
            environment.remove(usual);
        environment.insert(u"HOME"_s, home.path());
        environment.insert(variable, moved);
        program->setProcessEnvironment(environment);
        program->setWorkingDirectory(startsThere ? project.path() : home.path(u".."_s));
        program->start();
        program->write(
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\","
            "\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}\n"
            "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"run_code\","
            "\"arguments\":{\"language\":\"sh\",\"code\":\"echo r$((1))n\",\"timeout\":600}}}\n");
        QByteArray output;
        QVERIFY2(waitForOutput(*program, isRefused ? "files there could grant agents anything" : "r1n\\n", output),
                 output);
        QVERIFY(!isRefused || !output.contains("r1n"));
        program->closeWriteChannel();
        QVERIFY(program->waitForFinished());
    }
};

QTEST_GUILESS_MAIN(TestStdioTools)
#include "tst_stdiotools.moc"
