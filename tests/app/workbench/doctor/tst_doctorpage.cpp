// SPDX-License-Identifier: Apache-2.0
// The doctor's page: both builders, what mends what is weak, and attacks that a person watches.
#include "app/workbench/doctor/attackpanel.h"
#include "app/workbench/doctor/checkup.h"
#include "app/workbench/doctor/factsheet.h"
#include "app/workbench/shell/words/words.h"
#include "tests/app/workbench/desk/desk.h"

#include <QElapsedTimer>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestDoctorPage : public QObject
{
    Q_OBJECT

private:
    std::unique_ptr<Desk> m_desk;
    AttackPanel *m_panel = nullptr;

    QString outcome() { return m_panel->findChild<QLabel *>(u"doctor.attack-outcome"_s)->text(); }
    QString words()
    {
        QStringList all;
        for (const QLabel *label : m_desk->frame.page(u"doctor"_s)->widget()->findChildren<QLabel *>())
            all.append(label->text());
        return all.join(u'\n');
    }

private Q_SLOTS:
    void init()
    {
        m_desk = std::make_unique<Desk>();
        m_desk->frame.resize(1360, 860);
        m_desk->show();
        m_desk->openEngine();
        m_desk->frame.showPage(u"doctor"_s);
        Desk::settle();
        m_panel = m_desk->frame.findChild<AttackPanel *>();
        QVERIFY(m_panel);
    }
    void cleanup() { m_desk.reset(); }

    void attacksComeInOneByOneAndAreJudged()
    {
        auto *start = m_panel->findChild<QPushButton *>(u"doctor.attack-button"_s);
        start->setFocus(Qt::TabFocusReason);
        QTest::keyClick(start, Qt::Key_Space);
        QVERIFY(m_panel->isRunning());
        QTRY_VERIFY_WITH_TIMEOUT(!m_panel->results().isEmpty(), 20'000);
        // Warm sandboxes take them faster than this looks.
        const QString next = u"Running attack %1 of "_s.arg(m_panel->results().size() + 1);
        QVERIFY2(!m_panel->isRunning() || outcome().startsWith(next), qPrintable(outcome()));
        QTRY_VERIFY_WITH_TIMEOUT(!m_panel->isRunning(), 60'000);
        QCOMPARE(m_panel->results().size(), allAttacks().size());
        QCOMPARE(outcome(), outcomeOf(m_panel->results(), allAttacks().size()));
        for (const AttackResult &result : m_panel->results()) {
            QVERIFY2(result.verdict != AttackResult::Verdict::Escaped, qPrintable(result.attack.id));
            QVERIFY(words().contains(translated(result.attack.title)));
        }
        auto *scroll = m_desk->frame.findChild<QScrollArea *>(u"doctor"_s);
        scroll->ensureWidgetVisible(m_panel, 0, 0);
        QVERIFY(m_desk->save(u"doctor-attack"_s));
    }

    void theyCanBeStopped()
    {
        QVERIFY(m_desk->context.actions().trigger(u"doctor.attack"_s));
        QTRY_VERIFY_WITH_TIMEOUT(!m_panel->results().isEmpty(), 20'000);
        QTest::mouseClick(m_panel->findChild<QPushButton *>(u"doctor.attack-stop-button"_s), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!m_panel->isRunning(), 20'000);
        QVERIFY(m_panel->results().size() < allAttacks().size());
        QVERIFY2(outcome().startsWith(u"Stopped. "_s), qPrintable(outcome()));
    }

    void closingTheWindowEndsThem()
    {
        QVERIFY(m_desk->context.actions().trigger(u"doctor.attack"_s));
        QTRY_VERIFY_WITH_TIMEOUT(!m_panel->results().isEmpty(), 20'000);
        QElapsedTimer time;
        time.start();
        m_desk.reset(); // it is fatal there when the engine doesn't close
        QVERIFY(time.elapsed() < 9000);
    }

    void outcomesAreSaidInFull()
    {
        const AttackResult held{.attack = {}, .verdict = AttackResult::Verdict::Held, .detail = {}};
        const AttackResult escaped{.attack = {}, .verdict = AttackResult::Verdict::Escaped, .detail = {}};
        const AttackResult unknown{.attack = {}, .verdict = AttackResult::Verdict::NoEvidence, .detail = {}};
        QCOMPARE(outcomeOf({held, held}, 2), u"All 2 attacks were refused."_s);
        QVERIFY(outcomeOf({held, escaped}, 2).startsWith(u"1 of 2 attacks got through."_s));
        QCOMPARE(outcomeOf({held, unknown}, 2), u"1 of 2 attacks were refused; nothing is known of 1 other."_s);
        QVERIFY(outcomeOf({held}, 2).startsWith(u"Stopped."_s));
    }

    void whatIsNotToldIsSaidWithTheCounts()
    {
        Readiness readiness = m_desk->context.readiness();
        QVERIFY(!readiness.obstacle({}));
        const QString sentence = u" Looks for keys and other secrets are not told here."_s;
        for (Control &control : readiness.sandbox.controls) {
            if (control.id == ControlId::DenialEvents)
                control.state = Control::State::Enforced;
        }
        QVERIFY2(summaryOf(readiness).endsWith(sentence), qPrintable(summaryOf(readiness)));
        for (Control &control : readiness.sandbox.controls) {
            if (control.id == ControlId::DenialEvents)
                control.state = Control::State::Verified;
        }
        QVERIFY(!summaryOf(readiness).contains(sentence));
    }

    void theOtherBuilderIsShownToo()
    {
        const QList<BackendReport> builders = m_desk->context.engine()->backend().probeBuilders();
        QVERIFY(builders.size() > 1);
        for (const BackendReport &builder : builders) {
            QVERIFY2(words().contains(u"uilder "_s + builder.builder), qPrintable(words()));
            if (!builder.usable)
                QVERIFY2(words().contains(translated(builder.reason)), qPrintable(words()));
        }
    }

    // Told by what follows from it, with a way to the row, and then not again.
    void whatIsWeakIsToldOnceAndLeadsToItsRow()
    {
        const BackendReport &sandbox = m_desk->context.readiness().sandbox;
        const QList<ControlId> weak = weakControls(sandbox);
        Notifications &notifications = m_desk->context.notifications();
        QCOMPARE(m_desk->sentAway.size(), weak.isEmpty() ? 0 : 1);
        if (weak.isEmpty())
            return; // there is nothing to tell, and nothing is told
        const Note banner = m_desk->sentAway.first();
        QVERIFY2(banner.text.contains(consequenceOf(weak.first())), qPrintable(banner.text));
        for (const ControlId control : weak) {
            if (const QString remedy = translated(sandbox.remedies.value(control)); !remedy.isEmpty()) {
                QVERIFY2(banner.text.endsWith(remedy), qPrintable(banner.text));
                break;
            }
        }
        m_desk->frame.resize(900, 600);
        m_desk->frame.showPage(u"bench"_s);
        Desk::settle();
        banner.remedies.first().run();
        QCOMPARE(m_desk->context.actions().currentPage(), u"doctor"_s);
        auto *scroll = m_desk->frame.findChild<QScrollArea *>(u"doctor"_s);
        const auto isSeen = [&] {
            for (const QLabel *label : scroll->widget()->findChildren<QLabel *>()) {
                if (label->text() == controlName(weak.first()) && !label->visibleRegion().isEmpty())
                    return true;
            }
            return false;
        };
        QTRY_VERIFY(isSeen());
        QVERIFY(m_desk->save(u"doctor-row"_s));
        QVERIFY(notifications.banners().isEmpty());
        m_desk->context.lookAgain();
        QTRY_VERIFY_WITH_TIMEOUT(!m_desk->context.readiness().isLooking, 20'000);
        QVERIFY(notifications.banners().isEmpty());
    }

    void everyControlHasAConsequenceInWords()
    {
        for (int i = 0; i <= int(ControlId::Output); ++i) {
            const QString consequence = consequenceOf(ControlId(i));
            QVERIFY2(!consequence.isEmpty() && !consequence.endsWith(u'.'), qPrintable(consequence));
        }
    }

    // A person pastes it: nothing of the sentence around it is in there.
    void aCommandIsCopiedWithoutItsSentence()
    {
        QWidget parent;
        QString copied;
        FactSheet sheet(m_desk->context.theme(), &parent);
        const Advice advice(Text("On a desktop: sudo modprobe fuse. Else: start it with --device /dev/fuse."),
                            u"sudo modprobe fuse"_s);
        sheet.addFact(
            {.name = u"Events"_s, .remedy = translated(advice), .copyRemedy = [&] { copied = advice.command; }});
        sheet.addFact({.name = u"Builder"_s, .detail = u"Says it."_s, .copyRemedy = [&] { copied = u"other"_s; }});
        const auto buttons = sheet.findChildren<QPushButton *>();
        QCOMPARE(buttons.size(), 2); // also where the detail says the remedy
        buttons.first()->click();
        QCOMPARE(copied, u"sudo modprobe fuse"_s);
    }
};

GLOVEBOX_TEST_MAIN(TestDoctorPage)
#include "tst_doctorpage.moc"
