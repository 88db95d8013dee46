// SPDX-License-Identifier: Apache-2.0
// `glovebox mcp --http`: who is paired, what a pairing is granted and loses, and that the service leaves nothing behind.
#include "service.h"
#include "tests/app/cli/terminal/desk.h"
#include "tests/support/signals.h"

#include <QDir>
#include <QElapsedTimer>
#include <QTest>

#include <csignal>

#include <sys/stat.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

QList<QJsonObject> pairedClients(const Home &home)
{
    QList<QJsonObject> clients;
    const Ended list = home.run({u"mcp"_s, u"clients"_s, u"--json"_s});
    for (const QByteArray &line : list.out.split('\n')) {
        if (!line.isEmpty())
            clients.append(QJsonDocument::fromJson(line).object());
    }
    return clients;
}

bool waitForRun(const Home &home)
{
    return QTest::qWaitFor([&] { return !home.runsOnRecord().isEmpty(); }, 20'000);
}

} // namespace

class TestHttpService : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aPairedClientRunsCode()
    {
        const Home home;
        const HttpService service(home);
        QVERIFY2(service.port != 0 && service.said.contains("No client is paired yet"), service.said);
        const Ended paired = home.run({u"mcp"_s, u"pair"_s, u"my editor"_s});
        QCOMPARE(paired.status, 0);
        QCOMPARE(paired.out.size(), 44); // the token alone in its line
        const QByteArray token = paired.out.trimmed();
        QVERIFY(!paired.err.contains(token));
        QCOMPARE(pairedClients(home).first()[u"last_run_us"], QJsonValue());
        const QJsonObject run = runBy(HttpVisitor(service.port), token, shellCode(u"echo hello"_s));
        QCOMPARE(run[u"outcome"].toString(), u"completed"_s);
        QCOMPARE(run[u"stdout"].toString(), u"hello\n"_s);
        const QJsonObject row = home.runsOnRecord().first();
        QCOMPARE(row[u"caller"].toObject()[u"program"_s].toString(), u"my editor"_s);
        const QJsonObject client = pairedClients(home).first();
        QVERIFY(client[u"last_run_us"].toInteger() >= client[u"paired_us"].toInteger());
        const QByteArray listed = home.run({u"mcp"_s, u"clients"_s}).out;
        QVERIFY2(listed.startsWith("my editor ") && listed.contains(", last run 2") && !listed.contains(token), listed);
    }

    void pairingAndItsEndAreToldByTheRecord()
    {
        const Home home;
        QCOMPARE(home.run({u"mcp"_s, u"pair"_s, u"my editor"_s}).status, 0);
        QCOMPARE(home.run({u"mcp"_s, u"unpair"_s, u"my editor"_s}).status, 0);
        QByteArray told;
        for (int seq = 1; seq <= 3; ++seq) // a key was made on the way
            told += home.run({u"audit"_s, u"show"_s, QString::number(seq)}).out;
        QVERIFY2(told.contains("  kind        client.paired\n  agent       my editor was paired\n"), told);
        QVERIFY2(
            told.contains("  kind        client.removed\n  agent       removed, with all that was granted to it\n"),
            told);
        const Ended json = home.run({u"audit"_s, u"show"_s, u"1"_s, u"--json"_s});
        QCOMPARE(json.json()[u"entries"_s].toArray().size(), 1);
        QCOMPARE(json.json()[u"run"_s].toString(), QString());
    }

    void aTaskOutlivesItsConnectionAndIsItsClientsOwn()
    {
        const Home home;
        const HttpService service(home);
        const auto say = [&](const QByteArray &token, const QByteArray &session, const QString &method,
                             const QJsonObject &params) {
            const QByteArray fields = fieldsWith(token) + (session.isEmpty() ? QByteArray() : session);
            const QJsonObject message{
                {u"jsonrpc"_s, u"2.0"_s}, {u"id"_s, 1}, {u"method"_s, method}, {u"params"_s, params}};
            return HttpVisitor(service.port)
                .exchange(QJsonDocument(message).toJson(QJsonDocument::Compact), fields, "127.0.0.1", 60'000);
        };
        const auto sessionOf = [&](const QByteArray &token) {
            const HttpReply shaken = say(token, {}, u"initialize"_s,
                                         {{u"protocolVersion"_s, u"2025-11-25"_s},
                                          {u"capabilities"_s, QJsonObject()},
                                          {u"clientInfo"_s, QJsonObject{{u"name"_s, u"t"_s}, {u"version"_s, u"1"_s}}}});
            return "MCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: " + shaken.field("Mcp-Session-Id") + "\r\n";
        };
        const QByteArray mine = tokenFor(home, u"mine"_s), theirs = tokenFor(home, u"theirs"_s);
        const HttpReply started = say(mine, sessionOf(mine), u"tools/call"_s,
                                      {{u"name"_s, u"run_code"_s},
                                       {u"arguments"_s, shellCode(u"sleep 0.5; exit 3"_s)},
                                       {u"task"_s, QJsonObject{{u"ttl"_s, 60'000}}}});
        const QString id = started.json()[u"result"][u"task"][u"taskId"].toString();
        QVERIFY2(!id.isEmpty(), started.body);
        const QJsonObject about{{u"taskId"_s, id}};
        const HttpReply result = say(mine, sessionOf(mine), u"tasks/result"_s, about); // waits
        QVERIFY2(structured(result)[u"exit_code"].toInt() == 3, result.body);
        QCOMPARE(say(mine, sessionOf(mine), u"tasks/get"_s, about).json()[u"result"][u"status"].toString(),
                 u"completed"_s);
        QVERIFY(say(theirs, sessionOf(theirs), u"tasks/get"_s, about).error() != 0);
    }

    void whoIsNotPairedIsToldWhatToDo()
    {
        const Home home;
        const HttpService service(home);
        const ToolRequest request("", u"sandbox_info"_s, {});
        const auto answer = [&](const QByteArray &authorization) {
            return HttpVisitor(service.port)
                .exchange(request.body,
                          QByteArray(request.fields).replace("Authorization: Bearer \r\n", authorization));
        };
        const HttpReply bare = answer("");
        QCOMPARE(bare.status, 401);
        QCOMPARE(bare.field("WWW-Authenticate"), "Bearer realm=\"glovebox\"");
        QVERIFY2(bare.sentence().contains(u"glovebox mcp pair NAME"), qPrintable(bare.sentence()));
        const HttpReply wrong = answer("Authorization: Bearer wrong\r\n");
        QCOMPARE(wrong.status, 401);
        QVERIFY(wrong.field("WWW-Authenticate").contains("error=\"invalid_token\""));
        // Clients look for a server to log in at, and must find none.
        HttpVisitor visitor(service.port);
        visitor.send("GET /.well-known/oauth-protected-resource HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
        QCOMPARE(visitor.receive().status, 404);
    }

    void aNameIsGivenOnce()
    {
        const Home home;
        QCOMPARE(tokenFor(home, u"a"_s).size(), 43);
        for (const QString &name : {u"a"_s, u""_s, u"b\u202e"_s, u"c\nd"_s, QString(65, u'x')}) {
            const Ended refused = home.run({u"mcp"_s, u"pair"_s, name});
            QCOMPARE(refused.status, 1);
            QCOMPARE(refused.out, "");
            QVERIFY(refused.err.startsWith("glovebox: A client"));
        }
        QCOMPARE(home.run({u"mcp"_s, u"pair"_s}).status, 2);
        QCOMPARE(home.run({u"mcp"_s, u"unpair"_s, u"b"_s}).status, 1);
        QCOMPARE(pairedClients(home).size(), 1);
        QCOMPARE(home.run({u"mcp"_s, u"unpair"_s, pairedClients(home).first()[u"client"].toString()}).status, 0);
        QVERIFY(home.run({u"mcp"_s, u"clients"_s}).out.contains("No client is paired"));
        QCOMPARE(tokenFor(home, u"a"_s).size(), 43);
    }

    void aPairingThatIsTakenBackEndsItsRuns()
    {
        const Home home;
        HttpService service(home);
        const QByteArray token = tokenFor(home, u"a"_s), other = tokenFor(home, u"b"_s);
        HttpVisitor visitor(service.port);
        const ToolRequest request(token, u"run_code"_s, shellCode(u"sleep 25"_s));
        visitor.post(request.body, request.fields);
        QVERIFY(waitForRun(home));
        const Ended taken = home.run({u"mcp"_s, u"unpair"_s, u"a"_s});
        QVERIFY2(taken.status == 0 && taken.err.contains("Its next request is refused"), taken.err);
        QElapsedTimer time;
        time.start();
        QCOMPARE(structured(visitor.receive(30'000))[u"outcome"].toString(), u"cancelled"_s);
        QVERIFY(time.elapsed() < 10'000);
        QCOMPARE(visitor.exchange(request.body, request.fields).status, 401);
        QCOMPARE(runBy(HttpVisitor(service.port), other, shellCode(u"echo b"_s))[u"outcome"].toString(),
                 u"completed"_s);
    }

    // A stream that stays open ends with the pairing, and leaves those of others.
    void aPairingThatIsTakenBackEndsItsStreams()
    {
        const Home home;
        HttpService service(home);
        HttpVisitor first(service.port), second(service.port);
        for (const auto &[visitor, name] : {std::pair(&first, u"a"_s), std::pair(&second, u"b"_s)}) {
            const QByteArray body =
                R"({"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},"_meta":{)"
                R"("io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}})";
            visitor->post(body, fieldsWith(tokenFor(home, name))
                                    + "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\n");
            QVERIFY(visitor->sees("acknowledged"));
        }
        QCOMPARE(home.run({u"mcp"_s, u"unpair"_s, u"a"_s}).status, 0);
        QVERIFY(first.isEnded());
        QVERIFY(!second.isEnded(1'000));
    }

    void whatIsAlwaysAllowedIsBoundToThePairing()
    {
        const Home home;
        const QByteArray token = tokenFor(home, u"first"_s), other = tokenFor(home, u"second"_s);
        Desk desk(home, {u"mcp"_s, u"--http"_s, u"0"_s, u"--ask"_s});
        QVERIFY2(desk.waitFor("Paired: 2."), desk.seen);
        const quint16 port = HttpService::portIn(desk.seen);
        const QJsonObject wanting = shellCode(u"echo ran"_s, {{u"allow"_s, QJsonArray{u"www.example.org"_s}}});
        const auto outcomeOf = [&](const QByteArray &its, const QByteArray &answer) {
            desk.seen.clear();
            HttpVisitor visitor(port);
            const ToolRequest request(its, u"run_code"_s, wanting);
            visitor.post(request.body, request.fields);
            if (!answer.isEmpty()) {
                if (!desk.waitFor("Enter alone denies: "))
                    return u"not asked"_s;
                desk.type(answer);
            }
            return structured(visitor.receive(60'000))[u"outcome"].toString();
        };
        QCOMPARE(outcomeOf(token, "a\r"), u"completed"_s);
        QVERIFY2(desk.seen.contains("the paired client \"first\" wants to run this sh code"), desk.seen);
        QVERIFY2(desk.seen.contains("until this server ends"), desk.seen);
        QCOMPARE(outcomeOf(token, ""), u"completed"_s); // another connection, and no question
        QVERIFY2(!desk.seen.contains("wants to run"), desk.seen);
        QCOMPARE(outcomeOf(other, "\r"), u"denied"_s);
        const QByteArray listed = home.run({u"mcp"_s, u"clients"_s}).out;
        QVERIFY2(listed.contains("  always: ") && listed.contains("www.example.org"), listed);

        // With the pairing its grants go; the same name paired again is another.
        QCOMPARE(home.run({u"mcp"_s, u"unpair"_s, u"first"_s}).status, 0);
        QCOMPARE(outcomeOf(tokenFor(home, u"first"_s), "\r"), u"denied"_s);
    }

    void whereNobodyCanBeAskedTheAnswerSaysWhatToDo()
    {
        const Home home;
        const HttpService service(home);
        const QJsonObject run = runBy(HttpVisitor(service.port), tokenFor(home, u"a"_s),
                                      shellCode(u"echo ran"_s, {{u"allow"_s, QJsonArray{u"www.example.org"_s}}}));
        QCOMPARE(run[u"outcome"].toString(), u"denied"_s);
        QVERIFY2(run[u"reason"].toString().contains(u"--ask, on a terminal"), qPrintable(run[u"reason"].toString()));
    }

    void aSignalEndsItsRunsAndLeavesNothing_data()
    {
        QTest::addColumn<int>("signal");
        QTest::newRow("SIGINT") << SIGINT;
        QTest::newRow("SIGTERM") << SIGTERM;
    }
    void aSignalEndsItsRunsAndLeavesNothing()
    {
        QFETCH(int, signal);
        const Home home;
        const QString socket = home.path(u"s/http.sock"_s);
        HttpService service(home, {u"--http-socket"_s, socket});
        HttpVisitor visitor(socket);
        const ToolRequest request(tokenFor(home, u"a"_s), u"run_code"_s, shellCode(u"trap '' INT TERM; sleep 1000"_s));
        visitor.post(request.body, request.fields);
        QVERIFY(waitForRun(home));
        QCOMPARE(sendSignal(service.process().processId(), signal), 0);
        QCOMPARE(finish(service.process()).status, 0);
        QCOMPARE(home.runsOnRecord().first()[u"outcome"].toString(), u"cancelled"_s);
        QCOMPARE(
            QDir(home.path(u"s"_s)).entryList(QDir::AllEntries | QDir::System | QDir::Hidden | QDir::NoDotAndDotDot),
            QStringList());
    }

    void withNohupItOutlivesItsTerminal()
    {
        const Home home;
        auto process = home.program({u"-c"_s, u"trap '' HUP; exec \"$0\" mcp --http 0"_s, programFile()});
        process->setProgram(u"/bin/sh"_s);
        HttpService service(std::move(process));
        QCOMPARE(sendSignal(service.process().processId(), SIGHUP), 0);
        const QJsonObject run = runBy(HttpVisitor(service.port), tokenFor(home, u"a"_s), shellCode(u"echo 1"_s));
        QCOMPARE(run[u"stdout"].toString(), u"1\n"_s);
    }

    void aPlaceIsServedOnce()
    {
        const Home home;
        const HttpService first(home);
        const Ended second = home.run({u"mcp"_s, u"--http"_s, QString::number(first.port)});
        QCOMPARE(second.status, 1);
        QVERIFY2(second.err.contains("can't be listened on") && second.err.contains("Name another port"), second.err);
        for (const QString &port : {u"-1"_s, u"65536"_s, u"http"_s})
            QCOMPARE(home.run({u"mcp"_s, u"--http=%1"_s.arg(port)}).status, 2);
    }

    void onASocketOnlyItsOwnerIsServed()
    {
        const Home home;
        const QString path = home.path(u"s/http.sock"_s);
        const QByteArray token = tokenFor(home, u"a"_s);
        {
            HttpService service(home, {u"--http-socket"_s, path});
            struct stat info = {};
            QCOMPARE(::stat(path.toUtf8().constData(), &info), 0);
            QCOMPARE(info.st_mode & 07777, mode_t(0600));
            QCOMPARE(::stat(home.path(u"s"_s).toUtf8().constData(), &info), 0);
            QCOMPARE(info.st_mode & 07777, mode_t(0700));
            QCOMPARE(runBy(HttpVisitor(path), token, shellCode(u"echo hi"_s))[u"stdout"].toString(), u"hi\n"_s);
            QCOMPARE(HttpVisitor(path).exchange("{}", fieldsWith("wrong"), "localhost").status, 401);
            const Ended second = home.run({u"mcp"_s, u"--http-socket"_s, path});
            QVERIFY2(second.status == 1 && second.err.contains("listens at"), second.err);
            service.process().kill(); // and leaves its socket there
            service.process().waitForFinished();
        }
        const HttpService again(home, {u"--http-socket"_s, path});
        QCOMPARE(runBy(HttpVisitor(path), token, shellCode(u"echo hi"_s))[u"stdout"].toString(), u"hi\n"_s);
    }

    void bothPlacesAtOnce()
    {
        const Home home;
        const QString path = home.path(u"s/http.sock"_s);
        const HttpService service(home, {u"--http"_s, u"0"_s, u"--http-socket"_s, path});
        const QByteArray token = tokenFor(home, u"a"_s);
        QCOMPARE(runBy(HttpVisitor(service.port), token, shellCode(u"echo 1"_s))[u"stdout"].toString(), u"1\n"_s);
        QCOMPARE(runBy(HttpVisitor(path), token, shellCode(u"echo 2"_s))[u"stdout"].toString(), u"2\n"_s);
    }
};

QTEST_GUILESS_MAIN(TestHttpService)
#include "tst_httpservice.moc"
