// SPDX-License-Identifier: Apache-2.0
// The sentence that says what a run may, with its editors, by real keys.
#include "app/workbench/bench/benchpage.h"
#include "app/workbench/bench/policy/limiteditor.h"
#include "app/workbench/bench/policy/sealbadge.h"
#include "tests/app/workbench/shell/desk.h"

#include <QLabel>
#include <QLineEdit>
#include <QRadioButton>
#include <QToolButton>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestBenchPolicy : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_desk = std::make_unique<Desk>();
        m_desk->show();
        m_desk->openEngine();
        m_page = qobject_cast<BenchPage *>(m_desk->frame.page(u"bench"_s));
        QVERIFY(m_page);
        m_tab = m_page->current();
        QVERIFY(m_tab);
    }
    void cleanup() { m_desk.reset(); }

    void theSentenceSaysTheDefaults();
    void aWordOpensItsEditorAndReturnSetsIt();
    void escapeLeavesEverythingAsItWas();
    void nonsenseIsRefusedThere();
    void weakerIsMarkedAndANewTabStartsFromTheDefault();
    void aClickElsewhereClosesAndANewOneReplaces();
    void theLanguageCanBeChosen();
    void namespacesAreOneLineAndTroubleComesFirst();

private:
    template<typename Widget> Widget *find(const QString &name)
    {
        // The one that is to be seen: closed ones may not be gone yet.
        for (Widget *widget : m_desk->frame.findChildren<Widget *>(name)) {
            if (widget->isVisible())
                return widget;
        }
        return nullptr;
    }

    std::unique_ptr<Desk> m_desk;
    BenchPage *m_page = nullptr;
    BenchTab *m_tab = nullptr;
};

void TestBenchPolicy::theSentenceSaysTheDefaults()
{
    QTRY_VERIFY(m_tab->policy().sentence().startsWith(u"Python 3"_s));
    QVERIFY(m_tab->policy().sentence().endsWith(
        u"may use 30 s, 256 MB, 64 processes, 1 MB of output, 256 MB of disk, no terminal"_s));
}

void TestBenchPolicy::aWordOpensItsEditorAndReturnSetsIt()
{
    auto *word = find<QToolButton>(u"bench.policy.wall"_s);
    QVERIFY(word);
    word->setFocus(Qt::TabFocusReason);
    QTest::keyClick(word, Qt::Key_Space);
    auto *field = find<QLineEdit>(u"bench.limit.value"_s);
    QVERIFY(field);
    QTRY_VERIFY(field->hasFocus());
    QTest::keyClicks(field, u"5 s"_s);
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(m_tab->policy().policy().limits.wall, std::chrono::milliseconds(5000));
    QCOMPARE(word->text(), u"5 s"_s);
    QVERIFY(word->hasFocus());
}

void TestBenchPolicy::escapeLeavesEverythingAsItWas()
{
    m_tab->policy().openLimit(LimitKind::Memory);
    auto *field = find<QLineEdit>(u"bench.limit.value"_s);
    QVERIFY(field);
    QTest::keyClicks(field, u"1 GB"_s);
    QTest::keyClick(field, Qt::Key_Escape);
    QVERIFY(!find<QLineEdit>(u"bench.limit.value"_s));
    QCOMPARE(m_tab->policy().policy().limits.memoryBytes, 256 * mebibyte);
}

void TestBenchPolicy::nonsenseIsRefusedThere()
{
    m_tab->policy().openLimit(LimitKind::Processes);
    auto *field = find<QLineEdit>(u"bench.limit.value"_s);
    QVERIFY(field);
    QTest::keyClicks(field, u"0"_s);
    QTest::keyClick(field, Qt::Key_Return);
    QVERIFY(find<QLineEdit>(u"bench.limit.value"_s)); // still open
    QCOMPARE(m_tab->policy().policy().limits.processes, 64);
    bool said = false;
    for (const QLabel *label : find<QWidget>(u"bench.limit"_s)->findChildren<QLabel *>())
        said = said || label->text().startsWith(u"Between 1 and"_s);
    QVERIFY(said);
}

void TestBenchPolicy::weakerIsMarkedAndANewTabStartsFromTheDefault()
{
    m_tab->policy().openLimit(LimitKind::Disk);
    auto *field = find<QLineEdit>(u"bench.limit.value"_s);
    QTest::keyClicks(field, u"1 GB"_s);
    QTest::keyClick(field, Qt::Key_Return);
    auto *word = find<QToolButton>(u"bench.policy.disk"_s);
    QCOMPARE(word->text(), u"▲ 1 GB of disk"_s); // a shape, not only a colour
    QVERIFY(word->accessibleName().contains(u"more than the default of 256 MB"_s));
    QVERIFY(m_desk->context.actions().trigger(u"bench.new"_s));
    QVERIFY(m_page->current() != m_tab);
    QCOMPARE(m_page->current()->policy().policy(), m_desk->context.settings()->policy());
}

void TestBenchPolicy::aClickElsewhereClosesAndANewOneReplaces()
{
    m_tab->policy().openLimit(LimitKind::Wall);
    QVERIFY(find<QWidget>(u"bench.limit"_s));
    QTest::mouseClick(m_tab->editor().editor().viewport(), Qt::LeftButton);
    QVERIFY(!find<QWidget>(u"bench.limit"_s));
    auto *wall = find<QToolButton>(u"bench.policy.wall"_s);
    QTest::mouseClick(wall, Qt::LeftButton);
    QVERIFY(find<QWidget>(u"bench.limit"_s));
    QTest::mouseClick(wall, Qt::LeftButton); // the same word again: away
    QVERIFY(!find<QWidget>(u"bench.limit"_s));
}

void TestBenchPolicy::theLanguageCanBeChosen()
{
    m_tab->policy().openLanguage();
    auto *node = find<QRadioButton>(u"bench.language.node"_s);
    QVERIFY(node);
    node->click();
    QCOMPARE(m_tab->language(), u"node"_s);
    // What the code says comes back with the first choice.
    m_tab->editor().setText(u"#!/bin/bash\necho x\n"_s, false);
    m_tab->policy().openLanguage();
    find<QRadioButton>(u"bench.language.auto"_s)->click();
    QTRY_COMPARE(m_tab->language(), u"bash"_s);
}

void TestBenchPolicy::namespacesAreOneLineAndTroubleComesFirst()
{
    QList<Control> controls;
    for (const QString &name : {u"user-namespace"_s, u"pid-namespace"_s, u"seccomp"_s})
        controls.append({name, u"on"_s, Control::State::Verified, Text("fine")});
    controls.append({u"memory"_s, u"256 MB"_s, Control::State::Degraded, Text("approximate")});
    const QList<ControlLine> lines = controlLines(controls);
    QCOMPARE(lines.size(), 3);
    QVERIFY(lines[0].state == Control::State::Degraded);
    QCOMPARE(lines[0].fact, u"Degraded: approximate"_s);
    QCOMPARE(lines[1].fact, u"2 of 2"_s);
}

GLOVEBOX_TEST_MAIN(TestBenchPolicy)
#include "tst_benchpolicy.moc"
