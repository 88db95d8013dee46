// SPDX-License-Identifier: Apache-2.0
// One answer to "can it run, and why not": what is claimed when, who is told, and who waits for whom.
#include "engine/readiness/readiness.h"
#include "tests/support/unsealedbackend.h"

#include <QTest>

#include <future>
#include <semaphore>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// Its trial says what the test wants, when the test wants it.
class TriedBackend : public UnsealedBackend
{
public:
    using UnsealedBackend::UnsealedBackend;
    BackendReport probe() override
    {
        ++probes;
        const BackendReport now = [this] {
            const std::scoped_lock lock(m_mutex);
            return m_report;
        }();
        if (holds.exchange(false)) {
            held.release();
            goOn.acquire();
        }
        return now;
    }
    QList<BackendReport> probeBuilders() override { return {}; }
    void say(bool usable, const QList<Control> &controls = {}, bool isRemedyInReason = false)
    {
        const std::scoped_lock lock(m_mutex);
        m_report = {.backend = name(), .builder = builder(), .usable = usable, .controls = controls};
        if (!usable)
            m_report.reason = Text("There is no sandbox."), m_report.remedy = Text("Make one.");
        m_report.isRemedyInReason = isRemedyInReason;
    }

    std::atomic<int> probes = 0;
    std::atomic<bool> holds = false; // the next trial
    std::binary_semaphore held{0}, goOn{0};

private:
    std::mutex m_mutex;
    BackendReport m_report;
};

const Control weak{ControlId::Landlock, u"on"_s, Control::State::Degraded, Text("This kernel has none.")};

} // namespace

class TestReadiness : public QObject
{
    Q_OBJECT

private:
    const std::shared_ptr<TriedBackend> m_tried = std::make_shared<TriedBackend>();
    TriedBackend &m_backend = *m_tried;
    std::optional<Error> m_unrecorded;
    Backends m_backends{{m_tried}};
    const Languages m_languages{{}, {}};
    std::unique_ptr<Settings> m_settings = *Settings::load({}, {});
    std::unique_ptr<ReadinessBoard> m_board;

    void open()
    {
        m_board =
            std::make_unique<ReadinessBoard>(m_backends, m_languages, *m_settings, [this] { return m_unrecorded; });
    }

private Q_SLOTS:
    void init()
    {
        m_settings = *Settings::load({}, {});
        m_unrecorded.reset();
        m_backend.say(true);
        m_backend.probes = 0;
        open();
    }
    void cleanup() { m_board.reset(); }

    void beforeALookNothingIsClaimed()
    {
        const Readiness now = m_board->current();
        QCOMPARE(now.backend.state, Part::State::Unknown);
        QCOMPARE(now.record.state, Part::State::Ready); // found out when the log was opened
        QVERIFY(!now.obstacle(u"sh"_s)); // and nobody is kept from trying
        QVERIFY(!now.canRun());
        QCOMPARE(m_backend.probes, 0);
    }

    void aLookFindsWhatARunNeeds()
    {
        const Readiness found = m_board->look();
        QCOMPARE(found.backend.state, Part::State::Ready);
        QCOMPARE(found.languages.last().id, u"sh"_s);
        QCOMPARE(found.languages.last().part.state, Part::State::Ready);
        QVERIFY(!found.languages.last().candidates.isEmpty());
        QVERIFY(found.canRun());
        QCOMPARE(m_board->current(), found);
    }

    void theFirstObstacleOnTheWayIsSaidWithItsRemedy()
    {
        m_backend.say(false);
        Readiness found = m_board->look();
        QVERIFY(!found.canRun());
        QVERIFY(found.hasObstacles());
        QVERIFY(found.obstacle(u"sh"_s));
        QCOMPARE(found.obstacle(u"sh"_s)->why.message.english(), u"There is no sandbox."_s);
        QCOMPARE(found.obstacle(u"sh"_s)->remedy.english(), u"Make one."_s);
        m_backend.say(false, {}, true); // the reason has it
        QVERIFY(m_board->look().obstacle(u"sh"_s)->remedy.isEmpty());
        m_unrecorded = Error{ErrorCode::Newer, Text("The log is of a newer version."), {}};
        found = m_board->look(); // came to be so meanwhile
        QCOMPARE(found.obstacle(u"sh"_s)->why.message.english(), u"The log is of a newer version."_s);
        open();
        QCOMPARE(m_board->current().record.why.message.english(), u"The log is of a newer version."_s);
        m_unrecorded.reset();
        m_backend.say(true);
        QVERIFY(m_board->look().canRun());
    }

