// SPDX-License-Identifier: Apache-2.0
// The sheet that asks about an agent's run, over a real window with a real engine: which key allows, which denies, and when none does.
#include "app/workbench/agents/agentspage.h"
#include "app/workbench/agents/approval/approvalsheet.h"
#include "app/workbench/editor/code/codeeditor.h"
#include "tests/app/workbench/desk/desk.h"

#include <QComboBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>

#include <future>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestApprovalSheet : public QObject
{
    Q_OBJECT

private:
    std::unique_ptr<Desk> m_desk;
    ApprovalSheet *m_sheet = nullptr;
    QList<std::shared_ptr<Run>> m_runs;

    std::shared_ptr<Run> start(const QByteArray &code = "echo ran",
                               const std::function<void(RunRequest &)> &change = nullptr)
    {
        RunRequest request;
        request.code = code;
        request.language = u"sh"_s;
        request.policy = m_desk->context.settings()->policy();
        request.policy.limits.wall *= 2;
        request.caller = {.kind = Caller::Kind::Mcp,
                          .pid = 4711,
                          .program = u"/usr/bin/codex"_s,
                          .claimed = u"Codex"_s,
                          .way = Caller::Way::Stdio,
                          .connection = u"c1"_s};
        if (change)
            change(request);
        m_runs.append(m_desk->context.engine()->start(request));
        return m_runs.last();
    }
    bool waitForAsks(int count)
    {
        return QTest::qWaitFor([&] { return m_desk->context.inbox().contents().asks.size() == count; }, 10'000);
    }
    bool waitForSheet()
    {
        if (!QTest::qWaitFor([&] { return m_sheet->isVisible(); }, 10'000))
            return false;
        return QTest::qWaitFor([&] { return m_sheet->isAnswering() && button(u"deny"_s)->isEnabled(); }, 10'000);
    }
    QString title() { return m_sheet->findChild<QLabel *>(u"agents.approval.title"_s)->text(); }
    QPushButton *button(const QString &name) { return m_sheet->findChild<QPushButton *>(u"agents.approval."_s + name); }
    // A key that did nothing fails the test, and doesn't hang it.
    static bool ended(const std::shared_ptr<Run> &run, Outcome outcome)
    {
        return QTest::qWaitFor([&] { return run->result() != nullptr; }, 10'000) && run->result()->outcome == outcome;
    }
    static QWidget *focus() { return QApplication::focusWidget(); }

private Q_SLOTS:
    void init()
    {
        m_desk = std::make_unique<Desk>();
        m_desk->frame.resize(1360, 860);
        m_desk->show();
        m_desk->openEngine();
        m_sheet = m_desk->frame.findChild<ApprovalSheet *>();
        if (!m_sheet) { // it comes to the window with the first ask
            start();
            QVERIFY(QTest::qWaitFor([&] { return (m_sheet = m_desk->frame.findChild<ApprovalSheet *>()) != nullptr; },
                                    10'000));
            m_runs.takeLast()->cancel();
            QVERIFY(waitForAsks(0));
            QTRY_VERIFY(m_desk->context.inbox().contents().asks.isEmpty());
            // The sheet says that it is gone; the next key goes on.
            QTRY_VERIFY(m_sheet->isVisible());
            QTRY_COMPARE(title(), u"This question no longer waits"_s);
            QTest::keyClick(m_sheet, Qt::Key_Return);
            QVERIFY(!m_sheet->isVisible());
            QTRY_VERIFY(m_desk->frame.isActiveWindow());
        }
    }
    void cleanup()
    {
        m_runs.clear();
        m_desk.reset();
    }

    void nothingTakesTheFocusAndNoStrayKeyAllows()
    {
        QWidget *before = focus();
        const auto run = start();
        QVERIFY(waitForSheet());
        QCOMPARE(focus(), before);
        QCOMPARE(title(), u"Codex wants to run shell"_s);
        QCOMPARE(button(u"deny"_s)->text(), u"Deny [Esc]"_s);
        QVERIFY(m_desk->save(u"approval-one"_s));
        for (const QPushButton *each : m_sheet->findChildren<QPushButton *>())
            QVERIFY(!each->isDefault() && !each->autoDefault());
        m_desk->context.actions().trigger(u"agents.answer"_s);
        QTRY_VERIFY(m_sheet->hasFocus());
        QVERIFY(waitForSheet());
        for (const auto key : {Qt::Key_Return, Qt::Key_Enter, Qt::Key_Space, Qt::Key_O, Qt::Key_Y})
            QTest::keyClick(m_sheet, key);
        QCOMPARE(m_desk->context.inbox().contents().asks.size(), 1);
        QTest::keyClick(m_sheet, Qt::Key_Escape);
        QVERIFY(ended(run, Outcome::Denied));
        QVERIFY(!m_sheet->isVisible());
        QTRY_COMPARE(focus(), before);
    }

    void escapeDeniesFromTheEditorButOnlyWhatNothingNearerTakes()
    {
        auto *editor = m_desk->frame.findChild<CodeEditor *>(u"bench.editor"_s);
        QVERIFY(editor);
        editor->setFocus();
        const auto run = start();
        QTRY_VERIFY(m_sheet->isVisible());
        QTest::keyClick(editor, Qt::Key_Escape); // in the first moment
        QCOMPARE(m_desk->context.inbox().contents().asks.size(), 1);
        QVERIFY(waitForSheet());
        QVERIFY(m_desk->context.actions().trigger(u"bench.find"_s));
        QTRY_VERIFY(focus() != editor);
        auto *search = focus();
        QTest::keyClick(search, Qt::Key_Escape);
        QTRY_COMPARE(focus(), editor);
        QVERIFY(!search->isVisible());
        QKeyEvent held(QEvent::KeyPress, Qt::Key_Escape, Qt::NoModifier, {}, true);
        QApplication::sendEvent(editor, &held);
        QTest::keyClick(editor, Qt::Key_Escape, Qt::ShiftModifier);
        for (const auto key : {Qt::Key_Return, Qt::Key_Enter, Qt::Key_Space, Qt::Key_O, Qt::Key_Y})
            QTest::keyClick(editor, key);
        QCOMPARE(m_desk->context.inbox().contents().asks.size(), 1);
        QTest::keyClick(editor, Qt::Key_Escape);
        QVERIFY(ended(run, Outcome::Denied));
        QCOMPARE(focus(), editor);
        // Of the next question it closes what says that nobody waits.
        const auto gone = start();
        QVERIFY(waitForSheet());
        gone->cancel();
        QTRY_COMPARE(title(), u"This question no longer waits"_s);
        QTest::keyClick(editor, Qt::Key_Escape);
        QVERIFY(!m_sheet->isVisible());
    }

    // In the list of runs it closes the details first, and denies when there are none.
    void escapeDeniesFromTheHistory()
    {
        QVERIFY(ended(start("echo one", [](RunRequest &request) { request.policy.limits.wall /= 2; }),
                      Outcome::Completed)); // unasked
        m_desk->frame.showPage(u"history"_s);
        auto *table = m_desk->frame.findChild<QTableView *>(u"history.runs"_s);
        QVERIFY(table);
        QTRY_VERIFY(table->model()->rowCount() > 0);
        table->setFocus();
        table->setCurrentIndex(table->model()->index(0, 0));
        QTest::keyClick(table, Qt::Key_Return);
        auto *details = m_desk->frame.findChild<QWidget *>(u"history.details"_s);
        QTRY_VERIFY(details->isVisible());
        const auto run = start();
        QVERIFY(waitForSheet());
        table->setFocus();
        QTest::keyClick(table, Qt::Key_Escape);
        QTRY_VERIFY(!details->isVisible());
        QCOMPARE(m_desk->context.inbox().contents().asks.size(), 1);
        QTest::keyClick(table, Qt::Key_Escape);
        QVERIFY(ended(run, Outcome::Denied));
    }

    void aShortcutBringsTheKeyboardToTheSheetAndTabGoesThroughIt()
    {
        const auto run = start();
        QVERIFY(waitForSheet());
        QTest::keyClick(&m_desk->frame, Qt::Key_A, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY(m_sheet->hasFocus());
        QVERIFY(waitForSheet());
        QSet<QString> reached;
        for (int i = 0; i < 12; ++i) {
            QTest::keyClick(focus(), Qt::Key_Tab);
            reached.insert(focus()->objectName());
        }
        for (const QString &name : {u"deny"_s, u"once"_s, u"session"_s, u"code"_s})
            QVERIFY2(reached.contains(u"agents.approval."_s + name), qPrintable(name));
        button(u"session"_s)->setFocus();
        QTest::keyClick(focus(), Qt::Key_Escape);
        QVERIFY(ended(run, Outcome::Denied));
    }

    void altKeysAllow()
    {
        const auto once = start();
        QVERIFY(waitForSheet());
        QTest::keyClick(&m_desk->frame, Qt::Key_O, Qt::AltModifier);
        QVERIFY(ended(once, Outcome::Completed));
        const auto session = start();
        QVERIFY(waitForSheet());
        QVERIFY(!button(u"always"_s)->isVisible()); // nobody is paired
        QTest::keyClick(&m_desk->frame, Qt::Key_A, Qt::AltModifier);
        QCOMPARE(m_desk->context.inbox().contents().asks.size(), 1);
        QTest::keyClick(&m_desk->frame, Qt::Key_S, Qt::AltModifier);
        QVERIFY(ended(session, Outcome::Completed));
        QVERIFY(ended(start(), Outcome::Completed)); // unasked
    }

    void aCallOfAToolIsNoRun()
    {
        ApprovalRequest request;
        request.run = newId(Clock::system());
        request.caller = {.kind = Caller::Kind::Mcp,
                          .pid = 4711,
                          .program = u"/usr/bin/codex"_s,
                          .claimed = u"Codex"_s,
                          .way = Caller::Way::Stdio,
                          .connection = u"c1"_s};
        request.policy = m_desk->context.settings()->policy();
        request.code = "{\"run\": \"x\"}";
        request.codeDigest = sha256({request.code});
        request.tool = u"explain_run"_s;
        request.wants = {{Want::Kind::Tool, request.tool, {}, {}}};
        const auto answer = std::make_shared<std::promise<ApprovalDecision>>();
        m_desk->context.engine()->approvals().ask(
            request, [answer](const ApprovalDecision &decision) { answer->set_value(decision); });
        QVERIFY(waitForSheet());
        QCOMPARE(title(), u"Codex wants to call explain_run"_s);
        QCOMPARE(m_sheet->findChild<QPlainTextEdit *>(u"agents.approval.code"_s)->toPlainText(),
                 QString::fromUtf8(request.code));
        QVERIFY(m_sheet->findChild<QLabel *>(u"agents.approval.reach"_s)->text().contains(u"this call alone"));
        QVERIFY(m_desk->save(u"approval-tool"_s));
        QTest::keyClick(&m_desk->frame, Qt::Key_S, Qt::AltModifier);
        QVERIFY(answer->get_future().get().allowed);
        QCOMPARE(m_desk->context.engine()->approvals().decide(request).verdict, Verdict::Allow);
    }

    void noAnswerCountsInTheFirstMoment()
    {
        const auto run = start();
        QTRY_VERIFY(m_sheet->isVisible());
        QVERIFY(!m_sheet->isAnswering());
        QTest::keyClick(&m_desk->frame, Qt::Key_O, Qt::AltModifier);
        QTest::mouseClick(button(u"once"_s), Qt::LeftButton);
        QCOMPARE(m_desk->context.inbox().contents().asks.size(), 1);
        QVERIFY(waitForSheet());
        QTest::mouseClick(button(u"deny"_s), Qt::LeftButton);
        QVERIFY(ended(run, Outcome::Denied));
    }

    void theQueueNeverMovesByItself()
    {
        start("echo first");
        QVERIFY(waitForAsks(1));
        start("echo second");
        QVERIFY(waitForAsks(2));
        start("echo third");
        QVERIFY(waitForAsks(3));
        QVERIFY(waitForSheet());
        auto *code = m_sheet->findChild<QPlainTextEdit *>(u"agents.approval.code"_s);
        QCOMPARE(code->toPlainText(), u"echo first"_s);
        m_runs[2]->cancel(); // another one goes
        QVERIFY(waitForAsks(2));
        QCOMPARE(code->toPlainText(), u"echo first"_s);
        QTest::keyClick(&m_desk->frame, Qt::Key_Right, Qt::AltModifier);
        QCOMPARE(code->toPlainText(), u"echo second"_s);
        QVERIFY(!m_sheet->isAnswering()); // it has just changed
        Desk::settle();
        QTest::keyClick(&m_desk->frame, Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(code->toPlainText(), u"echo first"_s);
        QVERIFY(waitForSheet());
        m_runs[0]->cancel(); // the one that is looked at
        QTRY_COMPARE(title(), u"This question no longer waits"_s);
        QTest::keyClick(&m_desk->frame, Qt::Key_O, Qt::AltModifier);
        QCOMPARE(m_desk->context.inbox().contents().asks.size(), 1);
        m_desk->context.actions().trigger(u"agents.answer"_s);
        QTRY_COMPARE(code->toPlainText(), u"echo second"_s);
        m_runs[1]->cancel();
        m_runs[1]->wait();
    }

    void putAsideItWaitsAndTheRailCounts()
    {
        const auto run = start();
        QVERIFY(waitForSheet());
        QTest::mouseClick(m_sheet->findChild<QWidget *>(u"agents.approval.later"_s), Qt::LeftButton);
        QVERIFY(!m_sheet->isVisible());
        auto *rail = m_desk->frame.findChild<QWidget *>(u"frame.rail.agents"_s);
        QVERIFY2(rail->accessibleName().contains(u"1 waits for you"_s), qPrintable(rail->accessibleName()));
        start();
        QVERIFY(waitForAsks(2));
        Desk::settle();
        QVERIFY(!m_sheet->isVisible());
        m_desk->context.actions().trigger(u"agents.answer"_s);
        QVERIFY(m_sheet->isVisible());
        for (const auto &each : std::as_const(m_runs))
            each->cancel();
        QVERIFY(waitForAsks(0));
        QTRY_COMPARE(rail->accessibleName(), u"Agents"_s);
    }

    void filesBesideTheCodeAndWhatChangedCanBeRead()
    {
        QVERIFY(ended(start("echo one\necho two\n", [](RunRequest &request) { request.policy.limits.wall /= 2; }),
                      Outcome::Completed)); // unasked
        start("echo one\necho three\n", [](RunRequest &request) {
            request.files = {{"orders.csv", "a,b\n"}, {"tool.py", "x = '\xe2\x80\xae'\n"}};
        });
        QVERIFY(waitForSheet());
        auto *choice = m_sheet->findChild<QComboBox *>(u"agents.approval.choice"_s);
        QTRY_COMPARE(choice->count(), 4);
        const auto *code = m_sheet->findChild<QPlainTextEdit *>(u"agents.approval.code"_s);
        const auto *difference = m_sheet->findChild<QPlainTextEdit *>(u"agents.approval.difference"_s);
        const auto *remark = m_sheet->findChild<QLabel *>(u"agents.approval.remark"_s);
        QCOMPARE(choice->currentText(), u"Code"_s); // all of it, whatever ran before
        QCOMPARE(code->toPlainText(), u"echo one\necho three\n"_s);
        QVERIFY(code->isVisible() && !difference->isVisible() && !remark->isVisible());
        choice->setCurrentIndex(1);
        QVERIFY(difference->isVisible() && !code->isVisible());
        QCOMPARE(difference->toPlainText(), u"@@ −1,2 +1,2 @@\n  echo one\n− echo two\n+ echo three"_s);
        QVERIFY(m_desk->save(u"approval-changes"_s));
        choice->setCurrentIndex(2);
        QVERIFY(choice->currentText().startsWith(u"orders.csv"_s));
        QCOMPARE(code->toPlainText(), u"a,b\n"_s);
        choice->setCurrentIndex(3);
        QCOMPARE(code->toPlainText(), u"x = '\\u{202e}'\n"_s);
        QVERIFY(remark->isVisible());
        QVERIFY(m_desk->frame.rect().contains(m_sheet->geometry()));
        choice->setCurrentIndex(0);
        QVERIFY(!remark->isVisible());
        m_runs.last()->cancel();
        QTRY_COMPARE(title(), u"This question no longer waits"_s);
        // Of another program nothing is compared.
        start("echo one\n", [](RunRequest &request) { request.caller.program = u"/usr/bin/other"_s; });
        QVERIFY(waitForAsks(1));
        QTest::mouseClick(m_sheet, Qt::LeftButton);
        QVERIFY(waitForSheet());
        QTest::qWait(300); // a difference that isn't there can't be waited for
        QCOMPARE(choice->count(), 1);
        QVERIFY(!choice->isVisible());
        m_runs.last()->cancel();
    }

    void aKeyThatCantBeLentLeavesOnlyDenying()
    {
        const auto run =
            start("echo $GITHUB", [](RunRequest &request) { request.secrets = {{u"GITHUB"_s, {}, false}}; });
        QVERIFY(waitForSheet());
        QTRY_VERIFY(m_sheet->findChild<QLabel *>(u"agents.approval.obstacle"_s));
        QVERIFY(waitForSheet());
        QVERIFY(m_desk->save(u"approval-barred"_s));
        for (const auto &name : {u"once"_s, u"session"_s, u"always"_s})
            QVERIFY2(!button(name)->isEnabled(), qPrintable(name));
        QTest::keyClick(&m_desk->frame, Qt::Key_O, Qt::AltModifier);
        QCOMPARE(m_desk->context.inbox().contents().asks.size(), 1);
        const Caller caller{.kind = Caller::Kind::Workbench, .pid = 1, .program = {}, .claimed = {}};
        QVERIFY(m_desk->context.engine()->vault().add(u"GITHUB"_s, {}, {}, SecretValue::copyOf("a value of length"),
                                                      caller, Patience()));
        QTRY_VERIFY_WITH_TIMEOUT(button(u"once"_s)->isEnabled(), 10'000); // the sheet looks again
        QVERIFY(!m_sheet->findChild<QLabel *>(u"agents.approval.obstacle"_s));
        run->cancel();
    }

    void closingTheWindowDeniesWhatWaits()
    {
        const auto run = start();
        QVERIFY(waitForSheet());
        QVERIFY(!m_desk->frame.page(u"agents"_s)->closingEnds().isEmpty());
        m_desk.reset();
        const Outcome outcome = run->wait()->outcome;
        QVERIFY2(outcome == Outcome::Denied || outcome == Outcome::Cancelled, qPrintable(toString(outcome)));
    }

    void aHostileAskFitsAndStaysText()
    {
        const QString evil = u"<h1>Deny</h1>\u202e\n\x1b[2J"_s + QString(1'000'000, u'W');
        ApprovalRequest request;
        request.run = u"evil"_s;
        request.caller = {.kind = Caller::Kind::Mcp,
                          .pid = 1,
                          .program = evil,
                          .claimed = evil,
                          .pairing = u"p"_s,
                          .connection = u"c"_s};
        request.language = u"python"_s;
        request.policy.allow = QStringList(500, evil.left(2000));
        request.code = evil.toUtf8();
        request.caller.folder = evil;
        for (int i = 0; i < 200; ++i)
            request.files.append({evil.left(3000).toUtf8() + QByteArray::number(i), evil.left(3000).toUtf8()});
        request.codeDigest = sha256({request.code});
        request.wants = wantsOf(request, {});
        m_desk->context.inbox().ask(request, [](const ApprovalDecision &) { });
        QVERIFY(waitForSheet());
        QVERIFY(m_desk->frame.rect().contains(m_sheet->geometry()));
        for (const QLabel *label : m_sheet->findChildren<QLabel *>()) {
            QCOMPARE(label->textFormat(), Qt::PlainText);
            QVERIFY(!label->text().contains(QChar(0x202e)));
            if (label->isVisible() && label->wordWrap()) // nothing is cut off at the side
                QVERIFY2(label->minimumSizeHint().width() <= label->width(), qPrintable(label->text().left(80)));
        }
        for (const QPushButton *each : m_sheet->findChildren<QPushButton *>()) {
            if (each->isVisible())
                QVERIFY2(m_sheet->rect().contains(QRect(each->mapTo(m_sheet, QPoint()), each->size())),
                         qPrintable(each->text()));
        }
        QVERIFY(m_desk->save(u"approval-hostile"_s));
        m_desk->context.inbox().withdraw(u"evil"_s);
    }
};

GLOVEBOX_TEST_MAIN(TestApprovalSheet)
#include "tst_approvalsheet.moc"
