// SPDX-License-Identifier: Apache-2.0
// Profiles in the sheet of limits: the person's own, those of the command line, and what an earlier version kept.
#include "tests/app/workbench/bench/benchseat.h"

#include <QFile>
#include <QJsonArray>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

#include <algorithm>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// As the command line may have made it.
Profile lab()
{
    return {u"lab"_s,
            {{u"limits"_s, QJsonObject{{u"processes"_s, 9}}},
             {u"network"_s, QJsonObject{{u"allow"_s, QJsonArray{u"pypi.org"_s}}}},
             {u"strict"_s, true}}};
}

} // namespace

class TestBenchProfiles : public QObject, BenchSeat
{
    Q_OBJECT
private Q_SLOTS:
    void init() { sitDown(); }
    void cleanup() { m_desk.reset(); }

    void profilesAreKeptUnderANameAndUsed();
    void aProfileOfTheCommandLineBringsItsHosts();
    void strictnessGoesWithWhatBroughtIt();
    void aProfileThatIsKeptAnewStaysStrictAndHasItsHosts();
    void presetsOfAnEarlierVersionBecomeProfiles();
    void profilesThatCannotBeReadAreSaid();
};

void TestBenchProfiles::profilesAreKeptUnderANameAndUsed()
{
    const auto press = [this](const char *name) {
        auto *button = find<QAbstractButton>(u"bench.limits."_s + QString::fromLatin1(name));
        QVERIFY2(button, name);
        button->click();
    };
    Policy policy = tab()->policy().policy();
    policy.limits.wall = std::chrono::minutes(2);
    policy.limits.memoryBytes = 1024 * mebibyte;
    tab()->setPolicy(policy);
    QVERIFY(m_desk->context.actions().trigger(u"bench.limits"_s));
    QTest::keyClicks(find<QLineEdit>(u"bench.limits.name"_s), u"large data"_s);
    press("keep");
    QVERIFY(m_desk->context.actions().trigger(u"bench.limits"_s));
    press("reset");
    QCOMPARE(tab()->policy().policy(), m_desk->context.settings()->policy());

    // The command line has the same ones.
    const Profiles profiles(m_desk->paths);
    QTRY_VERIFY(profiles.find(u"large data"_s));
    const auto kept = profiles.find(u"large data"_s);
    QVERIFY(kept->on(Policy())->limits == policy.limits);
    QVERIFY(!kept->given[u"limits"_s].toObject().contains(u"cpu_ms"_s)); // nothing is lifted that nobody has
    QVERIFY(!m_page->saveState().contains(u"presets"_s));
    QVERIFY(m_desk->context.actions().trigger(u"bench.new"_s));
    QVERIFY(m_desk->context.actions().trigger(u"bench.limits"_s));
    QCOMPARE(find<QToolButton>(u"bench.limits.profile1"_s)->text(), u"large data"_s);
    press("profile1");
    QCOMPARE(tab()->policy().policy().limits, policy.limits);
    QCOMPARE(find<QToolButton>(u"bench.policy.memory"_s)->text(), u"▲ 1 GB"_s);
    QVERIFY(m_desk->context.actions().trigger(u"bench.limits"_s));
    press("remove1");
    QTRY_VERIFY(profiles.list()->isEmpty());
    QVERIFY(m_desk->context.actions().trigger(u"bench.limits"_s));
    QVERIFY(!find<QToolButton>(u"bench.limits.profile1"_s));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
}

void TestBenchProfiles::aProfileOfTheCommandLineBringsItsHosts()
{
    const Profiles profiles(m_desk->paths);
    QVERIFY(profiles.save(lab()));
    Policy policy = tab()->policy().policy();
    policy.limits.wall = std::chrono::minutes(2); // what the profile doesn't set is as the settings say
    policy.allow = {u"example.org"_s};
    tab()->setPolicy(policy);
    QVERIFY(m_desk->context.actions().trigger(u"bench.limits"_s));
    find<QToolButton>(u"bench.limits.profile1"_s)->click();
    Policy wanted = m_desk->context.settings()->policy();
    wanted.limits.processes = 9;
    wanted.allow = QStringList{u"example.org"_s, u"pypi.org"_s};
    wanted.strict = true;
    QCOMPARE(tab()->policy().policy(), wanted);
    QVERIFY2(tab()->policy().sentence().contains(u"9 processes and the usual limits (strict), 2 hosts"_s),
             qPrintable(tab()->policy().sentence()));
    // The tab stays strict when the settings change, and when it comes back.
    QVERIFY(m_desk->context.settings()->store(u"run.wall_seconds"_s, 77));
    m_desk->context.tellSettings(std::nullopt);
    QCOMPARE(tab()->policy().policy().limits.wall, std::chrono::seconds(77));
    QCOMPARE(tab()->policy().policy().limits.processes, 9);
    QVERIFY(tab()->policy().policy().strict);
    const QByteArray stashed = tab()->stashed();
    QVERIFY(m_desk->context.actions().trigger(u"bench.defaults"_s));
    QVERIFY(!tab()->policy().policy().strict);
    QVERIFY(tab()->restore(stashed));
    QVERIFY(tab()->policy().policy().strict);
}

