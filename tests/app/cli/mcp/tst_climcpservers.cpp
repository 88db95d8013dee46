// SPDX-License-Identifier: Apache-2.0
// `glovebox mcp servers`, and `glovebox run --tool`, as a person starts them.
#include "tests/app/cli/program.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliMcpServers : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { m_home = std::make_unique<Home>(); }

    void withoutAListItSaysWhereItBelongs()
    {
        const Ended listed = m_home->run({u"mcp"_s, u"servers"_s});
        QCOMPARE(listed.status, 0);
        QVERIFY2(listed.out.contains("config/mcp-servers.json"), listed.out);
        const Ended refused = m_home->run({u"run"_s, u"--tool"_s, u"t.echo"_s, u"-c"_s, u"print(1)"_s});
        QCOMPARE(refused.status, 125);
        QVERIFY2(refused.err.contains("the list of servers is empty"), refused.err);
    }

    void serversAreListedWithWhatRunsMayCall()
    {
        list(R"({"say": {"text": ["hi", 2]}, "echo": {}})");
        const Ended listed = m_home->run({u"mcp"_s, u"servers"_s});
        QCOMPARE(listed.status, 0);
        QVERIFY2(listed.out.contains("  t.echo\n  t.say (only text: hi or 2)\n"), listed.out);
        QCOMPARE(m_home->run({u"mcp"_s, u"servers"_s, u"u"_s}).status, 1);
        QCOMPARE(m_home->run({u"mcp"_s, u"servers"_s, u"t"_s, u"u"_s}).status, 2);
        const Ended all = m_home->run({u"mcp"_s, u"servers"_s, u"t"_s});
        QCOMPARE(all.status, 0);
        QVERIFY2(all.out.contains("t.echo([count], text)  on the list\n  Gives its arguments back.\n"), all.out);
        QVERIFY2(all.out.contains("t.dies()\n"), all.out);
        QVERIFY(!all.out.contains("\u202e")); // of the description of odd-name.v2
    }

    void aRunCallsATool()
    {
        list(R"({"say": {}})");
        const Ended run = m_home->run(
            {u"run"_s, u"--tool"_s, u"t.say"_s, u"-c"_s, u"from glovebox_tools import t\nprint(t.say(text='hi'))"_s});
        QVERIFY2(run.status == 0, run.err);
        QCOMPARE(run.out, QByteArray("said hi\n"));
        const Ended shown = m_home->run({u"audit"_s, u"show"_s, u"last"_s});
        QVERIFY2(shown.out.contains("t.say") && shown.out.contains("The run called t.say ("), shown.out);

        const Ended refused = m_home->run(
            {u"run"_s, u"--tool"_s, u"t.say"_s, u"--json"_s, u"-c"_s,
             u"import glovebox_tools\ntry:\n glovebox_tools._call('t.dies', {})\nexcept Exception: pass"_s});
        const QJsonArray events = refused.json()[u"events"_s].toArray();
        QCOMPARE(events.size(), 2);
        QCOMPARE(events[1][u"type"_s].toString(), u"tool.refused"_s);
        QCOMPARE(m_home->run({u"run"_s, u"--tool"_s, u"say"_s, u"-c"_s, u"1"_s}).status, 2);
    }

    void cellsCallTools()
    {
        list(R"({"say": {}})");
        QCOMPARE(m_home->run({u"session"_s, u"create"_s, u"--name"_s, u"shop"_s}).status, 0);
        const QStringList cells{u"run"_s, u"--session"_s, u"shop"_s, u"--stateful"_s};
        const Ended run = m_home->run(cells
                                      + QStringList{u"--tool"_s, u"t.say"_s, u"-c"_s, u"from glovebox_tools import t"_s,
                                                    u"-c"_s, u"t.say(text='hi')"_s});
        QVERIFY2(run.status == 0, run.err);
        QCOMPARE(run.out, QByteArray("'said hi'\n"));
        const Ended shown = m_home->run({u"audit"_s, u"show"_s, u"last"_s});
        QVERIFY2(shown.out.contains("The run called t.say ("), shown.out);
        const Ended none = m_home->run(cells + QStringList{u"-c"_s, u"import glovebox_tools"_s});
        QVERIFY2(none.status == 1 && none.err.contains("No module named 'glovebox_tools'"), none.err);
    }

    // What the file doesn't say, no variable and no option says.
    void nothingButTheFileAddsToTheList()
    {
        list(R"({"say": {}})");
        const Ended run = m_home->run({u"run"_s, u"--tool"_s, u"t.echo"_s, u"-c"_s, u"print(1)"_s});
        QCOMPARE(run.status, 125);
        QVERIFY2(run.err.contains("The tool t.echo is not on the list"), run.err);
        QVERIFY(run.out.isEmpty());
        const QString file = m_home->path(u"config/mcp-servers.json"_s);
        QVERIFY(QFile::setPermissions(file, QFile::ReadOwner | QFile::WriteOwner | QFile::WriteOther));
        const Ended open = m_home->run({u"run"_s, u"--tool"_s, u"t.say"_s, u"-c"_s, u"print(1)"_s});
        QCOMPARE(open.status, 125);
        QVERIFY2(open.err.contains("mcp-servers.json"), open.err);
    }

private:
    void list(const QByteArray &tools)
    {
        QVERIFY(QDir(m_home->path()).mkpath(u"config"_s));
        const QString file = m_home->write(u"config/mcp-servers.json"_s,
                                           "{\"t\": {\"command\": [\"/usr/bin/python3\", \"" GLOVEBOX_SOURCE_DIR
                                           "/tests/support/toolserver.py\"], \"tools\": "
                                               + tools + "}}");
        QVERIFY(QFile::setPermissions(file, QFile::ReadOwner | QFile::WriteOwner));
    }

    std::unique_ptr<Home> m_home;
};

QTEST_GUILESS_MAIN(TestCliMcpServers)
#include "tst_climcpservers.moc"
