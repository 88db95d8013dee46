// SPDX-License-Identifier: Apache-2.0
// A host that was blocked is let in for one run, for the session or always, and the very code that wanted it runs again.
#include "app/workbench/runpanel/network/networkmodel.h"
#include "tests/app/workbench/bench/benchseat.h"

#include <QFile>
#include <QJsonDocument>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabBar>
#include <QToolButton>
#include <QTreeView>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// An address of documentation (RFC 5737): the run has a network, and nobody is there.
const auto usualHost = u"192.0.2.1:443"_s;
const auto blocked = u"collect.example.net:8080"_s;

} // namespace

class TestBenchNetwork : public QObject, BenchSeat
{
    Q_OBJECT
private Q_SLOTS:
    void init() { sitDown(); }
    void cleanup() { m_desk.reset(); }

    void forTheNextRunIsForOneRun();
    void forTheSessionStaysInTheTabAndIsNeverWritten();
    void alwaysIsASettingThatCanBeTakenBack();
    void aSettingsFileThatCannotBeWrittenIsSaid();
    void nonsenseInTheSettingAllowsNothing();
    void theLineBelowTheOutputLetsItIn();
    void aServerOfThisMachineThatWasMeantIsListedWithTheWayToIt();
    void ofSeveralOneIsChosen();
    void aLineThatWasSentAwayStaysAway();
    void inASmallWindowTheLineIsWhole();
    void inASmallWindowWhatItTriedIsAtHand();

private:
    bool waitForEnd(int runs)
    {
        return QTest::qWaitFor(
            [this, runs] { return int(tab()->runs().runs().size()) == runs && tab()->runs().current()->isDone(); },
            30'000);
    }
    void runUntilBlocked();
    void runWithoutNetwork(const QStringList &addresses);
    QString blockedSentenceShown()
    {
        auto *sentence = find<QLabel>(u"bench.blocked.sentence"_s);
        return sentence ? sentence->text() : QString();
    }
    void press(const QString &way);
};

void TestBenchNetwork::runUntilBlocked()
{
    Policy policy = tab()->policy().policy();
    policy.allow = QStringList{usualHost};
    tab()->setPolicy(policy);
    tab()->editor().setText(u"import urllib.request\ntry:\n    urllib.request.urlopen('http://%1/')\n"
                            "except OSError as error:\n    print('no:', error)\n"_s.arg(blocked),
                            true);
    tab()->run(false);
    QVERIFY(waitForEnd(1));
    tab()->editor().setText(u"print('edited meanwhile')\n"_s, true);
    tab()->runs().showTab(u"network"_s);
    auto *allow = find<QPushButton>(u"bench.network.allow"_s);
    QVERIFY(allow);
    allow->setFocus(Qt::TabFocusReason);
    QTest::keyClick(allow, Qt::Key_Space);
}

void TestBenchNetwork::press(const QString &way)
{
    auto *button = find<QPushButton>(u"bench.allow."_s + way);
    QVERIFY(button);
    if (way == u"once"_s) {
        QTest::mouseClick(button, Qt::LeftButton);
    } else { // as in any dialog
        button->setFocus(Qt::TabFocusReason);
        QTest::keyClick(button, Qt::Key_Return);
    }
    QVERIFY(waitForEnd(2));
    // Exactly the code that was blocked, with exactly one host more.
    const auto runs = tab()->runs().runs();
    QCOMPARE(runs[1]->request().code, runs[0]->request().code);
    QCOMPARE(runs[1]->policy().allow, QStringList({usualHost, blocked}));
    Policy without = runs[1]->policy();
    without.allow.removeLast();
    QCOMPARE(without, runs[0]->policy());
}

void TestBenchNetwork::forTheNextRunIsForOneRun()
{
    runUntilBlocked();
    QVERIFY(find<QWidget>(u"bench.allow"_s));
    QVERIFY(m_desk->save(u"bench-sheet-allow"_s));
    press(u"once"_s);
    QCOMPARE(tab()->policy().policy().allow, QStringList{usualHost});
    tab()->run(false);
    QVERIFY(waitForEnd(3));
    QCOMPARE(tab()->runs().current()->policy().allow, QStringList{usualHost});
    QVERIFY(!QFile::exists(m_desk->paths.settingsFile()));
}

void TestBenchNetwork::forTheSessionStaysInTheTabAndIsNeverWritten()
{
    runUntilBlocked();
    press(u"session"_s);
    QCOMPARE(tab()->policy().policy().allow, QStringList({usualHost, blocked}));
    QCOMPARE(find<QToolButton>(u"bench.policy.hosts"_s)->text(), u"▲ 2 hosts"_s);
    QVERIFY(!tab()->stashed().contains("collect.example.net"));
    QVERIFY(!QFile::exists(m_desk->paths.settingsFile()));
    QVERIFY(m_desk->context.actions().trigger(u"bench.new"_s));
    QVERIFY(tab()->policy().policy().allow.isEmpty());
}

void TestBenchNetwork::alwaysIsASettingThatCanBeTakenBack()
{
    runUntilBlocked();
    press(u"always"_s);
    const auto setting = [this] { return m_desk->context.settings()->value(u"bench.allow"_s).value.toString(); };
    QTRY_COMPARE(setting(), blocked);
    QTRY_COMPARE(tab()->policy().policy().allow, QStringList({usualHost, blocked}));
    // Part of a new tab's default: said, and not marked as more than that.
    QVERIFY(m_desk->context.actions().trigger(u"bench.new"_s));
    QCOMPARE(tab()->policy().policy().allow, QStringList{blocked});
    QCOMPARE(find<QToolButton>(u"bench.policy.hosts"_s)->text(), u"1 host"_s);
    QVERIFY(m_desk->context.settings()->policy().allow.isEmpty()); // what `glovebox run` starts from

    m_desk->frame.showPage(u"settings"_s);
    const auto reset = [this] { return find<QPushButton>(u"settings.bench.allow.reset"_s); };
    QTRY_VERIFY(reset() && reset()->isVisible());
    reset()->click();
    QTRY_COMPARE(setting(), QString());
    for (BenchTab *each : m_page->tabs())
        QTRY_VERIFY(!each->policy().policy().allow.contains(blocked));
}

void TestBenchNetwork::aSettingsFileThatCannotBeWrittenIsSaid()
{
    // A folder in its place: nobody can write over that, root neither.
    QVERIFY(QDir().mkpath(m_desk->paths.settingsFile()));
    runUntilBlocked();
    press(u"always"_s);
    const auto said = [this] {
        const QList<Note> notes = m_desk->context.notifications().notes();
        return std::ranges::any_of(notes, [](const Note &note) { return note.text.contains(u"for this run only"_s); });
    };
    QTRY_VERIFY(said());
    QCOMPARE(tab()->policy().policy().allow, QStringList{usualHost});
}

void TestBenchNetwork::nonsenseInTheSettingAllowsNothing()
{
    QVERIFY(m_desk->context.settings()->store(u"bench.allow"_s, u"* http://x/ ok.example:443 *.com"_s));
    QVERIFY(m_desk->context.actions().trigger(u"bench.new"_s));
    QCOMPARE(tab()->policy().policy().allow, QStringList{u"ok.example:443"_s});
}

void TestBenchNetwork::runWithoutNetwork(const QStringList &addresses)
{
    tab()->editor().setText(u"import socket\nfor place in '%1'.split():\n"
                            "    try:\n        socket.create_connection((place, 8080))\n"
                            "    except OSError as error:\n        print('no:', error)\n"_s.arg(addresses.join(u' ')),
                            true);
    tab()->run(false);
    QVERIFY(waitForEnd(1));
}

void TestBenchNetwork::theLineBelowTheOutputLetsItIn()
{
    runWithoutNetwork({u"198.51.100.7"_s});
    QTRY_COMPARE(blockedSentenceShown(), u"198.51.100.7:8080, as this run was allowed no host."_s);
    auto *tabs = find<QTabBar>(u"bench.runtabs"_s);
    for (int i = 0; i < tabs->count(); ++i) {
        const bool isNetwork = tabs->tabText(i) == u"Network · 1 blocked"_s;
        QCOMPARE(tabs->tabTextColor(i) == m_desk->theme.colour(Colour::Warn), isNetwork);
    }
    tab()->runs().showTab(u"isolation"_s); // on every tab
    QVERIFY(m_desk->save(u"bench-blocked"_s));
    QTest::mouseClick(find<QPushButton>(u"bench.blocked.once"_s), Qt::LeftButton);
    QVERIFY(waitForEnd(2));
    const auto runs = tab()->runs().runs();
    QCOMPARE(runs[1]->request().code, runs[0]->request().code);
    QCOMPARE(runs[1]->policy().allow, QStringList{u"198.51.100.7:8080"_s});
    QVERIFY(tab()->policy().policy().allow.isEmpty());
    QVERIFY(blockedSentenceShown().isEmpty()); // it was let in, and nobody was there
}

// The loopback of a run is its own, and nothing is blocked there.
void TestBenchNetwork::aServerOfThisMachineThatWasMeantIsListedWithTheWayToIt()
{
    runWithoutNetwork({u"127.0.0.1"_s, u"127.0.0.1"_s});
    tab()->runs().showTab(u"network"_s);
    auto *list = find<QTreeView>(u"bench.network.list"_s);
    QVERIFY(list);
    QCOMPARE(list->model()->rowCount(), 1);
    const auto cell = [&](int column) { return list->model()->index(0, column).data().toString(); };
    QCOMPARE(cell(NetworkModel::State), u"Inside"_s);
    QCOMPARE(cell(NetworkModel::Place), u"127.0.0.1:8080"_s);
    QCOMPARE(cell(NetworkModel::Why),
             u"127.0.0.1 is the run's own, with no server of this machine. To reach that, allow "
             "127.0.0.1:8080."_s);
    QCOMPARE(find<QLabel>(u"bench.network.summary"_s)->text(),
             u"The run connected to 1 place inside of itself and tried no other."_s);
    auto *tabs = find<QTabBar>(u"bench.runtabs"_s);
    for (int i = 0; i < tabs->count(); ++i)
        QVERIFY(!tabs->tabText(i).contains(u"blocked"_s)); // nothing was
    QVERIFY(m_desk->save(u"bench-network-inside"_s));
    auto *allow = find<QPushButton>(u"bench.network.allow"_s);
    QVERIFY(allow);
    allow->setFocus(Qt::TabFocusReason);
    QTest::keyClick(allow, Qt::Key_Space);
    auto *once = find<QPushButton>(u"bench.allow.once"_s);
    QVERIFY(once);
    QTest::mouseClick(once, Qt::LeftButton);
    QVERIFY(waitForEnd(2));
    QCOMPARE(tab()->runs().runs()[1]->policy().allow, QStringList{u"127.0.0.1:8080"_s});
}

void TestBenchNetwork::ofSeveralOneIsChosen()
{
    runWithoutNetwork({u"198.51.100.7"_s, u"198.51.100.8"_s, u"198.51.100.7"_s});
    QTRY_COMPARE(blockedSentenceShown(), u"2 hosts."_s);
    QVERIFY(!find<QPushButton>(u"bench.blocked.once"_s));
    m_desk->frame.resize(640, 480);
    Desk::settle();
    const auto middle = [this](const QWidget *part) { return part->mapTo(tab(), part->rect().center()).y(); };
    QVERIFY(
        qAbs(middle(find<QPushButton>(u"bench.blocked.choose"_s)) - middle(find<QLabel>(u"bench.blocked.sentence"_s)))
        <= 2); // one line
    QTest::mouseClick(find<QPushButton>(u"bench.blocked.choose"_s), Qt::LeftButton);
    QVERIFY(find<QPushButton>(u"bench.network.allow"_s));
}

void TestBenchNetwork::aLineThatWasSentAwayStaysAway()
{
    runWithoutNetwork({u"198.51.100.7"_s});
    QTRY_VERIFY(!blockedSentenceShown().isEmpty());
    QTest::mouseClick(find<QToolButton>(u"bench.blocked.close"_s), Qt::LeftButton);
    QVERIFY(blockedSentenceShown().isEmpty());
    tab()->runs().showTab(u"network"_s);
    QVERIFY(blockedSentenceShown().isEmpty());
    tab()->run(false);
    QVERIFY(waitForEnd(2));
    QTRY_VERIFY(!blockedSentenceShown().isEmpty());
}

// At large text, below a banner and beside chips of runs.
void TestBenchNetwork::inASmallWindowTheLineIsWhole()
{
    m_desk->theme.setTextScale(2);
    m_desk->frame.resize(900, 600);
    m_desk->context.notifications().setBanner(
        {.id = u"weak"_s, .tone = Tone::Warn, .text = u"1 protection is weaker."_s, .stays = true});
    runWithoutNetwork({u"198.51.100.7"_s});
    tab()->run(false);
    QVERIFY(waitForEnd(2));
    auto *line = find<QWidget>(u"bench.blocked"_s);
    QVERIFY(line);
    const auto isWhole = [this, line] {
        Desk::settle();
        QVERIFY(tab()->rect().contains(QRect(line->mapTo(tab(), QPoint()), line->size())));
        for (const QWidget *part : visibleWidgets(line)) {
            QVERIFY2(line->rect().contains(QRect(part->mapTo(line, QPoint()), part->size())),
                     qPrintable(describe(part)));
            QVERIFY2(part->height() >= part->minimumSizeHint().height(), qPrintable(describe(part)));
            if (const auto *label = qobject_cast<const QLabel *>(part); label && !label->text().isEmpty())
                QVERIFY2(label->width() >= QFontMetrics(label->font()).horizontalAdvance(label->text())
                             && label->height() >= QFontMetrics(label->font()).height(),
                         qPrintable(describe(part) + u": "_s + label->text()));
        }
    };
    isWhole();
    QVERIFY(m_desk->save(u"bench-blocked-large-text"_s));
    const QString all = u"198.51.100.7:8080, as this run was allowed no host."_s;
    QCOMPARE(blockedSentenceShown(), u"198.51.100.7:8080"_s); // the reason is behind "Why?"
    QCOMPARE(find<QLabel>(u"bench.blocked.sentence"_s)->accessibleName(), all);
    QVERIFY(!find<QPushButton>(u"bench.blocked.once"_s));
    QTest::mouseClick(find<QPushButton>(u"bench.blocked.choose"_s), Qt::LeftButton);
    QVERIFY(find<QPushButton>(u"bench.network.allow"_s));

    m_desk->frame.resize(900, 900);
    QTRY_VERIFY(find<QPushButton>(u"bench.blocked.once"_s));
    isWhole();
    QVERIFY(m_desk->save(u"bench-blocked-large-text-high"_s));
    m_desk->theme.setTextScale(1);
    m_desk->frame.resize(1360, 860);
    QTRY_COMPARE(blockedSentenceShown(), all);
    QVERIFY(!find<QPushButton>(u"bench.blocked.choose"_s));
}

void TestBenchNetwork::inASmallWindowWhatItTriedIsAtHand()
{
    m_desk->theme.setTextScale(2);
    m_desk->frame.resize(900, 600);
    Desk::settle();
    runWithoutNetwork({u"198.51.100.7"_s});
    QTRY_VERIFY(find<QToolButton>(u"bench.output.story"_s));
    auto *button = find<QToolButton>(u"bench.output.story"_s);
    QCOMPARE(button->text(), u"▲ What it tried"_s);
    Desk::settle();
    QCOMPARE(button->visibleRegion().boundingRect(), button->rect());
    QVERIFY(button->width() >= button->sizeHint().width());
    QVERIFY(!find<QWidget>(u"bench.story"_s));
    QVERIFY(tab()->runs().output()->isVisible());
    QTest::mouseClick(button, Qt::LeftButton);
    QTRY_VERIFY(find<QWidget>(u"bench.story"_s));
    Desk::settle();
    QVERIFY(m_desk->save(u"bench-story-large-text"_s));
    QVERIFY(!tab()->runs().output()->isVisible());
    const auto *sentence = find<QWidget>(u"bench.story"_s)->findChildren<QLabel *>().value(1);
    QVERIFY(sentence && sentence->text().contains(u"198.51.100.7:8080"_s));
    QVERIFY(!sentence->visibleRegion().isEmpty());
    tab()->editor().editor().setFocus();
    QTest::mouseClick(find<QToolButton>(u"bench.story.close"_s), Qt::LeftButton);
    QTRY_VERIFY(tab()->runs().output()->isVisible());
    QVERIFY(!tab()->runs().isCardHidden()); // elsewhere it stays

    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(!tab()->runs().output()->isVisible());
    const auto *sentences =
        find<QScrollArea>(u"bench.story.sentences"_s); // more of them than fit: the keyboard gets there
    QVERIFY(sentences && sentences->verticalScrollBar()->maximum() > 0 && sentences->focusPolicy() == Qt::TabFocus);
    tab()->editor().setText(u"pass"_s, true);
    tab()->run(false);
    QVERIFY(waitForEnd(2));
    QVERIFY(tab()->runs().output()->isVisible());
    QTRY_COMPARE(button->text(), u"What it tried"_s); // nothing that needs a look
    m_desk->theme.setTextScale(1);
    m_desk->frame.resize(1360, 860);
    QTRY_VERIFY(find<QWidget>(u"bench.story"_s));
    QVERIFY(!button->isVisible());
}

GLOVEBOX_TEST_MAIN(TestBenchNetwork)
#include "tst_benchnetwork.moc"