void TestBenchProfiles::strictnessGoesWithWhatBroughtIt()
{
    const auto isStrict = [this] { return tab()->policy().policy().strict; };
    const auto setStrict = [this](bool strict) {
        QVERIFY(m_desk->context.settings()->store(u"run.strict"_s, strict));
        m_desk->context.tellSettings(std::nullopt);
    };
    setStrict(true);
    QVERIFY(isStrict());
    setStrict(false);
    QVERIFY(!isStrict()); // it was the settings' alone

    const Profiles profiles(m_desk->paths);
    QVERIFY(profiles.save(lab()));
    QVERIFY(profiles.save({u"wide"_s, {{u"limits"_s, QJsonObject{{u"processes"_s, 99}}}}}));
    const auto use = [this](const char *name) {
        QVERIFY(m_desk->context.actions().trigger(u"bench.limits"_s));
        auto *button = find<QAbstractButton>(u"bench.limits."_s + QString::fromLatin1(name));
        QVERIFY2(button && button->isEnabled(), name);
        button->click();
    };
    use("profile1");
    QVERIFY2(isStrict() && tab()->policy().sentence().contains(u"(strict)"_s), qPrintable(tab()->policy().sentence()));
    setStrict(true);
    QVERIFY2(!tab()->policy().sentence().contains(u"strict"_s), qPrintable(tab()->policy().sentence())); // all runs are
    setStrict(false);
    QVERIFY(isStrict()); // the profile's stays
    // Also over a restart while the settings are strict, and only then.
    setStrict(true);
    QByteArray stashed = tab()->stashed();
    use("reset");
    QVERIFY(tab()->restore(stashed));
    setStrict(false);
    QVERIFY(isStrict());
    use("reset");
    setStrict(true);
    stashed = tab()->stashed();
    QVERIFY(tab()->restore(stashed));
    setStrict(false);
    QVERIFY(!isStrict());
    use("profile2");
    QVERIFY(!isStrict());
    use("profile1");
    QVERIFY(isStrict());
    use("reset");
    QVERIFY(!isStrict());
}

void TestBenchProfiles::aProfileThatIsKeptAnewStaysStrictAndHasItsHosts()
{
    const Profiles profiles(m_desk->paths);
    QVERIFY(profiles.save(lab()));
    Policy policy = tab()->policy().policy();
    policy.limits.wall = std::chrono::minutes(2);
    tab()->setPolicy(policy);
    QVERIFY(m_desk->context.actions().trigger(u"bench.limits"_s));
    QTest::keyClicks(find<QLineEdit>(u"bench.limits.name"_s), u"lab"_s);
    find<QAbstractButton>(u"bench.limits.keep"_s)->click();
    QTRY_VERIFY(profiles.list()->value(0) != lab());
    const auto kept = profiles.find(u"lab"_s);
    QVERIFY(kept);
    const auto wanted = kept->on(Policy());
    QVERIFY(wanted);
    QCOMPARE(wanted->limits, policy.limits);
    QCOMPARE(wanted->allow, QStringList{u"pypi.org"_s});
    QVERIFY(wanted->strict);
}

void TestBenchProfiles::presetsOfAnEarlierVersionBecomeProfiles()
{
    const Profiles profiles(m_desk->paths);
    Policy large, other;
    large.limits.memoryBytes = 1024 * mebibyte;
    large.limits.cpu = std::chrono::seconds(9);
    other.limits.processes = 3;
    QVERIFY(profiles.save({u"other"_s, {{u"strict"_s, true}}})); // of the command line: both stay
    const QJsonObject state{{u"presets"_s, QJsonObject{{u"large data"_s, toJson(large)}, {u"other"_s, toJson(other)}}}};
    const auto areMoved = [&] { return !m_page->saveState().contains(u"presets"_s); };
    m_page->restoreState(state);
    QVERIFY(!areMoved()); // kept until they are profiles
    QTRY_VERIFY(areMoved());
    QCOMPARE(profiles.find(u"large data"_s)->on(Policy())->limits, large.limits);
    Policy bounded; // they meant all limits, also those that there were none of
    bounded.limits.cpu = std::chrono::seconds(1);
    QVERIFY(!profiles.find(u"other (2)"_s)->on(bounded)->limits.cpu);
    QCOMPARE(profiles.find(u"other"_s)->given, (QJsonObject{{u"strict"_s, true}}));
    QCOMPARE(profiles.find(u"other (2)"_s)->on(Policy())->limits, other.limits);
    m_page->restoreState(state); // as where the state couldn't be written
    QTRY_VERIFY(areMoved());
    QCOMPARE(profiles.list()->size(), 3);

    // Where they can't be saved they stay in the state.
    QVERIFY(profiles.remove(u"large data"_s));
    QFile file(profiles.file());
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("{") == 1);
    file.close();
    m_page->restoreState(state);
    const auto &notes = m_desk->context.notifications();
    QTRY_VERIFY(!notes.notes().isEmpty() && notes.notes().last().text.contains(profiles.file()));
    QCOMPARE(m_page->saveState()[u"presets"_s], state[u"presets"_s]);
    QVERIFY(file.remove());
    m_page->restoreState(m_page->saveState());
    QTRY_VERIFY(areMoved());
    QCOMPARE(profiles.find(u"large data"_s)->on(Policy())->limits, large.limits);
}

void TestBenchProfiles::profilesThatCannotBeReadAreSaid()
{
    QVERIFY(makePrivateFolder(m_desk->paths.config));
    QFile file(Profiles(m_desk->paths).file());
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("{") == 1);
    file.close();
    QVERIFY(m_desk->context.actions().trigger(u"bench.limits"_s));
    QVERIFY(!find<QLineEdit>(u"bench.limits.name"_s)); // nothing can be kept there
    const QList<QLabel *> labels = m_desk->frame.findChildren<QLabel *>();
    QVERIFY(std::ranges::any_of(labels, [&](const QLabel *label) { return label->text().contains(file.fileName()); }));
}

GLOVEBOX_TEST_MAIN(TestBenchProfiles)
#include "tst_benchprofiles.moc"
