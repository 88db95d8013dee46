// SPDX-License-Identifier: Apache-2.0
// A program that is killed while it applies or undoes changes, at each system call that changes something: the same again, or the
// opposite, always ends in one of the two states whole.
#include "killingfixture.h"

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestKilling : public QObject, private KillingFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { KillingFixture::init(); }
    void cleanup() { KillingFixture::cleanup(); }

    void theSameAgainFinishesIt_data()
    {
        QTest::addColumn<bool>("appliesAgain");
        QTest::newRow("apply, apply") << true;
        QTest::newRow("apply, undo") << false;
    }
    void theSameAgainFinishesIt()
    {
        QFETCH(bool, appliesAgain);
        int n = 1;
        for (; isKilledAt(n, [this] { std::ignore = m_staging->apply(m_run); }); ++n) {
            if (appliesAgain)
                apply();
            if (!QTest::currentTestFailed())
                undo();
            QVERIFY2(!QTest::currentTestFailed(), qPrintable(u"killed at change %1"_s.arg(n)));
        }
        QVERIFY(n > 40);
        undo();
    }

    void undoingAgainFinishesIt()
    {
        int n = 1;
        for (bool wasKilled = true; wasKilled; ++n) {
            apply();
            wasKilled = isKilledAt(n, [this] { std::ignore = m_staging->undo(m_run); });
            undo();
            QVERIFY2(!QTest::currentTestFailed(), qPrintable(u"killed at change %1"_s.arg(n)));
        }
        QVERIFY(n > 40);
    }

    // Files that are closed even to their owner are open to them for a moment.
    void closedFilesOfAUserAreFinished()
    {
        m_run = newId(Clock::system());
        QCOMPARE(shell(at(u"original"_s), u"chmod -R u+rwx .; rm -r *; echo 1 > closes"_s), 0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"echo 2 > closes; chmod 0 closes; echo 2 > shut; chmod 0 shut"_s), 0);
        QVERIFY(m_staging->finish(m_run).kept);
        m_before = state(Times::Same);
        m_all = waiting();
        const auto applied = [&] {
            const AsTheirOwner owner;
            return m_staging->apply(m_run);
        };
        const auto undone = [&] {
            const AsTheirOwner owner;
            return m_staging->undo(m_run);
        };
        const auto isDone = [](const Result<ApplyReport> &report) {
            return report ? report->refused.isEmpty() : report.error().code == ErrorCode::NotFound;
        };
        QVERIFY(isDone(applied()));
        m_after = state(Times::Any);
        QVERIFY(isDone(undone()));
        int n = 1;
        for (bool wasKilled = true; wasKilled; ++n) {
            wasKilled = isKilledAt(n, [&] { std::ignore = applied(); });
            const auto again = applied();
            QVERIFY2(isDone(again), qPrintable(u"killed at change %1 of applying: "_s.arg(n) + sentences(again)));
            QCOMPARE(state(Times::Any), m_after);
            isKilledAt(n, [&] { std::ignore = undone(); });
            const auto undoneAgain = undone();
            QVERIFY2(isDone(undoneAgain),
                     qPrintable(u"killed at change %1 of undoing: "_s.arg(n) + sentences(undoneAgain)));
            QCOMPARE(state(Times::Same), m_before);
            QCOMPARE(waiting(), m_all);
        }
        QVERIFY(n > 15);
    }

    // Whatever is killed or stopped after what: nothing is lost. Undoing that was cut short comes before all else.
    void anySequenceCanBeFinished()
    {
        std::mt19937 random(17);
        for (int round = 0; round < 60; ++round) {
            QStringList done;
            for (int i = int(random() % 4); i >= 0; --i) {
                const auto deed = random() % 3;
                const int n = int(random() % 70) + 1;
                done.append((deed == 0 ? u"apply %1"_s : deed == 1 ? u"undo %1"_s : u"stop %1"_s).arg(n));
                if (deed == 2)
                    std::ignore = applyStoppedAt(n);
                else
                    isKilledAt(n, [&] { std::ignore = deed == 0 ? m_staging->apply(m_run) : m_staging->undo(m_run); });
            }
            const auto undoable = m_staging->undoable(m_run);
            if (undoable && undoable->isCutShort)
                QCOMPARE(m_staging->apply(m_run).error().code, ErrorCode::Busy);
            else if (random() % 2 == 0)
                apply();
            undo();
            QVERIFY2(!QTest::currentTestFailed(), qPrintable(done.join(u", "_s)));
        }
    }

    // What was noted for undoing before it began is none of it.
    void whatWasNeverAppliedCantBeUndone()
    {
        int n = 1;
        for (; n < 200 && !m_staging->undoable(m_run); ++n) {
            isKilledAt(n, [this] { std::ignore = m_staging->apply(m_run); });
            const auto pending = m_staging->pending(m_run);
            QVERIFY2(!m_staging->undoable(m_run) || !pending || pending->isCutShort, QByteArray::number(n));
        }
        QVERIFY(n > 5 && n < 200);
        undo();
    }

    // Also where nothing more is written, since the person changed all of it meanwhile, or throws the rest away.
    void whatAKilledTryWroteIsRemoved_data()
    {
        QTest::addColumn<bool>("appliesAgain");
        QTest::newRow("applied again") << true;
        QTest::newRow("discarded") << false;
    }
    void whatAKilledTryWroteIsRemoved()
    {
        QFETCH(bool, appliesAgain);
        m_run = newId(Clock::system());
        QCOMPARE(shell(at(u"original"_s), u"rm -r *; mkdir d; echo 1 > d/a; echo mine > d/mine"_s), 0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"echo 2 > d/a"_s), 0);
        QVERIFY(m_staging->finish(m_run).kept);
        const auto isThere = [this](const QString &name) {
            return !QDir(at(u"original/d"_s)).entryList({name}, QDir::Files | QDir::Hidden).isEmpty();
        };
        for (int n = 1; !isThere(u".glovebox-*"_s); ++n) {
            std::ignore = m_staging->apply(m_run);
            std::ignore = m_staging->undo(m_run);
            QVERIFY(isKilledAt(n, [this] { std::ignore = m_staging->apply(m_run); }));
        }
        QCOMPARE(shell(at(u"original"_s), u"cat d/mine > d/a"_s), 0);
        if (appliesAgain)
            QCOMPARE(m_staging->apply(m_run)->refused.size(), 1);
        else
            QVERIFY(m_staging->discard(m_run));
        QVERIFY(!isThere(u".glovebox-*"_s));
    }

    // Another run's changes come in between: what was cut short isn't forgotten.
    void anotherRunsChangesForgetNothingCutShort()
    {
        apply();
        QVERIFY(isKilledAt(15, [this] { std::ignore = m_staging->undo(m_run); }));
        const QString first = std::exchange(m_run, newId(Clock::system()));
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"echo 3 > another"_s), 0);
        QVERIFY(m_staging->finish(m_run).kept);
        QVERIFY(m_staging->apply(m_run)->refused.isEmpty());
        QCOMPARE(m_staging->undoable().size(), 2);
        QVERIFY(m_staging->undo(m_run)->refused.isEmpty());
        QVERIFY(m_staging->discard(m_run));
        m_run = first;
        undo();
    }

    void whatIsThrownAwayHalfAppliedCanBeUndone()
    {
        QVERIFY(isKilledAt(30, [this] { std::ignore = m_staging->apply(m_run); }));
        QVERIFY(m_staging->discard(m_run));
        QCOMPARE(waiting(), QStringList());
        QVERIFY(m_staging->undo(m_run)->refused.isEmpty());
        QCOMPARE(state(Times::Same), m_before);
    }

    // Only what was applied is told as that, whenever the program was killed, and the one that it was in the middle of.
    void whatIsThrownAwayUnappliedIsNotToldAsApplied()
    {
        QSet<qsizetype> told;
        for (int n = 12; isKilledAt(n, [this] { std::ignore = m_staging->apply(m_run); }); n += 3) {
            if (waiting().isEmpty()) // all was done
                break;
            QVERIFY(m_staging->discard(m_run));
            const qsizetype likely = undoable();
            told.insert(likely);
            const auto report = m_staging->undo(m_run);
            QVERIFY2(report ? report->refused.isEmpty() : report.error().code == ErrorCode::NotFound,
                     qPrintable(sentences(report)));
            const qint64 more = likely - (report ? report->applied : 0);
            QVERIFY2(more == 0 || more == 1, qPrintable(u"killed at change %1: %2 too many"_s.arg(n).arg(more)));
            QCOMPARE(state(Times::Same), m_before);
            cleanup();
            init();
        }
        QVERIFY(told.size() > 4);
    }
};

QTEST_GUILESS_MAIN(TestKilling)
#include "tst_killing.moc"
