// SPDX-License-Identifier: Apache-2.0
// What looks like a key in code is marked, said without it, and holds nothing up.
#include "app/workbench/editor/code/codegutter.h"
#include "app/workbench/editor/leaks/leakbar.h"
#include "tests/app/workbench/bench/benchseat.h"

#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QToolTip>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// In pieces, so that no scanner takes this file for a leak.
const QString body = u"Z7QX3M9K2LB8T4WN"_s;
const QString key = u"AKIA"_s + body;

} // namespace

class TestLeakMarks : public QObject, private BenchSeat
{
    Q_OBJECT
private Q_SLOTS:
    void init() { sitDown(); }
    void cleanup() { m_desk.reset(); }

    void aKeyIsMarkedAndSaidWithoutItself();
    void theMarkGoesWithTheLineAndWithTheKey();
    void theWayLeadsToTheVault();
    void oncePutAwayItIsSaidAgainForAnotherOnly();
    void aKindThatIsSwitchedOffIsNotMarked();
    void aRunDoesNotWaitForIt();
    void lettersBeyondAsciiDoNotMoveTheMark();
    void aLargeTextDoesNotHoldUpTheWindow();

private:
    LeakBar &bar() { return tab()->editor().leaks(); }
    LeakMarks &marks() { return bar().marks(); }
    CodeEditor &editor() { return tab()->editor().editor(); }
    void type(const QString &text)
    {
        editor().setFocus();
        for (const QChar each : text) {
            if (each == u'\n')
                QTest::keyClick(&editor(), Qt::Key_Return);
            else
                QTest::keyClick(&editor(), each.toLatin1());
        }
    }
    QStringList everythingSaid()
    {
        QStringList texts{bar().sentence(), bar().accessibleName(), marks().sentence()};
        for (const LineMark &mark : editor().marks())
            texts << mark.sentence;
        for (const StatusItem &item : m_page->status())
            texts << item.text << item.description;
        return texts;
    }
};

void TestLeakMarks::aKeyIsMarkedAndSaidWithoutItself()
{
    tab()->editor().setText(u"import os\n\nkey = '%1'\n"_s.arg(key), true);
    QTRY_COMPARE(marks().count(), 1);
    QCOMPARE(marks().firstLine(), 3);
    QCOMPARE(editor().marks().first().where.selectedText(), key);
    QCOMPARE(marks().sentence(), u"Line 3 has what looks like a secret: AWS access key."_s);
    QVERIFY(bar().isVisible());
    QVERIFY(bar().sentence().contains(u"Put it in the vault"_s));
    // Where the cursor is, the status bar says it, too.
    editor().goTo(3);
    const auto said = [this] {
        const QList<StatusItem> items = m_page->status();
        return std::ranges::any_of(items, [](const StatusItem &item) { return item.id == u"leak"_s; });
    };
    QVERIFY(said());
    editor().goTo(1);
    QVERIFY(!said());
    editor().goTo(3);
    for (const QString &text : everythingSaid())
        QVERIFY2(!text.contains(body), qPrintable(text));
    // The tool tip in the margin.
    auto *gutter = editor().findChild<CodeGutter *>();
    QVERIFY(gutter);
    const int y = int(editor().geometryOf(editor().document()->findBlockByNumber(2)).center().y());
    QHelpEvent help(QEvent::ToolTip, QPoint(5, y), gutter->mapToGlobal(QPoint(5, y)));
    QCoreApplication::sendEvent(gutter, &help);
    QCOMPARE(QToolTip::text(), marks().sentence());
    QToolTip::hideText();
}

void TestLeakMarks::theMarkGoesWithTheLineAndWithTheKey()
{
    tab()->editor().setText(u"key = '%1'\n"_s.arg(key), true);
    QTRY_COMPARE(marks().firstLine(), 1);
    editor().goTo(1);
    QTest::keyClick(&editor(), Qt::Key_Return);
    QCOMPARE(marks().firstLine(), 2); // at once
    QTRY_VERIFY(bar().sentence().startsWith(u"Line 2 "_s));
    editor().selectAll();
    QTest::keyClick(&editor(), Qt::Key_Delete);
    QTRY_COMPARE(marks().count(), 0);
    QVERIFY(!bar().isVisible());
    QVERIFY(editor().marks().isEmpty());
    type(u"key = '%1'"_s.arg(key));
    QTRY_COMPARE(marks().count(), 1);
}

