// SPDX-License-Identifier: Apache-2.0
// The page of agents, with a real engine: who is paired, what each may do, and what it ran.
#include "app/workbench/agents/agentspage.h"
#include "app/workbench/shell/words/limitwords.h"
#include "tests/app/workbench/desk/desk.h"

#include <QAbstractItemView>
#include <QCheckBox>
#include <QComboBox>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLabel>
#include <QProcess>
#include <QPushButton>
#include <QScrollArea>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestAgentsPage : public QObject
{
    Q_OBJECT

private:
    std::unique_ptr<Desk> m_desk;

    QWidget *page() { return m_desk->frame.page(u"agents"_s)->widget(); }
    QString words()
    {
        QStringList all;
        for (const QLabel *label : page()->findChildren<QLabel *>())
            all.append(label->text());
        return all.join(u'\n');
    }
    QPushButton *button(const QString &name)
    {
        for (auto *found : page()->findChildren<QPushButton *>()) {
            if (found->isVisible() && found->objectName().startsWith(u"agents."_s + name))
                return found;
        }
        return nullptr;
    }
    NewPairing pair(const QString &name)
    {
        return m_desk->context.engine()->approvals().pair(name, {}).value_or(NewPairing());
    }

private Q_SLOTS:
    void init()
    {
        m_desk = std::make_unique<Desk>();
        m_desk->frame.resize(1360, 860);
        m_desk->show();
        m_desk->openEngine();
        m_desk->frame.showPage(u"agents"_s);
        Desk::settle();
    }
    void cleanup() { m_desk.reset(); }

    void withoutAgentsThePageSaysWhatToDo()
    {
        QTRY_VERIFY2(words().contains(u"No program has run code here yet"), qPrintable(words()));
        QTRY_VERIFY2(words().contains(u"Add an agent"), qPrintable(words()));
    }

    // As the file has it each time that the page is opened; what isn't valid is told.
    void serversOfThePersonAreListed()
    {
        QTRY_VERIFY2(words().contains(u"Code may call tools of MCP servers"), qPrintable(words()));
        const QString file = m_desk->paths.toolServersFile();
        QVERIFY(words().contains(file));
        const auto write = [&](const QByteArray &content) {
            QVERIFY(QDir().mkpath(m_desk->paths.config));
            QFile out(file);
            QVERIFY(out.open(QIODevice::WriteOnly) && out.write(content) == content.size());
            out.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
            out.close();
            m_desk->frame.showPage(u"bench"_s);
            m_desk->frame.showPage(u"agents"_s);
        };
        write(
            R"({"notes":{"command":["/usr/bin/env","notes-server"],"tools":{"search":{"folder":["work","home"]},"read":{}}},
                  "empty":{"command":["/usr/bin/true"],"tools":{}}})");
        QTRY_VERIFY2(words().contains(u"May be called: notes.search, only with folder: work or home"),
                     qPrintable(words()));
        QVERIFY(words().contains(u"May be called: notes.read\n"));
        QVERIFY(words().contains(u"/usr/bin/env notes-server"));
        QVERIFY(words().contains(u"To see the server's tools: glovebox mcp servers empty"));
        qobject_cast<QScrollArea *>(page())->ensureWidgetVisible(page()->findChild<QWidget *>(u"agents.servers"_s));
        QVERIFY(m_desk->save(u"agents-servers"_s));
        write("{\"notes\":");
        QTRY_VERIFY2(words().contains(u"mcp-servers.json"_s) && !words().contains(u"notes.search"),
                     qPrintable(words()));
    }

    void aProgramIsPairedAndRemoved()
    {
        const NewPairing pairing = pair(u"Codex<b>"_s);
        QVERIFY(!pairing.client.id.isEmpty());
        QTRY_VERIFY2(words().contains(u"Nothing was granted to it alone."), qPrintable(words()));
        QVERIFY(words().contains(u"Codex<b>"_s));
        QTRY_VERIFY(button(u"remove"_s));
        button(u"remove"_s)->click();
        QCOMPARE(m_desk->context.engine()->approvals().clients()->size(), 1); // it asks first
        QTRY_VERIFY(button(u"keep"_s));
        button(u"remove"_s)->click();
        QTRY_COMPARE(m_desk->context.engine()->approvals().clients()->size(), 0);
        QTRY_VERIFY(!words().contains(u"Paired agents"));
    }

    void grantsAreShownAndTakenBackAndRemovingEndsRuns()
    {
        const NewPairing pairing = pair(u"Codex"_s);
        RunRequest request;
        request.code = "sleep 100";
        request.language = u"sh"_s;
        request.policy = m_desk->context.settings()->policy();
        request.policy.limits.wall *= 2;
        request.caller = {.kind = Caller::Kind::Mcp,
                          .pid = 77,
                          .program = u"/usr/bin/codex"_s,
                          .way = Caller::Way::Socket,
                          .pairing = pairing.client.id,
                          .connection = u"c"_s};
        const auto run = m_desk->context.engine()->start(request);
        QTRY_COMPARE(m_desk->context.inbox().contents().asks.size(), 1);
        const Inbox::Ask ask = m_desk->context.inbox().contents().asks.first();
        QVERIFY(m_desk->context.inbox().allow(ask.request.run, ask.digest, ApprovalScope::Always));
        QTRY_VERIFY_WITH_TIMEOUT(words().contains(u"May use up to "_s + limitPhrase(LimitKind::Wall, 60'000)), 10'000);
        m_desk->context.actions().trigger(u"agents.later"_s);
        QVERIFY(m_desk->save(u"agents-filled"_s));
        QTRY_VERIFY_WITH_TIMEOUT(run->state() == RunState::Running, 10'000);
        QTRY_VERIFY(button(u"takeback"_s));
        button(u"takeback"_s)->click();
        QTRY_COMPARE(m_desk->context.engine()->approvals().grantsOf(pairing.client.id)->size(), 0);
        QTRY_VERIFY(button(u"remove"_s));
        button(u"remove"_s)->click();
        QTRY_VERIFY(button(u"keep"_s));
        button(u"remove"_s)->click();
        QVERIFY(run->wait()->outcome == Outcome::Cancelled);
        QVERIFY(run->result()->reason.english().contains(u"removed the agent"));
        QTRY_VERIFY(!m_desk->context.notifications().notes().isEmpty());
        QVERIFY2(m_desk->context.notifications().notes().last().text.contains(u"1 run of it ended"),
                 qPrintable(m_desk->context.notifications().notes().last().text));
    }

    void switchesAreSettingsOfAllPrograms()
    {
        const auto choose = [this](const QString &name, const QString &value) {
            auto *choice = page()->findChild<QComboBox *>(u"agents.switch."_s + name);
            QVERIFY2(choice && choice->isEnabled(), qPrintable(name));
            choice->setCurrentIndex(choice->findData(value));
            Q_EMIT choice->activated(choice->currentIndex());
        };
        const auto stored = [this](const QString &key) {
            const auto settings = Settings::load(m_desk->paths.settingsFile(), {});
            return settings ? (*settings)->value(key).value.toString() : QString();
        };
        for (const SettingInfo &info : Settings::schema()) {
            const QString name = QString(info.key.section(u'.', 1)).replace(u'_', u'-');
            if (info.key.startsWith(u"mcp."_s) && !info.choices.isEmpty())
                QVERIFY2(page()->findChild<QComboBox *>(u"agents.switch."_s + name), qPrintable(info.key));
        }
        const auto *run = page()->findChild<QComboBox *>(u"agents.switch.run-code"_s);
        QTRY_COMPARE(run->currentText(), u"On"_s);
        QCOMPARE(page()->findChild<QComboBox *>(u"agents.switch.hosts"_s)->currentText(), u"Asks"_s);
        auto *open = page()->findChild<QLabel *>(u"agents.switches.open"_s);
        QVERIFY(!open->isVisible());
        choose(u"run-code"_s, u"off"_s);
        QTRY_COMPARE(stored(u"mcp.run_code"_s), u"off"_s);
        choose(u"hosts"_s, u"on"_s);
        choose(u"secrets"_s, u"on"_s);
        QTRY_COMPARE(stored(u"mcp.secrets"_s), u"on"_s);
        QTRY_COMPARE(open->text(), u"Every agent gets these without a question: Hosts, Keys."_s);
        QVERIFY(open->isVisible());
        QVERIFY(!words().contains(u"Whatever wants more needs your answer."));
        QVERIFY(m_desk->save(u"agents-switches"_s));
        choose(u"hosts"_s, u"off"_s);
        choose(u"secrets"_s, u"asks"_s);
        choose(u"elicitation"_s, u"off"_s);
        QTRY_COMPARE(stored(u"mcp.elicitation"_s), u"off"_s);
        QTRY_VERIFY(!open->isVisible());
        // Another program's change is shown when the page is.
        const auto elsewhere = Settings::load(m_desk->paths.settingsFile(), {});
        QVERIFY((*elsewhere)->store(u"mcp.run_code"_s, u"asks"_s));
        QVERIFY(m_desk->context.settings()->reload());
        m_desk->context.tellSettings({});
        QTRY_COMPARE(run->currentText(), u"Asks"_s);
    }

    // An agent's side: the program that it starts, which finds the window by the socket.
    void codeOfAgentsRunsInThisWindowAndAsksHere()
    {
        // What may use the socket is the program beside this one: a link, made with the build.
        QVERIFY(QFile::exists(QCoreApplication::applicationDirPath() + u"/glovebox"_s));
        auto *endpoint = page()->findChild<QCheckBox *>(u"agents.endpoint"_s);
        QVERIFY(endpoint);
        QTRY_VERIFY(endpoint->isEnabled());
        QVERIFY(!endpoint->isChecked());
        QVERIFY(words().contains(u"Off: each program's code runs apart"_s));
        endpoint->click();
        QTRY_VERIFY2(words().contains(u"from now on run their code here"_s), qPrintable(words()));

        QProcess agent;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"GLOVEBOX_HOME"_s, m_desk->home.path());
        agent.setProcessEnvironment(environment);
        agent.start(QStringLiteral(GLOVEBOX_BIN "/glovebox"), {u"mcp"_s});
        QVERIFY(agent.waitForStarted());
        const auto say = [&](const QByteArray &line) { agent.write(line + '\n'); };
        const auto answer = [&] {
            QByteArray line;
            const auto isWhole = [&] {
                line += agent.readLine();
                return line.endsWith('\n');
            };
            [&] { QTRY_VERIFY_WITH_TIMEOUT(isWhole(), 30'000); }();
            return QJsonDocument::fromJson(line).object();
        };
        const auto call = [&](int id, const QByteArray &arguments) {
            say(R"({"jsonrpc":"2.0","id":)" + QByteArray::number(id)
                + R"(,"method":"tools/call","params":{"name":"run_code","arguments":)" + arguments + "}}");
        };
        say(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},)"
            R"("clientInfo":{"name":"shop","version":"1"}}})");
        QVERIFY(answer()["result"_L1].isObject());
        say(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");

        // It has run nothing yet, and is seen.
        const QString connected = u"Process %1, %2, started in "_s.arg(QCoreApplication::applicationPid())
                                      .arg(QFileInfo(u"/proc/self/exe"_s).symLinkTarget());
        QTRY_VERIFY2_WITH_TIMEOUT(words().contains(connected), qPrintable(words()), 10'000);

        // Within the usual limits: at once.
        call(1, R"json({"language":"sh","code":"echo $((6*7))"})json");
        const QJsonObject first = answer()["result"_L1]["structuredContent"_L1].toObject();
        QCOMPARE(first["stdout"_L1].toString(), u"42\n"_s);
        QVERIFY(m_desk->context.inbox().contents().asks.isEmpty());

        // More: asked here.
        call(2, R"({"language":"sh","code":"echo hi","timeout":600})");
        QTRY_COMPARE_WITH_TIMEOUT(m_desk->context.inbox().contents().asks.size(), 1, 20'000);
        const Inbox::Ask ask = m_desk->context.inbox().contents().asks.first();
        QCOMPARE(ask.request.caller.pid, QCoreApplication::applicationPid()); // who started that program
        QCOMPARE(ask.request.caller.claimed, u"shop"_s);
        QVERIFY(m_desk->context.inbox().deny(ask.request.run, ask.digest));
        QVERIFY(answer()["result"_L1]["isError"_L1].toBool());

        // The window closes in the middle of a call: that call ends with a sentence, and the next one is answered all the same.
        call(3, R"({"language":"sh","code":"sleep 100"})");
        QTRY_VERIFY_WITH_TIMEOUT(words().contains(u"sleep 100"_s), 20'000); // on record, so in this window
        m_desk.reset();
        // Or with its run's end, where that came first.
        const QJsonObject lost = answer();
        const QJsonValue ended = lost["result"_L1]["structuredContent"_L1]["outcome"_L1];
        QVERIFY2(lost["error"_L1].isObject() || lost["result"_L1]["isError"_L1].toBool() || ended == u"cancelled"_s,
                 QJsonDocument(lost).toJson().constData());
        m_desk = std::make_unique<Desk>(); // the home of the old one is gone with it
        agent.closeWriteChannel();
        QVERIFY(agent.waitForFinished(30'000));
        QCOMPARE(agent.exitCode(), 0);
    }

    std::shared_ptr<Run> startAs(const QString &program, const QString &pairing, const QByteArray &code)
    {
        RunRequest request;
        request.code = code;
        request.language = u"sh"_s;
        request.policy = m_desk->context.settings()->policy();
        request.caller = {.kind = Caller::Kind::Mcp,
                          .pid = 77,
                          .program = program,
                          .way = Caller::Way::Stdio,
                          .pairing = pairing,
                          .connection = u"c"_s};
        return m_desk->context.engine()->start(request);
    }

    void aPauseLetsNothingStartUntilItIsTakenBack()
    {
        QTRY_VERIFY2(words().contains(u"Each agent may run 8 at once and start 600 in a minute."_s),
                     qPrintable(words()));
        auto *pause = page()->findChild<QCheckBox *>(u"agents.pause"_s);
        QVERIFY(pause);
        QTRY_VERIFY(pause->isEnabled());
        pause->click();
        QTRY_VERIFY2(words().contains(u"Paused until you resume agents here"_s), qPrintable(words()));
        const auto refused = startAs(u"/usr/bin/codex"_s, {}, "echo ran");
        QVERIFY(refused->wait()->outcome == Outcome::Denied);
        QVERIFY2(refused->result()->reason.english().startsWith(u"The person paused all agents."_s),
                 qPrintable(refused->result()->reason.english()));
        QTRY_VERIFY2(words().contains(u"Agents are paused: nothing of theirs starts"_s), qPrintable(words()));
        QVERIFY(!words().contains(u"runs without a question"_s));
        const auto reread = Settings::load(m_desk->paths.settingsFile(), {});
        QVERIFY(reread && reread.value()->value(u"mcp.paused"_s).value.toBool()); // after a restart, too
        pause->click();
        QTRY_VERIFY2(words().contains(u"A pause lets nothing of agents start"_s), qPrintable(words()));
        QVERIFY(startAs(u"/usr/bin/codex"_s, {}, "echo ran")->wait()->outcome == Outcome::Completed);
    }

    void closingTheWindowNamesTheRunsOfAgents()
    {
        const Page *agents = m_desk->frame.page(u"agents"_s);
        QVERIFY(agents->closingEnds().isEmpty());
        const auto run = startAs(u"/usr/bin/codex"_s, {}, "sleep 60");
        const auto one = u"1 run of agents is going on in this window; closing stops it."_s;
        QTRY_COMPARE(agents->closingEnds(), one);
        // A tool that asks is no run.
        ApprovalRequest tool;
        tool.run = u"the question"_s;
        tool.caller = {.kind = Caller::Kind::Mcp, .pid = 77};
        tool.tool = u"read_file"_s;
        m_desk->context.inbox().ask(tool, [](const auto &) { });
        QTRY_COMPARE(agents->closingEnds(), u"1 question of an agent waits; closing denies it.\n"_s + one);
        m_desk->context.inbox().withdraw(tool.run);
        QTRY_COMPARE(agents->closingEnds(), one);
        run->cancel();
        run->wait();
        QTRY_VERIFY(agents->closingEnds().isEmpty());
    }

    void eachAgentLeadsToItsOwnRuns()
    {
        const NewPairing pairing = pair(u"Codex"_s);
        for (const auto &[program, client, code] :
             {std::tuple(u"/usr/bin/codex"_s, pairing.client.id, QByteArray("echo paired")),
              std::tuple(u"/usr/bin/goose"_s, QString(), QByteArray("echo goose")),
              std::tuple(u"/usr/bin/zed"_s, QString(), QByteArray("echo zed"))})
            QVERIFY(startAs(program, client, code)->wait()->outcome == Outcome::Completed);
        auto *list = m_desk->frame.page(u"history"_s)->widget()->findChild<QAbstractItemView *>(u"history.runs"_s);
        const auto shows = [&](const QString &line) {
            if (!list)
                list = m_desk->frame.page(u"history"_s)->widget()->findChild<QAbstractItemView *>(u"history.runs"_s);
            if (!list || !list->model() || list->model()->rowCount() != 1)
                return false;
            for (int column = 0; column < list->model()->columnCount(); ++column) {
                if (list->model()->index(0, column).data().toString().contains(line))
                    return true;
            }
            return false;
        };
        QTRY_VERIFY(button(u"runs"_s));
        button(u"runs"_s)->click();
        QCOMPARE(m_desk->frame.currentPage(), u"history"_s);
        QTRY_VERIFY(shows(u"echo paired"_s));
        auto *chip = m_desk->frame.findChild<QPushButton *>(u"history.filter.agent"_s);
        QVERIFY(chip && chip->isVisible());
        QCOMPARE(chip->text(), u"Codex"_s);
        QVERIFY(m_desk->save(u"history-agent"_s));
        m_desk->frame.showPage(u"agents"_s);
        QTRY_VERIFY(words().contains(u"echo goose"_s));
        for (auto *each : page()->findChildren<QPushButton *>()) {
            if (each->objectName().startsWith(u"agents.of."_s) && each->text() == u"goose"_s)
                each->click();
        }
        QCOMPARE(m_desk->frame.currentPage(), u"history"_s);
        QTRY_VERIFY(shows(u"echo goose"_s));
        // A run that comes while the filter is set is in the list only if it is of that agent.
        QVERIFY(startAs(u"/usr/bin/zed"_s, {}, "echo zed again")->wait()->outcome == Outcome::Completed);
        QVERIFY(startAs(u"/usr/bin/goose"_s, {}, "echo goose again")->wait()->outcome == Outcome::Completed);
        QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 2, 10'000);
        chip->click();
        QTRY_VERIFY_WITH_TIMEOUT(list->model()->rowCount() > 2, 10'000);
    }

    void aCallLeadsToItsRun()
    {
        RunRequest request;
        request.code = "echo hello";
        request.language = u"sh"_s;
        request.policy = m_desk->context.settings()->policy();
        request.caller = {
            .kind = Caller::Kind::Mcp, .pid = 77, .program = u"/usr/bin/codex"_s, .way = Caller::Way::Stdio};
        const auto run = m_desk->context.engine()->start(request);
        run->wait();
        QTRY_VERIFY_WITH_TIMEOUT(button(u"call"_s) && words().contains(u"Completed"_s), 10'000);
        button(u"call"_s)->click();
        QCOMPARE(m_desk->frame.currentPage(), u"history"_s);
        m_desk->frame.showPage(u"agents"_s);
        QTRY_VERIFY(button(u"history"_s));
        button(u"history"_s)->click();
        QCOMPARE(m_desk->frame.currentPage(), u"history"_s);
    }
};

GLOVEBOX_TEST_MAIN(TestAgentsPage)
#include "tst_agentspage.moc"
