// SPDX-License-Identifier: Apache-2.0
// Calls that agents make to the window, with a real client over the real socket: what is shown of each, while it goes on and after.
#include "agent.h"

#include "app/workbench/agents/calls/calllist.h"
#include "app/workbench/shell/words/words.h"
#include "tests/app/workbench/desk/desk.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QTreeView>

#include <thread>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

constexpr qint64 stallMilliseconds = 50;

Application *application()
{
    return static_cast<Application *>(QCoreApplication::instance());
}

mcp::BegunCall madeUp(int number)
{
    return {{.kind = Caller::Kind::Mcp, .pid = 77, .program = u"/usr/bin/codex"_s, .connection = u"c"_s},
            u"files"_s,
            {{u"action"_s, u"read"_s}, {u"path"_s, QString::number(number)}}};
}

} // namespace

class TestCallList : public QObject
{
    Q_OBJECT

    std::unique_ptr<Desk> m_desk;
    std::optional<QAbstractItemModelTester> m_tester;

    QWidget *page() { return m_desk->frame.page(u"agents"_s)->widget(); }
    QTreeView *view() { return page()->findChild<QTreeView *>(u"agents.calls"_s); }
    QString text(int row, int column) { return view()->model()->index(row, column).data().toString(); }
    QStringList row(int row)
    {
        QStringList cells;
        for (const int column : {CallsModel::Agent, CallsModel::Tool, CallsModel::What, CallsModel::Result})
            cells.append(text(row, column));
        return cells;
    }
    QString remark() { return page()->findChild<QLabel *>(u"agents.calls.remark"_s)->text(); }
    void openEndpoint()
    {
        auto *endpoint = page()->findChild<QCheckBox *>(u"agents.endpoint"_s);
        QTRY_VERIFY(endpoint->isEnabled());
        endpoint->click();
        QTRY_VERIFY(page()->findChild<CallList *>()->isVisible());
    }
    void begin(QSize size = {1360, 860}, SchemeChoice scheme = SchemeChoice::Light, double textScale = 1)
    {
        m_desk = std::make_unique<Desk>();
        m_desk->theme.setChoice(scheme);
        m_desk->theme.setTextScale(textScale);
        m_desk->frame.resize(size);
        m_desk->show();
        m_desk->openEngine();
        m_desk->frame.showPage(u"agents"_s);
        Desk::settle();
        m_tester.emplace(view()->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        openEndpoint();
    }

private Q_SLOTS:
    void cleanup()
    {
        m_tester.reset();
        m_desk.reset();
        QApplication::setLayoutDirection(Qt::LeftToRight);
    }

    void eachToolsCallIsShown()
    {
        begin();
        QCOMPARE(remark(), u"Each call that an agent makes to this window will be listed here."_s);
        QVERIFY(!view()->isVisible());
        Agent agent(m_desk->home.path());
        agent.answerTo("sandbox_info", {});
        const QString session =
            agent.answerTo("session", {{u"action"_s, u"create"_s}, {u"name"_s, u"stall"_s}})["sessions"_L1][0]["id"_L1]
                .toString();
        QVERIFY(!session.isEmpty());
        agent.answerTo("files", {{u"action"_s, u"write"_s},
                                 {u"session"_s, session},
                                 {u"path"_s, u"data/a.txt"_s},
                                 {u"content"_s, u"not to be shown"_s}});
        const QJsonObject ran =
            agent.answerTo("run_code", {{u"language"_s, u"sh"_s}, {u"code"_s, u"exit 3 # not to be shown"_s}});
        agent.answerTo("explain_run", {{u"run"_s, ran["run"_L1]}});
        agent.answerTo("run_code", {{u"language"_s, u"cobol"_s}, {u"code"_s, u"1"_s}});
        QTRY_COMPARE(view()->model()->rowCount(), 6);
        QTRY_VERIFY(!text(0, CallsModel::Result).contains(u"Going on"));
        QVERIFY2(text(0, CallsModel::Result).startsWith(u"Refused: "), qPrintable(text(0, CallsModel::Result)));
        QCOMPARE(text(0, CallsModel::What), u"cobol"_s);
        QCOMPARE(row(1), (QStringList{u"shop"_s, u"explain_run"_s, u"run "_s + ran["run"_L1].toString().left(13),
                                      u"Answered"_s}));
        QCOMPARE(row(2), (QStringList{u"shop"_s, u"run_code"_s, u"sh"_s, outcomeWord(Outcome::Failed)}));
        // The name of the session comes with the next look at the log.
        QTRY_COMPARE_WITH_TIMEOUT(
            row(3), (QStringList{u"shop"_s, u"files"_s, u"write data/a.txt in session stall"_s, u"Answered"_s}),
            10'000);
        QCOMPARE(row(4), (QStringList{u"shop"_s, u"session"_s, u"create stall"_s, u"Answered"_s}));
        QCOMPARE(row(5), (QStringList{u"shop"_s, u"sandbox_info"_s, QString(), u"Answered"_s}));
        QVERIFY(view()->isVisible());
        QCOMPARE(remark(), u"6 calls since this window opened. The log has the runs."_s);
        for (int each = 0; each < 6; ++each) {
            QVERIFY(!text(each, CallsModel::Took).isEmpty());
            for (int column = 0; column < view()->model()->columnCount(); ++column)
                QVERIFY(!text(each, column).contains(u"not to be shown"));
        }
        // By keyboard: the row of the run leads to the history, one without a run nowhere.
        auto *button = page()->findChild<QPushButton *>(u"agents.calls.run"_s);
        view()->setFocus();
        view()->setCurrentIndex(view()->model()->index(5, 0));
        QVERIFY(!button->isEnabled());
        QTest::keyClick(view(), Qt::Key_Return);
        QCOMPARE(m_desk->frame.currentPage(), u"agents"_s);
        for (int step = 0; step < 3; ++step)
            QTest::keyClick(view(), Qt::Key_Up);
        QVERIFY(button->isEnabled());
        QTest::keyClick(view(), Qt::Key_Return);
        QCOMPARE(m_desk->frame.currentPage(), u"history"_s);
        m_desk->frame.showPage(u"agents"_s);
        button->click();
        QCOMPARE(m_desk->frame.currentPage(), u"history"_s);
    }

    void whatGoesOnAndWhatWaitsIsSaid()
    {
        begin();
        Agent agent(m_desk->home.path());
        agent.call("run_code", {{u"language"_s, u"sh"_s}, {u"code"_s, u"sleep 60"_s}});
        QTRY_COMPARE_WITH_TIMEOUT(view()->model()->rowCount(), 1, 20'000);
        QCOMPARE(text(0, CallsModel::Result), u"Going on"_s);
        const QString took = text(0, CallsModel::Took);
        QTRY_VERIFY(text(0, CallsModel::Took) != took); // it runs up
        // One that is chosen stays chosen when others come.
        view()->setCurrentIndex(view()->model()->index(0, 0));
        const int asking =
            agent.call("run_code", {{u"language"_s, u"python"_s}, {u"code"_s, u"1"_s}, {u"timeout"_s, 600}});
        QTRY_COMPARE_WITH_TIMEOUT(text(0, CallsModel::Result), u"Waits for you"_s, 20'000);
        QCOMPARE(view()->currentIndex().row(), 1);
        QCOMPARE(text(1, CallsModel::Result), u"Going on"_s);
        m_desk->context.actions().trigger(u"agents.later"_s);
        const Inbox::Ask ask = m_desk->context.inbox().contents().asks.first();
        QVERIFY(m_desk->context.inbox().deny(ask.request.run, ask.digest));
        QTRY_COMPARE(text(0, CallsModel::Result), outcomeWord(Outcome::Denied));
        QCOMPARE(agent.answer()["id"_L1].toInt(), asking);
        agent.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
        QTRY_COMPARE(text(1, CallsModel::Result), u"Cancelled"_s);
    }

    // A call that a tool asks about before it does anything.
    void aToolThatAsksWaits()
    {
        begin();
        QVERIFY(m_desk->context.settings()->store(u"mcp.sandbox_info"_s, u"asks"_s));
        m_desk->context.tellSettings({});
        Agent agent(m_desk->home.path());
        agent.call("sandbox_info", {});
        QTRY_COMPARE_WITH_TIMEOUT(view()->model()->rowCount(), 1, 20'000);
        QTRY_COMPARE(text(0, CallsModel::Result), u"Waits for you"_s);
        const Inbox::Ask ask = m_desk->context.inbox().contents().asks.first();
        QVERIFY(m_desk->context.inbox().deny(ask.request.run, ask.digest));
        QTRY_VERIFY2(text(0, CallsModel::Result).startsWith(u"Refused: "), qPrintable(text(0, CallsModel::Result)));
    }

    // Its client is gone in the middle, or the window's endpoint is closed.
    void whatEndsInTheMiddleWasCancelled()
    {
        begin();
        {
            Agent agent(m_desk->home.path());
            agent.call("run_code", {{u"language"_s, u"sh"_s}, {u"code"_s, u"sleep 60"_s}});
            QTRY_COMPARE_WITH_TIMEOUT(view()->model()->rowCount(), 1, 20'000);
        }
        QTRY_COMPARE(text(0, CallsModel::Result), u"Cancelled"_s);
        Agent agent(m_desk->home.path());
        agent.call("run_code", {{u"language"_s, u"sh"_s}, {u"code"_s, u"sleep 60"_s}});
        QTRY_COMPARE_WITH_TIMEOUT(view()->model()->rowCount(), 2, 20'000);
        page()->findChild<QCheckBox *>(u"agents.endpoint"_s)->click();
        QTRY_COMPARE(text(0, CallsModel::Result), u"Cancelled"_s);
        QVERIFY(page()->findChild<CallList *>()->isVisible()); // what was is still shown
    }

    // Whatever a client writes is shown as text, and cut.
    void whatAClientWroteIsText()
    {
        begin();
        Agent agent(m_desk->home.path());
        agent.answerTo("session", {{u"action"_s, u"status"_s}, {u"session"_s, u"\u202e<b>x</b>\n"_s}});
        agent.answerTo("files", {{u"action"_s, u"read"_s}, {u"session"_s, u"x"_s}, {u"path"_s, QString(4000, u'p')}});
        QTRY_COMPARE(view()->model()->rowCount(), 2);
        QVERIFY2(text(0, CallsModel::What).size() < 300, qPrintable(text(0, CallsModel::What)));
        QVERIFY2(text(1, CallsModel::What).contains(u"<b>x</b>\\n")
                     && !text(1, CallsModel::What).contains(QChar(0x202e)),
                 qPrintable(text(1, CallsModel::What)));
    }

    void theLatestAreKeptAndWhatGoesOnIsDroppedLast()
    {
        LiveCalls calls;
        int wakes = 0;
        calls.onChange([&wakes] { ++wakes; });
        const quint64 open = calls.begun(madeUp(0));
        for (int i = 1; i < 200; ++i)
            calls.ended(calls.begun(madeUp(i)), {.how = mcp::EndedCall::How::Answered});
        QCOMPARE(wakes, 1);
        LiveCalls::Contents contents = calls.contents();
        QCOMPARE(contents.calls.size(), qsizetype(LiveCalls::most));
        QCOMPARE(contents.total, 200U);
        QCOMPARE(contents.calls.first().number, 200U);
        QCOMPARE(contents.calls.last().number, open);
        QVERIFY(!contents.calls.last().end);
        calls.concerns(open, u"run"_s);
        QCOMPARE(wakes, 2);
        QCOMPARE(calls.contents().calls.last().run, u"run"_s);
        for (int i = 0; i < 100; ++i) // none of them ends
            calls.begun(madeUp(i));
        QCOMPARE(calls.contents().calls.size(), qsizetype(LiveCalls::most));
        calls.ended(open, {.how = mcp::EndedCall::How::Answered}); // it is gone
        calls.onChange({});
        calls.begun(madeUp(0));
        QCOMPARE(wakes, 3); // of the hundred, and of none after
    }

    void tenThousandCallsDoNotStallTheWindow()
    {
        begin();
        Agent agent(m_desk->home.path());
        agent.answerTo("sandbox_info", {});
        QTRY_COMPARE(view()->model()->rowCount(), 1);
        constexpr int many = 10'000;
        constexpr int atOnce = 50;
        application()->watchStalls(true);
        for (int sent = 0; sent < many; sent += atOnce) {
            for (int i = 0; i < atOnce; ++i)
                agent.call("session", {{u"action"_s, u"status"_s}, {u"session"_s, u"none"_s}});
            QCOMPARE(agent.answers(atOnce), qsizetype(atOnce));
        }
        QTRY_VERIFY2(remark().startsWith(QLocale().toString(many + 1)), qPrintable(remark()));
        const qint64 longest = application()->takeLongestStall();
        application()->watchStalls(false);
        qInfo("longest stall: %lld ms", longest);
        QVERIFY(longest <= stallMilliseconds);
        QCOMPARE(view()->model()->rowCount(), int(LiveCalls::most));
    }

    void inEveryLook_data()
    {
        QTest::addColumn<SchemeChoice>("scheme");
        QTest::addColumn<QSize>("size");
        QTest::addColumn<bool>("isMirrored");
        QTest::addColumn<double>("textScale");
        QTest::newRow("light") << SchemeChoice::Light << QSize(1360, 860) << false << 1.0;
        QTest::newRow("dark") << SchemeChoice::Dark << QSize(1360, 860) << false << 1.0;
        QTest::newRow("small") << SchemeChoice::Light << QSize(900, 600) << false << 1.0;
        QTest::newRow("large") << SchemeChoice::Light << QSize(900, 600) << false << 2.0;
        QTest::newRow("mirrored") << SchemeChoice::Dark << QSize(1360, 860) << true << 1.0;
    }
    void inEveryLook()
    {
        QFETCH(SchemeChoice, scheme);
        QFETCH(QSize, size);
        QFETCH(bool, isMirrored);
        QFETCH(double, textScale);
        QApplication::setLayoutDirection(isMirrored ? Qt::RightToLeft : Qt::LeftToRight);
        begin(size, scheme, textScale);
        Agent agent(m_desk->home.path(), u"Editor-of-quite-a-long-name-for-an-agent"_s);
        const QString session =
            agent.answerTo("session", {{u"action"_s, u"create"_s}, {u"name"_s, u"shop"_s}})["sessions"_L1][0]["id"_L1]
                .toString();
        agent.answerTo("files", {{u"action"_s, u"write"_s},
                                 {u"session"_s, session},
                                 {u"path"_s, u"data/orders-2026-11.csv"_s},
                                 {u"content"_s, u"1"_s}});
        agent.answerTo("run_code", {{u"language"_s, u"sh"_s}, {u"code"_s, u"exit 3"_s}});
        agent.answerTo("files", {{u"action"_s, u"read"_s}, {u"session"_s, session}, {u"path"_s, u"none"_s}});
        agent.call("run_code", {{u"language"_s, u"sh"_s}, {u"code"_s, u"sleep 60"_s}});
        QTRY_COMPARE_WITH_TIMEOUT(text(0, CallsModel::Result), u"Going on"_s, 20'000); // so that the next one is newer
        agent.call("run_code", {{u"language"_s, u"python"_s}, {u"code"_s, u"1"_s}, {u"timeout"_s, 600}});
        QTRY_COMPARE_WITH_TIMEOUT(text(0, CallsModel::Result), u"Waits for you"_s, 20'000);
        m_desk->context.actions().trigger(u"agents.later"_s);
        QTRY_VERIFY_WITH_TIMEOUT(text(4, CallsModel::What).endsWith(u"in session shop"_s), 10'000);
        view()->setCurrentIndex(view()->model()->index(3, 0));
        Desk::settle();
        qobject_cast<QScrollArea *>(page())->ensureWidgetVisible(view());
        Desk::settle();
        QVERIFY(view()->header()->length() <= view()->viewport()->width());
        const int least = view()->fontMetrics().horizontalAdvance(text(0, CallsModel::Result));
        for (const int column : {CallsModel::What, CallsModel::Result})
            QVERIFY2(view()->columnWidth(column) >= least, qPrintable(QString::number(view()->columnWidth(column))));
        QCOMPARE(view()->accessibleName(), u"Calls to this window, newest first"_s);
        QVERIFY(m_desk->save(u"agents-calls-"_s + QString::fromLatin1(QTest::currentDataTag())));
    }
};

GLOVEBOX_TEST_MAIN(TestCallList)
#include "tst_calllist.moc"
