// SPDX-License-Identifier: Apache-2.0
// Agents whose code calls tools of the person's MCP servers: listed, asked about, and answered for.
#include "toolfixture.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>

using namespace glovebox;
using namespace glovebox::mcp;
using namespace Qt::StringLiterals;

class TestServerTools : public ToolFixture
{
    Q_OBJECT

private:
    const QString m_code = u"from glovebox_tools import t\nprint(t.say(text='hi'))"_s;
    static QJsonObject with(const QStringList &tools) { return {{u"tools"_s, QJsonArray::fromStringList(tools)}}; }

private Q_SLOTS:
    void init()
    {
        open();
        const QString path = m_engine->paths().toolServersFile();
        QVERIFY(QDir().mkpath(m_engine->paths().config));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        const QJsonObject server{
            {u"command"_s,
             QJsonArray{u"/usr/bin/python3"_s, QStringLiteral(GLOVEBOX_SOURCE_DIR "/tests/support/toolserver.py")}},
            {u"tools"_s, QJsonObject{{u"say"_s, QJsonObject()}, {u"echo"_s, QJsonObject()}}}};
        file.write(QJsonDocument(QJsonObject{{u"t"_s, server}}).toJson());
        QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner));
    }
    void cleanup() { close(); }
    void cleanupTestCase() { QCOMPARE(complaintsAboutAnswers(), QByteArray()); }

    void thePersonIsAskedAndTheCodeCalls()
    {
        const QJsonObject run = this->run(u"python"_s, m_code, with({u"t.say"_s}));
        QCOMPARE(run["stdout"_L1].toString(), u"said hi\n"_s);
        QCOMPARE(m_approver->asked.load(), 1);
        QCOMPARE(m_approver->last.wants, (QList<Want>{{Want::Kind::ServerTool, u"t.say"_s, {}, {}}}));
        QCOMPARE(m_approver->last.policy.tools, QStringList{u"t.say"_s});
    }

    void nothingRunsWhereThePersonSaysNo()
    {
        m_approver->says = false;
        const QJsonObject run = this->run(u"python"_s, m_code, with({u"t.say"_s}));
        QCOMPARE(run["outcome"_L1].toString(), u"denied"_s);
        QVERIFY(run["stdout"_L1].toString().isEmpty());
        const QString how = run["denials"_L1].toArray().first()["how"_L1].toString();
        QVERIFY2(how.endsWith(u"with fewer hosts, secrets and tools."_s), qPrintable(how));
    }

    void nobodyIsAskedAboutToolsThatAreNotListed()
    {
        for (const QString &tool : {u"t.dies"_s, u"u.say"_s, u"say"_s}) {
            const QJsonObject run = this->run(u"python"_s, m_code, with({u"t.say"_s, tool}));
            QCOMPARE(run["outcome"_L1].toString(), u"rejected"_s);
        }
        QCOMPARE(m_approver->asked.load(), 0);
    }

    void theSwitchHolds()
    {
        QVERIFY(m_engine->settings().store(u"mcp.tools"_s, u"off"_s));
        QCOMPARE(run(u"python"_s, m_code, with({u"t.say"_s}))["outcome"_L1].toString(), u"denied"_s);
        QVERIFY(m_engine->settings().store(u"mcp.tools"_s, u"on"_s));
        QCOMPARE(run(u"python"_s, m_code, with({u"t.say"_s}))["stdout"_L1].toString(), u"said hi\n"_s);
        QCOMPARE(m_approver->asked.load(), 0);
    }

    void refusedCallsAreDenials()
    {
        const QJsonObject run = this->run(
            u"python"_s,
            u"import glovebox_tools\ntry:\n    glovebox_tools._call('t.echo', {})\nexcept Exception as e:\n    print(e)"_s,
            with({u"t.say"_s}));
        QVERIFY(run["stdout"_L1].toString().contains(u"may call only t.say"_s));
        const QJsonObject denial = run["denials"_L1].toArray().first().toObject();
        QCOMPARE(denial["what"_L1].toString(), u"tool: t.echo"_s);
        QCOMPARE(denial["why"_L1].toString(), u"The call of t.echo was refused: the run may call only t.say."_s);
    }

    void cellsCallWhatTheyWereGiven()
    {
        const QJsonObject made = answer(u"session"_s, {{u"action"_s, u"create"_s}});
        QJsonObject cell{{u"session"_s, made["sessions"_L1][0]["id"_L1]}, {u"stateful"_s, true}};
        QJsonObject given = cell;
        given[u"tools"_s] = QJsonArray{u"t.say"_s};
        QCOMPARE(run(u"python"_s, m_code, given)["stdout"_L1].toString(), u"said hi\n"_s);
        QCOMPARE(m_approver->asked.load(), 1);
        QVERIFY(m_approver->last.isStateful);
        const QJsonObject none = run(u"python"_s, u"t.say(text='kept')"_s, cell);
        QVERIFY(none["stderr"_L1].toString().contains(u"the run may call no tools"_s));
        QCOMPARE(none["denials"_L1].toArray().first()["what"_L1].toString(), u"tool: t.say"_s);
        QCOMPARE(m_approver->asked.load(), 1);
        QCOMPARE(run(u"python"_s, u"t.say(text='kept')"_s, given)["stdout"_L1].toString(), u"'said kept'\n"_s);
    }

    void theBenchNamesTheTools()
    {
        const QJsonObject info = answer(u"sandbox_info"_s, {});
        QCOMPARE(info["tools"_L1].toArray(), (QJsonArray{u"t.echo"_s, u"t.say"_s}));
        QVERIFY(info["asks_the_person"_L1].toArray().contains(u"tools of MCP servers (tools)"_s));
        const QJsonObject plan =
            run(u"python"_s, m_code, {{u"tools"_s, QJsonArray{u"t.say"_s}}, {u"dry_run"_s, true}})["dry_run"_L1]
                .toObject();
        QCOMPARE(plan["verdict"_L1].toString(), u"asks_the_person"_s);
        QCOMPARE(plan["tools"_L1].toArray(), QJsonArray{u"t.say"_s});
    }
};

QTEST_GUILESS_MAIN(TestServerTools)
#include "tst_servertools.moc"
