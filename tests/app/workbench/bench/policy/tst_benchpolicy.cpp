// SPDX-License-Identifier: Apache-2.0
// The sentence that says what a run may, with its editors, by real keys.
#include "tests/app/workbench/bench/benchseat.h"

#include "app/workbench/bench/policy/limits/limiteditor.h"
#include "app/workbench/bench/policy/sealbadge.h"
#include "engine/network/network.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QRadioButton>
#include <QToolButton>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestBenchPolicy : public QObject, BenchSeat
{
    Q_OBJECT
private Q_SLOTS:
    void init() { sitDown(); }
    void cleanup() { m_desk.reset(); }

    void theSentenceSaysTheDefaults();
    void aWordOpensItsEditorAndReturnSetsIt();
    void theDefaultsComeBackAtOnce();
    void theSentenceKeepsItsPlaceWhileTheBadgeChanges();
    void escapeLeavesEverythingAsItWas();
    void theFocusGoesBackToWhereItWas();
    void nonsenseIsRefusedThere();
    void weakerIsMarkedAndANewTabStartsFromTheDefault();
    void aShareOfTheProcessorsReachesTheRun();
    void aLimitOfProcessorTimeHasAWordWhenThereIsOne();
    void aRunOnRecordDoesNotLiftALimitOfTheNetwork();
    void whatWasChosenComesBackAfterARestart();
    void theNetworkHasABudget();
    void presetsShowWhatTheyOpen();
    void returnPressesWhatHasTheFocusOnce();
    void aClickElsewhereClosesAndANewOneReplaces();
    void hostsAreNamedAndRefusedThere();
    void theLanguageCanBeChosen();
    void whatIsPastedDecidesTheLanguage();
    void namespacesAreOneLineAndTroubleComesFirst();
};

void TestBenchPolicy::theSentenceSaysTheDefaults()
{
    QTRY_VERIFY(tab()->policy().sentence().startsWith(u"Python 3"_s));
    QVERIFY(tab()->policy().sentence().endsWith(
        u" may use the usual limits, no network, no secrets, no session, no folders"_s));
}

void TestBenchPolicy::aWordOpensItsEditorAndReturnSetsIt()
{
    auto *usual = find<QToolButton>(u"bench.policy.limits"_s);
    QVERIFY(usual);
    usual->setFocus(Qt::TabFocusReason);
    QTest::keyClick(usual, Qt::Key_Space);
    auto *wall = find<QToolButton>(u"bench.limits.wall"_s);
    QTRY_VERIFY(wall && wall->hasFocus());
    QTest::keyClick(wall, Qt::Key_Return);
    auto *field = find<QLineEdit>(u"bench.limit.value"_s);
    QVERIFY(field);
    QTRY_VERIFY(field->hasFocus());
    QTest::keyClicks(field, u"5 s"_s);
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(tab()->policy().policy().limits.wall, std::chrono::milliseconds(5000));
    auto *word = find<QToolButton>(u"bench.policy.wall"_s);
    QCOMPARE(word->text(), u"5 s"_s);
    QVERIFY(usual->hasFocus());
    QVERIFY(tab()->policy().sentence().contains(u" may use 5 s and the usual limits, no network"_s));
    // Back at the default its word goes, and the keyboard stays in the sentence.
    QTest::mouseClick(word, Qt::LeftButton);
    find<QToolButton>(u"bench.limit.suggestion30000"_s)->click();
    QTRY_VERIFY(!find<QToolButton>(u"bench.policy.wall"_s));
    QTRY_VERIFY(usual->hasFocus());
}

void TestBenchPolicy::theDefaultsComeBackAtOnce()
{
    tab()->policy().allow(u"example.org:443"_s);
    tab()->policy().setTerminal(true);
    QVERIFY(tab()->policy().sentence().endsWith(u"no folders, a terminal"_s));
    QVERIFY(m_desk->context.actions().trigger(u"bench.defaults"_s));
    QVERIFY(tab()->policy().sentence().endsWith(
        u" may use the usual limits, no network, no secrets, no session, no folders"_s));
}