void TestLeakMarks::theWayLeadsToTheVault()
{
    tab()->editor().setText(u"a\nb\nc\nkey = '%1'\n"_s.arg(key), true);
    QTRY_VERIFY(bar().isVisible());
    auto *go = bar().findChild<QToolButton *>(u"bench.leak.remedy2"_s);
    QVERIFY(go);
    QCOMPARE(go->text(), u"Go to line 4"_s);
    go->setFocus(Qt::TabFocusReason);
    QTest::keyClick(go, Qt::Key_Space);
    QCOMPARE(editor().line(), 4);
    QVERIFY(trigger("bench.leak.vault"));
    QTRY_VERIFY(m_desk->frame.page(u"vault"_s)->widget()->isVisible());
    QTRY_VERIFY(m_desk->frame.findChild<QWidget *>(u"vault.form.name"_s)->isVisible());
    for (const QLineEdit *field : m_desk->frame.page(u"vault"_s)->widget()->findChildren<QLineEdit *>())
        QVERIFY(!field->text().contains(body));
}

void TestLeakMarks::oncePutAwayItIsSaidAgainForAnotherOnly()
{
    tab()->editor().setText(u"key = '%1'\n"_s.arg(key), true);
    QTRY_VERIFY(bar().isVisible());
    bar().findChild<QToolButton *>(u"bench.leak.close"_s)->click();
    QVERIFY(!bar().isVisible());
    QSignalSpy searched(&marks(), &LeakMarks::changed);
    type(u"# more\n"_s);
    QVERIFY(searched.wait());
    QVERIFY(!bar().isVisible());
    QCOMPARE(marks().count(), 1); // still marked
    type(u"t = 'ghp_%1'\n"_s.arg(u"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"_s));
    QTRY_VERIFY(bar().isVisible());
    QVERIFY2(bar().sentence().startsWith(u"2 places look like secrets"_s), qPrintable(bar().sentence()));
}

void TestLeakMarks::aKindThatIsSwitchedOffIsNotMarked()
{
    tab()->editor().setText(u"key = '%1'\n"_s.arg(key), true);
    QTRY_COMPARE(marks().count(), 1);
    QVERIFY(m_desk->context.settings()->store(u"leaks.ignore"_s, u"aws-key-id"_s));
    m_desk->context.tellSettings(std::nullopt);
    QTRY_COMPARE(marks().count(), 0);
    QVERIFY(!bar().isVisible());
    QVERIFY(m_desk->context.settings()->remove(u"leaks.ignore"_s));
    m_desk->context.tellSettings(std::nullopt);
    QTRY_COMPARE(marks().count(), 1);
}

void TestLeakMarks::aRunDoesNotWaitForIt()
{
    run(u"print('%1')\n"_s.arg(key));
    waitForEnd();
    QVERIFY(tab()->runs().current()->result()->outcome == Outcome::Completed);
    // Of its output the run panel says it, without the key.
    const QList<RunEvent> events = tab()->runs().current()->result()->events;
    const auto leak = std::ranges::find(events, EventType::LeakOutput, &RunEvent::type);
    QVERIFY(leak != events.end());
    QVERIFY(!translated(leak->detail).contains(body));
    const auto told = [this] {
        const auto labels = tab()->runs().findChild<QWidget *>(u"bench.story"_s)->findChildren<QLabel *>();
        return std::ranges::any_of(labels, [](const QLabel *label) {
            return label->isVisible() && label->text().contains(u"AWS access key"_s);
        });
    };
    QTRY_VERIFY(told());
}

void TestLeakMarks::lettersBeyondAsciiDoNotMoveTheMark()
{
    tab()->editor().setText(u"# 😀 größer — ключ\nkey = '😀', '%1', 'é'\n"_s.arg(key), true);
    QTRY_COMPARE(marks().count(), 1);
    QCOMPARE(editor().marks().first().where.selectedText(), key);
}

void TestLeakMarks::aLargeTextDoesNotHoldUpTheWindow()
{
    QString text;
    for (int i = 0; i < 100'000; ++i)
        text += u"x%1 = 'something of usual length'\n"_s.arg(i);
    text += u"key = '%1'\n"_s.arg(key);
    tab()->editor().setText(text, true);
    QTRY_VERIFY_WITH_TIMEOUT(!tab()->editor().isLoading(), 60'000);
    QTRY_COMPARE_WITH_TIMEOUT(marks().count(), 1, 60'000);
    QCOMPARE(marks().firstLine(), 100'001);
    // What the search costs here: the text is copied, the rest is elsewhere.
    QElapsedTimer spent;
    spent.start();
    m_desk->context.tellSettings(std::nullopt);
    qInfo("the beginning of a search in %lld characters takes %lld ms", qlonglong(text.size()),
          qlonglong(spent.elapsed()));
    // What no run takes is not searched.
    tab()->editor().setText(text + text, true);
    QTRY_VERIFY_WITH_TIMEOUT(!tab()->editor().isLoading(), 60'000);
    QTRY_COMPARE_WITH_TIMEOUT(marks().count(), 0, 60'000);
}

GLOVEBOX_TEST_MAIN(TestLeakMarks)
#include "tst_leakmarks.moc"
