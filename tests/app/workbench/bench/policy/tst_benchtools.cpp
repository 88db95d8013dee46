// SPDX-License-Identifier: Apache-2.0
// Tools of MCP servers on the bench: chosen in the sentence, called by the code of a real server, said before the run where they can't be.
#include "tests/app/workbench/bench/benchseat.h"

#include <QCheckBox>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestBenchTools : public QObject, private BenchSeat
{
    Q_OBJECT
private Q_SLOTS:
    void init() { sitDown(); }
    void cleanup() { m_desk.reset(); }

    void withoutAListThereIsNoWordAndAWayToThePage();
    void codeCallsATool();
    void anInterpreterThatStaysHasTheToolsOfTheRun();
    void whatIsNotChosenOrNotAllowedIsRefusedAndOnRecord();
    void whatSpeaksAgainstItIsSaidBeforeTheRun();
    void theChoiceStaysUntilItIsTakenBack();

private:
    // The person's list: a server "t" with these tools.
    void list(const QByteArray &tools)
    {
        QFile file(m_desk->context.paths().toolServersFile());
        QVERIFY(QDir().mkpath(QFileInfo(file).path()));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write("{\"t\": {\"command\": [\"/usr/bin/python3\", \"" GLOVEBOX_SOURCE_DIR
                   "/tests/support/toolserver.py\"], \"tools\": "
                   + tools + "}}");
        QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner));
    }
    QToolButton *word() { return find<QToolButton>(u"bench.policy.tools"_s); }
    QString wordText() { return word() ? word()->text() : QString(); }
    QCheckBox *box(const QString &tool)
    {
        for (QCheckBox *each : m_desk->frame.findChildren<QCheckBox *>()) {
            if (each->isVisible() && each->objectName().startsWith("bench.tools."_L1) && each->text() == tool)
                return each;
        }
        return nullptr;
    }
    QString textOf(const QString &name)
    {
        const auto *label = find<QLabel>(name);
        return label ? label->text() : QString();
    }
    // Opens the editor, and ticks or unticks it by keys.
    void choose(const QString &tool)
    {
        QVERIFY(trigger("bench.tools"));
        QTRY_VERIFY(box(tool));
        box(tool)->setFocus(Qt::TabFocusReason);
        QTest::keyClick(box(tool), Qt::Key_Space);
    }
    void leave() { QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape); }
    qsizetype events(EventType type)
    {
        return std::ranges::count(tab()->runs().current()->result()->events, type, &RunEvent::type);
    }
};

void TestBenchTools::withoutAListThereIsNoWordAndAWayToThePage()
{
    QVERIFY(trigger("bench.tools"));
    QTRY_COMPARE(textOf(u"bench.tools.state"_s), u"The list of your MCP servers has no tool that code may call."_s);
    QVERIFY(!word());
    auto *way = find<QPushButton>(u"bench.tools.agents"_s);
    QVERIFY(way && way->hasFocus());
    QTest::keyClick(way, Qt::Key_Space);
    QTRY_VERIFY(find<QWidget>(u"agents.servers"_s));
}

void TestBenchTools::codeCallsATool()
{
    list(R"({"say": {}})");
    QVERIFY(trigger("bench.new")); // whoever comes into sight reads the list
    QTRY_COMPARE(wordText(), u"no tools"_s);
    word()->setFocus(Qt::TabFocusReason);
    QTest::keyClick(word(), Qt::Key_Space);
    QTRY_VERIFY(box(u"t.say"_s) && box(u"t.say"_s)->hasFocus());
    QTest::keyClick(box(u"t.say"_s), Qt::Key_Space);
    QCOMPARE(wordText(), u"▲ tool t.say"_s);
    QVERIFY(m_desk->save(u"bench-tools"_s));
    QVERIFY(word()->accessibleName().contains(u"The run may call: t.say"_s));
    QVERIFY(tab()->policy().sentence().contains(u", tool t.say, "_s));
    leave();
    QVERIFY(word()->hasFocus());
    run(u"from glovebox_tools import t\nprint(t.say(text='hi'))\n"_s);
    waitForEnd();
    QTRY_VERIFY2(shown().contains(u"said hi"_s), qPrintable(shown()));
    QCOMPARE(events(EventType::ToolServerStarted), 1);
    QCOMPARE(events(EventType::ToolCalled), 1);
    // A new tab may call nothing.
    QVERIFY(trigger("bench.new"));
    QTRY_COMPARE(wordText(), u"no tools"_s);
    run(u"import glovebox_tools\n"_s);
    waitForEnd();
    QTRY_VERIFY2(shown().contains(u"No module named 'glovebox_tools'"_s), qPrintable(shown()));
    QCOMPARE(events(EventType::ToolServerStarted), 0);
}