void TestBenchPolicy::theSentenceKeepsItsPlaceWhileTheBadgeChanges()
{
    for (const QSize size : {QSize(1360, 860), QSize(900, 600)}) {
        m_desk->frame.resize(size);
        Desk::settle();
        const QRect before = tab()->policy().geometry();
        tab()->editor().setText(u"print(1)\n"_s, true);
        QVERIFY(m_desk->context.actions().trigger(u"bench.run"_s));
        QTRY_VERIFY_WITH_TIMEOUT(tab()->runs().current() && tab()->runs().current()->isDone(), 30'000);
        QVERIFY(find<QToolButton>(u"bench.seal"_s));
        Desk::settle();
        QCOMPARE(tab()->policy().geometry(), before);
    }
}

void TestBenchPolicy::escapeLeavesEverythingAsItWas()
{
    tab()->policy().openLimit(LimitKind::Memory);
    auto *field = find<QLineEdit>(u"bench.limit.value"_s);
    QVERIFY(field);
    QTest::keyClicks(field, u"1 GB"_s);
    QTest::keyClick(field, Qt::Key_Escape);
    QVERIFY(!find<QLineEdit>(u"bench.limit.value"_s));
    QCOMPARE(tab()->policy().policy().limits.memoryBytes, 256 * mebibyte);
}

void TestBenchPolicy::theFocusGoesBackToWhereItWas()
{
    tab()->editor().editor().setFocus();
    QVERIFY(m_desk->context.actions().trigger(u"bench.limit.memory"_s)); // as by the palette
    auto *field = find<QLineEdit>(u"bench.limit.value"_s);
    QTRY_VERIFY(field->hasFocus());
    QTest::keyClick(field, Qt::Key_Escape);
    QVERIFY(tab()->editor().editor().hasFocus());
}

void TestBenchPolicy::nonsenseIsRefusedThere()
{
    tab()->policy().openLimit(LimitKind::Processes);
    auto *field = find<QLineEdit>(u"bench.limit.value"_s);
    QVERIFY(field);
    QTest::keyClicks(field, u"0"_s);
    QTest::keyClick(field, Qt::Key_Return);
    QVERIFY(find<QLineEdit>(u"bench.limit.value"_s)); // still open
    QCOMPARE(tab()->policy().policy().limits.processes, 64);
    bool said = false;
    for (const QLabel *label : find<QWidget>(u"bench.limit"_s)->findChildren<QLabel *>())
        said = said || label->text().startsWith(u"Between 1 and"_s);
    QVERIFY(said);
}

void TestBenchPolicy::weakerIsMarkedAndANewTabStartsFromTheDefault()
{
    const BenchTab *const first = tab();
    tab()->policy().openLimit(LimitKind::Disk);
    auto *field = find<QLineEdit>(u"bench.limit.value"_s);
    QTest::keyClicks(field, u"1 GB"_s);
    QTest::keyClick(field, Qt::Key_Return);
    auto *word = find<QToolButton>(u"bench.policy.disk"_s);
    QCOMPARE(word->text(), u"▲ 1 GB of disk"_s); // a shape, not only a colour
    QVERIFY(word->accessibleName().contains(u"more than the default of 256 MB"_s));
    QVERIFY(m_desk->context.actions().trigger(u"bench.new"_s));
    QVERIFY(tab() != first);
    QCOMPARE(tab()->policy().policy(), m_desk->context.settings()->policy());
}

void TestBenchPolicy::aShareOfTheProcessorsReachesTheRun()
{
    QVERIFY(m_desk->context.actions().trigger(u"bench.limit.cpushare"_s));
    auto *field = find<QLineEdit>(u"bench.limit.value"_s);
    QVERIFY(field);
    QCOMPARE(field->text(), u"all"_s);
    QTest::keyClicks(field, u"50"_s);
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(find<QToolButton>(u"bench.policy.cpushare"_s)->text(), u"50% of a processor"_s);
    tab()->editor().setText(u"print(1)\n"_s, true);
    QVERIFY(m_desk->context.actions().trigger(u"bench.run"_s));
    QTRY_VERIFY_WITH_TIMEOUT(tab()->runs().current() && tab()->runs().current()->isDone(), 30'000);
    const QList<Control> controls = tab()->runs().current()->result()->controls;
    const auto share = std::ranges::find(controls, ControlId::CpuShare, &Control::id);
    QVERIFY(share != controls.end());
    QCOMPARE(share->requested, u"50%"_s);
}

void TestBenchPolicy::aLimitOfProcessorTimeHasAWordWhenThereIsOne()
{
    const QString before = tab()->policy().sentence();
    QVERIFY(!find<QToolButton>(u"bench.policy.cputime"_s));
    QVERIFY(m_desk->context.actions().trigger(u"bench.limit.cputime"_s));
    auto *field = find<QLineEdit>(u"bench.limit.value"_s);
    QVERIFY(field);
    QTest::keyClicks(field, u"1 s"_s);
    QTest::keyClick(field, Qt::Key_Return);
    auto *word = find<QToolButton>(u"bench.policy.cputime"_s);
    QVERIFY(word);
    QCOMPARE(word->text(), u"1 s of processor time"_s);
    QVERIFY2(tab()->policy().sentence().contains(u" may use 1 s of processor time and the usual limits, "_s),
             qPrintable(tab()->policy().sentence()));
    tab()->editor().setText(u"while True: pass\n"_s, true);
    QVERIFY(m_desk->context.actions().trigger(u"bench.run"_s));
    QTRY_VERIFY_WITH_TIMEOUT(tab()->runs().current() && tab()->runs().current()->isDone(), 30'000);
    QVERIFY(tab()->runs().current()->result()->outcome == Outcome::CpuLimit);
    tab()->policy().openLimit(LimitKind::CpuTime);
    field = find<QLineEdit>(u"bench.limit.value"_s);
    QTest::keyClicks(field, u"no limit"_s);
    QTest::keyClick(field, Qt::Key_Return);
    QVERIFY(!find<QToolButton>(u"bench.policy.cputime"_s));
    QCOMPARE(tab()->policy().sentence(), before);
    // Where the default has a limit, its absence is worth a word.
    Policy limited = tab()->policy().defaults();
    limited.limits.cpu = std::chrono::seconds(5);
    tab()->policy().setPolicy(tab()->policy().policy(), limited);
    word = find<QToolButton>(u"bench.policy.cputime"_s);
    QVERIFY(word);
    QCOMPARE(word->text(), u"▲ no limit of processor time"_s);
}

void TestBenchPolicy::aRunOnRecordDoesNotLiftALimitOfTheNetwork()
{
    QVERIFY(m_desk->context.settings()->store(u"run.traffic_mb"_s, 7));
    m_desk->context.tellSettings(std::nullopt);
    QCOMPARE(tab()->policy().policy().limits.trafficBytes, 7 * mebibyte);
    Policy recorded; // from a time without such a limit
    recorded.limits.wall = std::chrono::seconds(5);
    m_desk->context.navigateTo(u"bench"_s, {{u"code"_s, u"print(1)\n"_s}, {u"policy"_s, toJson(recorded)}});
    QCOMPARE(tab()->policy().policy().limits.wall, std::chrono::milliseconds(5000));
    QCOMPARE(tab()->policy().policy().limits.trafficBytes, 7 * mebibyte);
    // Nor does a tab that comes back.
    QVERIFY(tab()->restore(tab()->stashed().replace(QByteArray::number(7 * mebibyte), "null")));
    QCOMPARE(tab()->policy().policy().limits.trafficBytes, 7 * mebibyte);
}

void TestBenchPolicy::whatWasChosenComesBackAfterARestart()
{
    const auto store = [](Settings &settings, int wall) {
        QVERIFY(settings.store(u"run.wall_seconds"_s, wall));
        QVERIFY(settings.store(u"run.traffic_mb"_s, 7));
        QVERIFY(settings.store(u"run.bandwidth_kb"_s, 50));
    };
    store(*m_desk->context.settings(), 60);
    m_desk->context.tellSettings(std::nullopt);
    tab()->policy().openLimit(LimitKind::Memory);
    QTest::keyClicks(find<QLineEdit>(u"bench.limit.value"_s), u"300 MB"_s);
    QTest::keyClick(find<QLineEdit>(u"bench.limit.value"_s), Qt::Key_Return);
    QVERIFY(m_desk->context.actions().trigger(u"bench.hosts"_s));
    find<QLineEdit>(u"bench.hosts.traffic"_s)->selectAll();
    QTest::keyClicks(find<QLineEdit>(u"bench.hosts.traffic"_s), u"no limit"_s);
    QTest::keyClick(find<QLineEdit>(u"bench.hosts.traffic"_s), Qt::Key_Escape);
    const QByteArray stashed = tab()->stashed();
    const auto isAsChosen = [](BenchTab &tab, int wall) {
        const Limits limits = tab.policy().policy().limits;
        QCOMPARE(limits.wall, std::chrono::seconds(wall)); // nobody chose it: it follows the settings
        QCOMPARE(limits.memoryBytes, 300 * mebibyte);
        QCOMPARE(limits.trafficBytes, std::nullopt);
        QCOMPARE(limits.bandwidthBytes, 50 * kibibyte);
    };
    QVERIFY(m_desk->context.actions().trigger(u"bench.new"_s));
    QVERIFY(tab()->restore(stashed));
    isAsChosen(*tab(), 60);

    // Tabs are back before the engine and its settings are.
    m_desk = std::make_unique<Desk>();
    store(**Settings::load(m_desk->paths.settingsFile(), {}), 20);
    m_desk->show();
    m_page = qobject_cast<BenchPage *>(m_desk->frame.page(u"bench"_s));
    QVERIFY(tab()->restore(stashed));
    const QByteArray again = tab()->stashed();
    m_desk->openEngine();
    isAsChosen(*tab(), 20);
    QVERIFY(tab()->restore(again)); // ended before the engine was there
    isAsChosen(*tab(), 20);
}

void TestBenchPolicy::theNetworkHasABudget()
{
    Policy policy = tab()->policy().policy();
    policy.allow = QStringList{u"example.org:443"_s};
    tab()->setPolicy(policy);
    QVERIFY(m_desk->context.actions().trigger(u"bench.hosts"_s));
    const auto enter = [this](const QString &name, const QString &text) {
        auto *field = find<QLineEdit>(name);
        QVERIFY(field);
        field->setFocus(Qt::TabFocusReason);
        field->selectAll();
        QTest::keyClicks(field, text);
    };
    QCOMPARE(find<QLineEdit>(u"bench.hosts.traffic"_s)->text(), u"no limit"_s);
    enter(u"bench.hosts.traffic"_s, u"10 MB"_s);
    enter(u"bench.hosts.bandwidth"_s, u"100 kB/s"_s);
    QCOMPARE(tab()->policy().policy().limits.trafficBytes, 10 * mebibyte);
    QCOMPARE(tab()->policy().policy().limits.bandwidthBytes, 100 * kibibyte);
    auto *word = find<QToolButton>(u"bench.policy.hosts"_s);
    QCOMPARE(word->text(), u"▲ 1 host (10 MB of traffic, 100 KB/s)"_s);
    QVERIFY(tab()->policy().sentence().contains(u"1 host (10 MB of traffic, 100 KB/s), no secrets"_s));
    // Nonsense is said, and what counted before stays.
    enter(u"bench.hosts.traffic"_s, u"much"_s);
    QVERIFY(find<QLabel>(u"bench.hosts.limit-remark"_s)->text().startsWith(u"Write it like this"_s));
    QCOMPARE(tab()->policy().policy().limits.trafficBytes, 10 * mebibyte);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    tab()->editor().setText(u"print(1)\n"_s, true);
    QVERIFY(m_desk->context.actions().trigger(u"bench.run"_s));
    QTRY_VERIFY_WITH_TIMEOUT(tab()->runs().current() && tab()->runs().current()->isDone(), 30'000);
    QCOMPARE(tab()->runs().current()->policy().limits.trafficBytes, 10 * mebibyte);
    // It comes back with the tab.
    QVERIFY(tab()->restore(tab()->stashed()));
    QCOMPARE(tab()->policy().policy().limits.bandwidthBytes, 100 * kibibyte);
    // Less careful than the default is marked.
    Policy limited = tab()->policy().defaults();
    limited.limits.trafficBytes = 5 * mebibyte;
    limited.allow = policy.allow;
    policy.limits.trafficBytes = std::nullopt;
    tab()->policy().setPolicy(policy, limited);
    QCOMPARE(word->text(), u"▲ 1 host"_s);
    policy.limits.trafficBytes = 5 * mebibyte;
    tab()->policy().setPolicy(policy, limited);
    QCOMPARE(word->text(), u"1 host (5 MB of traffic)"_s);
}

void TestBenchPolicy::presetsShowWhatTheyOpen()
{
    QVERIFY(m_desk->context.actions().trigger(u"bench.hosts"_s));
    const auto labels = find<QWidget>(u"bench.hosts"_s)->findChildren<QLabel *>();
    for (const NetworkPreset &preset : networkPresets()) {
        const bool isShown = std::ranges::any_of(labels, [&](const QLabel *label) {
            return label->isVisible() && label->text() == preset.opens.join(u'\n');
        });
        QVERIFY2(isShown, qPrintable(preset.name));
    }
}

void TestBenchPolicy::returnPressesWhatHasTheFocusOnce()
{
    const auto hold = [](QWidget *widget) { // Return, pressed elsewhere and held
        QKeyEvent key(QEvent::KeyPress, Qt::Key_Return, Qt::NoModifier, u"\r"_s, true);
        QApplication::sendEvent(widget, &key);
        for (const QEvent::Type type : {QEvent::KeyRelease, QEvent::KeyPress}) { // and as X11 has it
            QKeyEvent again(type, Qt::Key_Return, Qt::NoModifier, u"\r"_s);
            again.setTimestamp(7);
            QApplication::sendEvent(widget, &again);
        }
    };
    QVERIFY(m_desk->context.actions().trigger(u"bench.hosts"_s));
    auto *preset = find<QToolButton>(u"bench.hosts.preset-npm"_s);
    preset->setFocus(Qt::TabFocusReason);
    hold(preset);
    QVERIFY(tab()->policy().policy().allow.isEmpty());
    QTest::keyClick(preset, Qt::Key_Return);
    QCOMPARE(tab()->policy().policy().allow, QStringList{u"registry.npmjs.org:443"_s});
    hold(QApplication::focusWidget()); // the field for another host
    QVERIFY(!find<QLabel>(u"bench.hosts.remark"_s));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);

    tab()->policy().openLimit(LimitKind::Wall);
    auto *field = find<QLineEdit>(u"bench.limit.value"_s);
    hold(field);
    QVERIFY(field->isVisible());
    auto *suggestion = find<QToolButton>(u"bench.limit.suggestion5000"_s);
    suggestion->setFocus(Qt::TabFocusReason);
    QTest::keyClick(suggestion, Qt::Key_Enter);
    QVERIFY(!find<QWidget>(u"bench.limit"_s));
    QCOMPARE(tab()->policy().policy().limits.wall, std::chrono::milliseconds(5000));
}

void TestBenchPolicy::aClickElsewhereClosesAndANewOneReplaces()
{
    tab()->policy().openLimit(LimitKind::Wall);
    QVERIFY(find<QWidget>(u"bench.limit"_s));
    QTest::mouseClick(tab()->editor().editor().viewport(), Qt::LeftButton);
    QVERIFY(!find<QWidget>(u"bench.limit"_s));
    auto *usual = find<QToolButton>(u"bench.policy.limits"_s);
    QTest::mouseClick(usual, Qt::LeftButton);
    QVERIFY(find<QWidget>(u"bench.limits"_s));
    QTest::mouseClick(usual, Qt::LeftButton); // the same word again: away
    QVERIFY(!find<QWidget>(u"bench.limits"_s));
}

void TestBenchPolicy::hostsAreNamedAndRefusedThere()
{
    QVERIFY(m_desk->context.actions().trigger(u"bench.hosts"_s));
    auto *field = find<QLineEdit>(u"bench.hosts.name"_s);
    QVERIFY(field);
    QTest::keyClicks(field, u"http://example.org/"_s);
    QTest::keyClick(field, Qt::Key_Return);
    auto *remark = find<QLabel>(u"bench.hosts.remark"_s);
    QVERIFY(remark && remark->text().size() > 10);
    QVERIFY(tab()->policy().policy().allow.isEmpty());
    field->selectAll();
    QTest::keyClicks(field, u"Example.org:443"_s);
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(tab()->policy().policy().allow, QStringList{u"example.org:443"_s});
    QCOMPARE(find<QToolButton>(u"bench.policy.hosts"_s)->text(), u"▲ 1 host"_s);
    find<QToolButton>(u"bench.hosts.preset-npm"_s)->click();
    QCOMPARE(tab()->policy().policy().allow.size(), 2);
    QTRY_VERIFY(find<QToolButton>(u"bench.hosts.remove1"_s));
    find<QToolButton>(u"bench.hosts.remove1"_s)->click();
    QCOMPARE(tab()->policy().policy().allow, QStringList{u"registry.npmjs.org:443"_s});
    QTest::keyClick(field, Qt::Key_Escape);
    QVERIFY(m_desk->context.actions().trigger(u"bench.new"_s));
    QVERIFY(tab()->policy().policy().allow.isEmpty()); // each tab anew
}

void TestBenchPolicy::theLanguageCanBeChosen()
{
    tab()->policy().openLanguage();
    auto *node = find<QRadioButton>(u"bench.language.node"_s);
    QVERIFY(node);
    node->click();
    QCOMPARE(tab()->language(), u"node"_s);
    // What the code says comes back with the first choice.
    tab()->editor().setText(u"#!/bin/bash\necho x\n"_s, false);
    tab()->policy().openLanguage();
    find<QRadioButton>(u"bench.language.auto"_s)->click();
    QTRY_COMPARE(tab()->language(), u"bash"_s);
}

void TestBenchPolicy::whatIsPastedDecidesTheLanguage()
{
    QGuiApplication::clipboard()->setText(u"#!/bin/bash\necho one\necho two\n"_s);
    tab()->editor().editor().paste(); // and leaves the cursor in the last line
    QTRY_COMPARE(tab()->language(), u"bash"_s);
    tab()->policy().openLanguage();
    auto *automatic = find<QRadioButton>(u"bench.language.auto"_s);
    QVERIFY2(automatic->text().endsWith(u", by its first line"_s), qPrintable(automatic->text()));
    automatic->click();
    tab()->editor().editor().selectAll();
    QGuiApplication::clipboard()->setText(u"print(1)\nprint(2)\n"_s);
    tab()->editor().editor().paste();
    QTRY_COMPARE(tab()->language(), u"python"_s);
}

void TestBenchPolicy::namespacesAreOneLineAndTroubleComesFirst()
{
    QList<Control> controls;
    for (const ControlId id : {ControlId::UserNamespace, ControlId::PidNamespace, ControlId::Seccomp})
        controls.append({id, u"on"_s, Control::State::Verified, Text("fine")});
    controls.append({ControlId::Memory, u"256 MB"_s, Control::State::Degraded, Text("approximate")});
    const QList<ControlLine> lines = controlLines(controls);
    QCOMPARE(lines.size(), 3);
    QVERIFY(lines[0].state == Control::State::Degraded);
    QCOMPARE(lines[0].fact, u"Degraded: approximate"_s);
    QCOMPARE(lines[1].fact, u"2 of 2"_s);
}

GLOVEBOX_TEST_MAIN(TestBenchPolicy)
#include "tst_benchpolicy.moc"