    void theBackendOfThePolicyIsTried()
    {
        const auto other = std::make_shared<TriedBackend>(u"other"_s);
        other->say(false);
        m_backends = Backends({other, m_tried});
        QVERIFY(m_board->look().canRun());
        QCOMPARE(other->probes, 0);
        m_backends = Backends({other});
        const Readiness without = m_board->look();
        m_backends = Backends({m_tried});
        QVERIFY(!without.canRun());
        QCOMPARE(without.obstacle(u"sh"_s)->why.message.english(),
                 u"There is no backend called \"native\" here. Choose \"other\" (--backend, or the setting "
                 u"run.backend)."_s);
    }

    void aBackendThatThereIsNotIsInTheWay()
    {
        m_settings = *Settings::load({}, {u"GLOVEBOX_RUN_BACKEND=other"_s});
        open();
        const Readiness found = m_board->look();
        QVERIFY(!found.canRun());
        QCOMPARE(found.obstacle(u"sh"_s)->why.message.english(),
                 u"There is no backend called \"other\" here. Choose \"native\" (--backend, or the setting "
                 u"run.backend)."_s);
        QVERIFY(found.sandbox.reason == found.backend.why.message); // which is all that the doctor prints
        QCOMPARE(m_backend.probes, 0);
    }

    void whatIsWeakerIsInTheWayOfAStrictPolicyOnly()
    {
        m_backend.say(true, {weak});
        Readiness found = m_board->look();
        QCOMPARE(found.backend.state, Part::State::Degraded);
        QVERIFY(found.canRun());
        QVERIFY(m_settings->setFlag(u"run.strict"_s, true));
        found = m_board->look();
        QVERIFY(!found.canRun());
        QCOMPARE(found.obstacle(u"sh"_s)->why.message.english(),
                 u"The policy is strict, and this machine can't fully enforce: landlock."_s);
    }

    void looksAgainForWhoeverIsSubscribed()
    {
        m_backend.say(false);
        m_board->lookAgain(); // nobody would see it
        std::counting_semaphore<> wakes(0);
        m_board->onChange([&] { wakes.release(); });
        QVERIFY(wakes.try_acquire());
        QCOMPARE(m_backend.probes, 0);
        const auto changedTo = [&](Part::State state) {
            while (m_board->current().backend.state != state || m_board->current().isLooking) {
                if (!wakes.try_acquire_for(std::chrono::seconds(5)))
                    return false;
            }
            return true;
        };
        m_board->lookAgain();
        QVERIFY(changedTo(Part::State::Blocked));
        m_backend.say(true); // somebody mended it
        m_board->lookAgain();
        QVERIFY(changedTo(Part::State::Ready));
        m_board->onChange({});
    }

    void nobodyWaitsForALookAndALateOneIsDropped()
    {
        m_backend.say(false);
        m_backend.holds = true;
        auto late = std::async(std::launch::async, [this] { return m_board->look(); });
        m_backend.held.acquire();
        QVERIFY(m_board->current().isLooking);
        QVERIFY(m_languages.find(**Languages::byId(u"sh"_s)));
        m_backend.say(true);
        QCOMPARE(m_board->look().backend.state, Part::State::Ready);
        m_backend.goOn.release();
        QCOMPARE(late.get().backend.state, Part::State::Blocked);
        QCOMPARE(m_board->current().backend.state, Part::State::Ready);
        QVERIFY(!m_board->current().isLooking);
    }

    void whatIsFoundOutWhileClosingIsDropped()
    {
        m_backend.holds = true;
        auto late = std::async(std::launch::async, [this] { return m_board->look(); });
        m_backend.held.acquire();
        m_board->close();
        m_backend.goOn.release();
        late.get();
        QCOMPARE(m_board->current().backend.state, Part::State::Unknown);
    }
};

QTEST_GUILESS_MAIN(TestReadiness)
#include "tst_readiness.moc"
