// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/runpanel/isolation/controlsmodel.h"
#include "app/workbench/runpanel/output/outputlog.h"
#include "app/workbench/runpanel/story/runstory.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

RunResult finished(Outcome outcome)
{
    RunResult result;
    result.id = u"run"_s;
    result.outcome = outcome;
    result.exitCode = outcome == Outcome::Completed ? 0 : 1;
    result.usage.wall = std::chrono::milliseconds(212);
    result.usage.processes = 1;
    result.usage.peakMemoryBytes = 41 * mebibyte;
    result.controls = {{ControlId::Network, u"none"_s, Control::State::Verified, Text("%1", {u"lo"_s})},
                       {ControlId::RootFilesystem, u"on"_s, Control::State::Verified, {}},
                       {ControlId::Memory, u"256 MB"_s, Control::State::Degraded, Text("approximate")},
                       {ControlId::WallTime, u"30 s"_s, Control::State::Enforced, {}}};
    return result;
}

QStringList texts(const QList<StorySentence> &story)
{
    QStringList texts;
    for (const StorySentence &sentence : story)
        texts.append(sentence.text);
    return texts;
}

} // namespace

class TestRunStory : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void aRunIsToldInThreeToSixSentences_data();
    void aRunIsToldInThreeToSixSentences();
    void theEndComesFirstThenWhatNeedsALook();
    void whatWasNotVerifiedIsNotClaimed();
    void nothingRanIsSaid();
    void controlsAreCountedByWhatWasFound();
    void theModelOfControlsIsSound();
    void aGapKeepsTheBeginningAndTheEnd();
};

void TestRunStory::aRunIsToldInThreeToSixSentences_data()
{
    QTest::addColumn<int>("outcome");
    for (int outcome = 0; outcome <= int(Outcome::Interrupted); ++outcome)
        QTest::newRow(qPrintable(toString(Outcome(outcome)))) << outcome;
}

void TestRunStory::aRunIsToldInThreeToSixSentences()
{
    QFETCH(int, outcome);
    RunResult result = finished(Outcome(outcome));
    result.reason = Text("It happened.");
    for (int events = 0; events < 10; ++events) {
        const auto story = runStory(result, Policy());
        QVERIFY2(story.size() >= 3 && story.size() <= longestStory, qPrintable(QString::number(story.size())));
        result.events.append({EventType::InputRefused, Text("It refused.")});
    }
}

void TestRunStory::theEndComesFirstThenWhatNeedsALook()
{
    RunResult result = finished(Outcome::Failed);
    result.events.append({EventType::OutputIncomplete, Text("A part is missing.")});
    result.events.append({EventType::ErrorDetail, Text("errno 5")});
    const auto story = runStory(result, Policy());
    QCOMPARE(story[0].tone, Tone::Bad);
    QVERIFY(story[0].text.contains(u"212 ms"_s));
    QCOMPARE(story[1], (StorySentence{Tone::Warn, u"A part is missing."_s}));
    QVERIFY(!texts(story).join(u' ').contains(u"errno"_s));
}

void TestRunStory::whatWasNotVerifiedIsNotClaimed()
{
    RunResult result = finished(Outcome::Completed);
    QVERIFY(texts(runStory(result, Policy())).join(u' ').contains(u"No host could be reached"_s));
    result.controls[0].state = Control::State::Degraded;
    QVERIFY(!texts(runStory(result, Policy())).join(u' ').contains(u"No host could be reached"_s));
    Policy open;
    open.allow = {u"example.org"_s};
    QVERIFY(!texts(runStory(finished(Outcome::Completed), open)).join(u' ').contains(u"No host could be reached"_s));
}

void TestRunStory::nothingRanIsSaid()
{
    RunResult result = finished(Outcome::SetupFailed);
    result.reason = Text("No user namespaces here.");
    const QStringList story = texts(runStory(result, Policy()));
    QCOMPARE(story[0], u"Nothing ran. No user namespaces here."_s);
    QVERIFY(!story.join(u' ').contains(u"ended by itself"_s));
}

void TestRunStory::controlsAreCountedByWhatWasFound()
{
    QCOMPARE(countControls(finished(Outcome::Completed).controls), (ControlCounts{2, 1, 1, 0}));
}

void TestRunStory::theModelOfControlsIsSound()
{
    Theme theme;
    ControlsModel model(theme);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setRows(finished(Outcome::Completed).controls);
    QCOMPARE(model.rowCount(), 4);
    QCOMPARE(model.index(2, ControlsModel::State).data().toString(), u"Degraded"_s);
    QCOMPARE(model.index(2, ControlsModel::Requested).data().toString(), u"256 MB"_s);
    model.setRows({});
    QCOMPARE(model.rowCount(), 0);
}

void TestRunStory::aGapKeepsTheBeginningAndTheEnd()
{
    OutputLog log;
    log.append({OutputStream::Out, 0, "first\n"});
    log.skip(1000);
    log.append({OutputStream::Out, 1006, "middle\n"});
    log.skip(500);
    log.append({OutputStream::Out, 1513, "last\n"});
    const LineStore &lines = log.lines();
    QCOMPARE(lines.end(), 3);
    QCOMPARE(lines.line(0).text, u"first"_s);
    QCOMPARE(lines.line(1).kind, OutputLine::Kind::Note);
    QCOMPARE(lines.line(2).text, u"last"_s);
    QCOMPARE(log.skippedBytes(), 1000 + 7 + 500);
}

QTEST_MAIN(TestRunStory)
#include "tst_runstory.moc"
