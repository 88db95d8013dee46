// SPDX-License-Identifier: Apache-2.0
// The words of outcomes and observations.
#include "engine/policy/policy.h"

#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class TestOutcome : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everyOutcomeHasItsOwnWord()
    {
        QStringList words;
        for (int i = 0; i <= int(Outcome::Interrupted); ++i) {
            const auto outcome = Outcome(i);
            words.append(toString(outcome));
            QCOMPARE(fromString<Outcome>(toString(outcome)), std::optional(outcome));
        }
        QCOMPARE(words.join(u' '),
                 u"completed failed signalled timed_out cpu_limit out_of_memory disk_limit cancelled rejected denied "
                 "setup_failed interrupted"_s);
        QVERIFY(!fromString<Outcome>(u"Completed"));
        QVERIFY(!fromString<Outcome>({}));
    }

    void someOutcomesMeanThatNothingRan()
    {
        QVERIFY(nothingRan(Outcome::Rejected));
        QVERIFY(nothingRan(Outcome::Denied));
        QVERIFY(nothingRan(Outcome::SetupFailed));
        QVERIFY(!nothingRan(Outcome::Cancelled));
        QVERIFY(!nothingRan(Outcome::Interrupted));
        QVERIFY(!nothingRan(Outcome::Completed));
    }

    void observationsAreWritten()
    {
        const Control control{ControlId::Memory, u"256 MiB"_s, Control::State::Degraded, Text("only %1", {u"about"_s})};
        QCOMPARE(
            canonicalJson(toJson(control)).value(),
            R"({"detail":{"args":["about"],"source":"only %1"},"name":"memory","requested":"256 MiB","state":"degraded"})");
        QCOMPARE(toString(Control::State::Verified), u"verified"_s);
        QCOMPARE(toString(Control::State::Enforced), u"enforced"_s);
        QCOMPARE(toString(Control::State::Missing), u"missing"_s);
        QCOMPARE(canonicalJson(toJson(RunEvent{EventType::OutputTruncated, Text("x")})).value(),
                 R"({"detail":{"args":[],"source":"x"},"type":"output.truncated"})");
    }

    void whatIsNotKnownIsNull()
    {
        QCOMPARE(
            canonicalJson(toJson(Usage{1500us, {}, {}, {}, UsageSource::Rusage})).value(),
            R"({"cpu_ms":null,"peak_memory_bytes":null,"processes":null,"source":"rusage","wall_ms":1})"); // as the history's column
        QCOMPARE(canonicalJson(toJson(Usage{2s, 30ms, 4096, 2, UsageSource::Rusage})).value(),
                 R"({"cpu_ms":30,"peak_memory_bytes":4096,"processes":2,"source":"rusage","wall_ms":2000})");
    }
};

QTEST_GUILESS_MAIN(TestOutcome)
#include "tst_outcome.moc"