void TestBenchTools::anInterpreterThatStaysHasTheToolsOfTheRun()
{
    list(R"({"say": {}})");
    Engine &engine = *m_desk->context.engine();
    const auto session = engine.createSession({.name = u"shop"_s}, engine.caller());
    QVERIFY(session);
    tab()->chooseSession(session->id);
    tab()->chooseLanguage(u"python"_s);
    tab()->keepInterpreter(true);
    choose(u"t.say"_s);
    leave();
    QCOMPARE(inTab<QAbstractButton>(u"bench.policy.interpreter"_s)->text(), u"an interpreter that stays"_s);
    run(u"from glovebox_tools import t\nprint(t.say(text='hi'))\n"_s);
    waitForEnd();
    QTRY_VERIFY2(shown().contains(u"said hi"_s), qPrintable(shown()));
    QCOMPARE(events(EventType::ToolCalled), 1);
    choose(u"t.say"_s); // takes it back
    leave();
    const int before = tab()->runs().current()->title().number;
    run(u"try:\n    print(t.say(text='again'))\nexcept Exception as error:\n    print(error)\n"_s);
    QTRY_VERIFY(tab()->runs().current()->title().number > before);
    waitForEnd();
    QTRY_VERIFY2(shown().contains(u"the run may call no tools"_s), qPrintable(shown()));
    QCOMPARE(events(EventType::ToolRefused), 1);
}

void TestBenchTools::whatIsNotChosenOrNotAllowedIsRefusedAndOnRecord()
{
    list(R"({"say": {"text": ["hi"]}, "echo": {}})");
    choose(u"t.say"_s);
    leave();
    run(u"import glovebox_tools\n"
        "for tool, text in (('t.echo', 'hi'), ('t.say', 'no')):\n"
        "    try:\n"
        "        print(glovebox_tools._call(tool, {'text': text}))\n"
        "    except glovebox_tools.ToolError as error:\n"
        "        print('refused', tool)\n"_s);
    waitForEnd();
    QTRY_VERIFY2(shown().contains(u"refused t.echo"_s) && shown().contains(u"refused t.say"_s), qPrintable(shown()));
    QCOMPARE(events(EventType::ToolRefused), 2);
    QCOMPARE(events(EventType::ToolCalled), 0);
}

void TestBenchTools::whatSpeaksAgainstItIsSaidBeforeTheRun()
{
    list(R"({"say": {}})");
    choose(u"t.say"_s);
    QVERIFY(textOf(u"bench.tools.remark"_s).isEmpty());
    leave();
    tab()->chooseLanguage(u"sh"_s);
    QCOMPARE(wordText(), u"▲ tool t.say (refused)"_s);
    QVERIFY2(word()->toolTip().contains(u"can't call tools of servers"_s), qPrintable(word()->toolTip()));
    run(u"echo started\n"_s, u"sh"_s);
    waitForEnd();
    QVERIFY(tab()->runs().current()->result()->outcome == Outcome::Rejected);
    tab()->chooseLanguage(u"python"_s);
    QCOMPARE(wordText(), u"▲ tool t.say"_s);

    list(R"({"echo": {}})");
    QVERIFY(trigger("bench.tools"));
    QTRY_COMPARE(wordText(), u"▲ tool t.say (refused)"_s);
    QTRY_VERIFY2(textOf(u"bench.tools.remark"_s).contains(u"t.say is not on the list"_s),
                 qPrintable(textOf(u"bench.tools.remark"_s)));
    QTRY_VERIFY(box(u"t.say"_s));
    box(u"t.say"_s)->click();
    QCOMPARE(wordText(), u"no tools"_s);
    QVERIFY(tab()->policy().policy().tools.isEmpty());
}

void TestBenchTools::theChoiceStaysUntilItIsTakenBack()
{
    list(R"({"say": {}, "echo": {}})");
    choose(u"t.say"_s);
    QTest::keyClick(box(u"t.say"_s), Qt::Key_Space);
    QCOMPARE(wordText(), u"no tools"_s);
    box(u"t.echo"_s)->click();
    box(u"t.say"_s)->click();
    QCOMPARE(wordText(), u"▲ 2 tools"_s);
    leave();
    Q_EMIT m_desk->context.settingsChanged();
    QCOMPARE(tab()->policy().policy().tools, QStringList({u"t.echo"_s, u"t.say"_s}));
    QVERIFY(trigger("bench.defaults"));
    QCOMPARE(wordText(), u"no tools"_s);
}

GLOVEBOX_TEST_MAIN(TestBenchTools)
#include "tst_benchtools.moc"
