// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/runpanel/isolation/controlsmodel.h"
#include "app/workbench/runpanel/output/outputlog.h"
#include "app/workbench/runpanel/shownrun.h"
#include "app/workbench/runpanel/story/runstory.h"
#include "app/workbench/runpanel/story/storycard.h"
#include "app/workbench/shell/words/words.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
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
    result.usage.wall = std::chrono::microseconds(212'900); // 212 ms in the log
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
    void onlyFactsFold_data();
    void onlyFactsFold();
    void whatItTriedIsToldByWeight();
    void changesNeedALookWhereOthersObeyThem();
    void whoWasBlockedIsNamedWithTheReason_data();
    void whoWasBlockedIsNamedWithTheReason();
    void whatWasNotMeasuredIsNotKnown();
    void whatWasPrintedIsCountedByItsStream();
    void whatIsKeptOfOutputIsTold();
    void whatWasNotVerifiedIsNotClaimed();
    void whereKeysLieIsNotCalledUntouchedUnwatched();
    void aLongNameMakesNoSentenceWiderThanTheCard();
    void theKeyboardReadsAllSentences();
    void nothingRanIsSaid();
    void whatBecameOfTheSessionIsTold();
    void controlsAreCountedByWhatWasFound();
    void theModelOfControlsIsSound();
    void aGapKeepsTheBeginningAndTheEnd();
};

void TestRunStory::onlyFactsFold_data()
{
    QTest::addColumn<int>("outcome");
    for (int outcome = 0; outcome <= int(Outcome::Interrupted); ++outcome)
        QTest::newRow(qPrintable(toString(Outcome(outcome)))) << outcome;
}

void TestRunStory::onlyFactsFold()
{
    QFETCH(int, outcome);
    RunResult result = finished(Outcome(outcome));
    result.reason = Text("The reason.");
    for (int events = 0; events < 10; ++events) {
        const auto story = runStory(result, Policy());
        const qsizetype told = toldAtFirst(story);
        QVERIFY2(told >= 3 && told <= std::max(6, events + 4), qPrintable(QString::number(told)));
        for (const StorySentence &sentence : story.sliced(told))
            QVERIFY2(sentence.isFact && sentence.tone != Tone::Warn && sentence.tone != Tone::Bad,
                     qPrintable(sentence.text));
        QCOMPARE(texts(story).filter(u"The run refused "_s).size(), events);
        result.events.append({EventType::InputRefused, Text("The run refused %1.", {QString::number(events)})});
    }
}

void TestRunStory::whatItTriedIsToldByWeight()
{
    RunResult result = finished(Outcome::Failed);
    result.events = {{EventType::SecretPrinted, Text("The run printed KEY once; shown as [secret KEY].")},
                     {EventType::OutputIncomplete, Text("A part is missing.")},
                     {EventType::ErrorDetail, Text("errno 5")},
                     {EventType::NetworkConnect, Text("The run tried to reach 127.0.0.1:80.")},
                     {EventType::CallRefused, Text("The run tried to mount.")},
                     {EventType::FileRefused, Text("The run looked for %1.", {u"/root/.ssh/id_rsa"_s})},
                     {EventType::FolderSensitiveChange, Text("The run changed a hook.")},
                     {EventType::ToolCalled, Text("The run called %1.", {u"t.echo"_s})},
                     {EventType::ToolRefused, Text("The call of %1 was refused.", {u"t.say"_s})},
                     {EventType::ToolCalled, Text("The run called %1.", {u"t.echo"_s})}};
    result.egress = {{.host = u"fine.example"_s, .port = 443, .verdict = EgressAttempt::Verdict::Allowed},
                     {.host = u"evil.example"_s, .port = 443, .reason = Text("not on the allowlist")},
                     {.host = u"evil.example"_s, .port = 443, .reason = Text("not on the allowlist")},
                     {.host = u"gone.example"_s, .port = 443, .verdict = EgressAttempt::Verdict::Failed}};
    Policy policy;
    policy.allow = {u"fine.example"_s};
    const auto story = runStory(result, policy);
    const QStringList expected{u"Blocked: evil.example:443 is not on this run's allowlist."_s,
                               u"The run was allowed to reach gone.example:443, and could not."_s,
                               u"The run reached fine.example:443, which its allowlist allows."_s,
                               u"Weaker than asked for: Memory."_s,
                               u"The run changed a hook."_s,
                               u"The run tried to mount."_s,
                               u"The run looked for /root/.ssh/id_rsa."_s,
                               u"The call of t.say was refused."_s,
                               u"The run printed KEY once; shown as [secret KEY]."_s,
                               u"A part is missing."_s,
                               u"The run ended by itself after 212 ms, with exit status 1."_s};
    QCOMPARE(texts(story).first(expected.size()), expected);
    QCOMPARE(toldAtFirst(story), expected.size());
    QVERIFY(texts(story).contains(u"The run tried to reach 127.0.0.1:80."_s));
    QVERIFY(texts(story).contains(u"Calls of tools: t.echo (2)."_s));
    QVERIFY(!texts(story).join(u' ').contains(u"errno"_s));
}

void TestRunStory::changesNeedALookWhereOthersObeyThem()
{
    RunResult result = finished(Outcome::Completed);
    result.controls.clear();
    // The count is a field: no words of the sentence say it, and an older entry without it isn't taken for calm.
    const Text text("In %2: %1, of which %3.", {u"2"_s, u"/a"_s, u"0"_s});
    result.events = {{.type = EventType::FolderChanges, .detail = text, .sensitive = 0},
                     {.type = EventType::FolderChanges, .detail = text, .sensitive = 1},
                     {.type = EventType::FolderChanges, .detail = text}};
    const auto story = whatItTried(result, Policy());
    QCOMPARE(story.size(), 3);
    QVERIFY(story[0].tone == Tone::Info && story[1].tone == Tone::Warn && story[2].tone == Tone::Warn);
    for (const StorySentence &sentence : story)
        QVERIFY(!sentence.isFact); // a decision waits
}

void TestRunStory::whatWasPrintedIsCountedByItsStream()
{
    RunResult result = finished(Outcome::Completed);
    result.out = {};
    result.err = {.head = QByteArray(867, 'e'), .totalBytes = 867};
    const auto says = [&](const QString &sentence) { return texts(runStory(result, {})).contains(sentence); };
    QVERIFY(says(u"The run printed %1, all to standard error."_s.arg(sizeWord(867))));
    result.out = {.head = QByteArray(33, 'o'), .totalBytes = 33};
    QVERIFY(says(u"The run printed %1, of which %2 to standard error."_s.arg(sizeWord(900), sizeWord(867))));
    result.err = {.head = QByteArray(5000, 'e'), .totalBytes = 5000};
    QVERIFY(texts(runStory(result, {})).contains(u"The run printed 4.9 KB, nearly all to standard error."_s));
    result.events = {{EventType::SecretPrinted, Text("The run printed KEY once; shown as [secret KEY].")}};
    QVERIFY(says(u"The run printed 4.9 KB, nearly all to standard error. Secrets count as they are shown."_s));
}

void TestRunStory::whatIsKeptOfOutputIsTold()
{
    RunResult result = finished(Outcome::Completed);
    result.err = {};
    result.out = {.head = QByteArray(1536, 'o'), .tail = QByteArray(512, 'o'), .totalBytes = 4096};
    const QString kept = u"The run printed %1, of which the beginning and the end are kept: %2."_s;
    QVERIFY(texts(runStory(result, {})).contains(kept.arg(sizeWord(4096), sizeWord(2048))));
    // As it is read from the log, which has the number of bytes alone.
    result.out = {.totalBytes = 4096};
    QVERIFY2(!texts(whatItTried(result, {})).join(u' ').contains(u"printed"_s),
             qPrintable(texts(whatItTried(result, {})).join(u' ')));
}

void TestRunStory::whoWasBlockedIsNamedWithTheReason_data()
{
    QTest::addColumn<QStringList>("allow");
    QTest::addColumn<QString>("host");
    QTest::addColumn<int>("port");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("no host was allowed") << QStringList() << u"evil.example"_s << 0
                                         << u"evil.example, as this run was allowed no host."_s;
    QTest::newRow("another host was") << QStringList{u"fine.example"_s} << u"2606:4700::1"_s << 80
                                      << u"[2606:4700::1]:80 is not on this run's allowlist."_s;
    QTest::newRow("the host was") << QStringList{u"evil.example"_s} << u"evil.example"_s << 443
                                  << u"evil.example:443 (the reason)."_s;
    QTest::newRow("no host") << QStringList{u"fine.example"_s} << u"_x._y"_s << 0 << u"_x._y (the reason)."_s;
}

void TestRunStory::whoWasBlockedIsNamedWithTheReason()
{
    QFETCH(QStringList, allow);
    QFETCH(QString, host);
    QFETCH(int, port);
    QFETCH(QString, sentence);
    Policy policy;
    policy.allow = allow;
    const EgressAttempt attempt{.host = host, .port = port, .reason = Text("the reason")};
    QCOMPARE(blockedSentence(attempt, policy), sentence);
}

void TestRunStory::whatWasNotMeasuredIsNotKnown()
{
    RunResult result = finished(Outcome::TimedOut);
    result.usage.peakMemoryBytes.reset();
    const QStringList story = texts(runStory(result, Policy()));
    QVERIFY(story.contains(u"How much memory it held is not known."_s));
    QVERIFY(story.contains(u"How much processor time it used is not known."_s));
    QVERIFY(summaryLine(result).contains(u"CPU not known"_s));
    QVERIFY(summaryLine(result).contains(u"peak not known"_s));
    // In an interpreter that stays, a later run finds the sandbox there.
    result.warm = true;
    result.setUp = std::chrono::microseconds(48);
    QVERIFY2(!summaryLine(result).contains(u"sealed"_s), qPrintable(summaryLine(result)));
    result.setUp = std::chrono::microseconds(1'200);
    QVERIFY2(summaryLine(result).endsWith(u"sealed in 1.2 ms, warm"_s), qPrintable(summaryLine(result)));
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

void TestRunStory::whereKeysLieIsNotCalledUntouchedUnwatched()
{
    RunResult result = finished(Outcome::Completed);
    result.controls.append({ControlId::DenialEvents, u"on"_s, Control::State::Enforced,
                            Text("places of secrets are not watched (/dev/fuse: Permission denied)")});
    const QString sentence =
        u"Whether the run looked for keys of yours is not known: places of secrets are not watched "
        "(/dev/fuse: Permission denied)."_s;
    const auto story = runStory(result, Policy());
    const qsizetype at = texts(story).indexOf(sentence);
    QVERIFY2(at >= 0 && at < toldAtFirst(story), qPrintable(texts(story).join(u'\n')));
    QVERIFY(story[at].tone == Tone::Info && !story[at].isFact); // quiet, and a doubt
    QCOMPARE(story[at].ways, QList{StoryWay::Doctor});
    for (int events = 0; events < 10; ++events)
        result.events.append({EventType::InputRefused, Text("The run refused %1.", {QString::number(events)})});
    const auto longStory = runStory(result, Policy());
    QVERIFY(texts(longStory.first(toldAtFirst(longStory))).contains(sentence));
    result.events.clear();
    QVERIFY(texts(whatItTried(result, Policy())).contains(sentence)); // in the history, too
    result.outcome = Outcome::SetupFailed;
    QVERIFY(!texts(whatItTried(result, Policy())).contains(sentence));
    result.outcome = Outcome::Completed;
    result.controls.last().state = Control::State::Verified;
    QVERIFY(!texts(runStory(result, Policy())).contains(sentence));
}

void TestRunStory::aLongNameMakesNoSentenceWiderThanTheCard()
{
    Theme theme;
    StoryCard card(theme);
    card.setStory(
        {{Tone::Warn, u"There is no space left at /data/store/%1.new, where code is kept."_s.arg(QString(64, u'e'))},
         {Tone::Info, u"Why is said by the doctor."_s, true, {StoryWay::Doctor}}});
    card.resize(320, 240);
    card.show();
    QVERIFY(QTest::qWaitForWindowExposed(&card));
    for (const QWidget *part : card.findChildren<QWidget *>()) {
        if (part->isVisible() && (qobject_cast<const QLabel *>(part) || qobject_cast<const QAbstractButton *>(part)))
            QVERIFY2(card.rect().contains(QRect(part->mapTo(&card, QPoint()), part->size())),
                     qPrintable(QString::number(part->width())));
    }
    const QSignalSpy wanted(&card, &StoryCard::wayWanted);
    QTest::mouseClick(card.findChild<QPushButton *>(u"bench.story.doctor"_s), Qt::LeftButton);
    QCOMPARE(wanted.size(), 1);
}

void TestRunStory::theKeyboardReadsAllSentences()
{
    Theme theme;
    StoryCard card(theme);
    QList<StorySentence> story;
    for (int i = 0; i < 30; ++i)
        story.append({Tone::Info, u"Fact %1."_s.arg(i), true, i == 1 ? QList{StoryWay::Doctor} : QList<StoryWay>()});
    card.setStory(story);
    card.resize(320, 140);
    card.show();
    QVERIFY(QTest::qWaitForWindowActive(&card));
    auto *area = card.findChild<QScrollArea *>(u"bench.story.sentences"_s);
    QTRY_COMPARE(area->focusPolicy(), Qt::TabFocus);
    card.setFocus(Qt::TabFocusReason);
    QVERIFY(area->hasFocus());
    QTest::keyClick(area, Qt::Key_Tab);
    QVERIFY(card.findChild<QPushButton *>(u"bench.story.doctor"_s)->hasFocus());
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    auto *more = card.findChild<QPushButton *>(u"bench.story.more"_s);
    QVERIFY(more->hasFocus());
    QTest::keyClick(more, Qt::Key_Space);
    QVERIFY(area->hasFocus());
    QTRY_VERIFY(area->verticalScrollBar()->maximum() > area->height());
    area->verticalScrollBar()->setValue(0);
    QTest::keyClick(area, Qt::Key_Down);
    QVERIFY(area->verticalScrollBar()->value() > 0);
    card.setStory(story.first(1));
    QTRY_COMPARE(area->focusPolicy(), Qt::NoFocus); // nothing to scroll
}

void TestRunStory::nothingRanIsSaid()
{
    RunResult result = finished(Outcome::SetupFailed);
    result.reason = Text("No user namespaces here.");
    const QStringList story = texts(runStory(result, Policy()));
    QCOMPARE(story[0], u"Nothing ran."_s);
    QVERIFY(!story.join(u' ').contains(u"ended by itself"_s));
    QVERIFY(!story.join(u' ').contains(u"No user namespaces"_s)); // the output, beside it, says why
}

// What is kept is a fact with a way back; what isn't needs a look; all of it lost is as bad as a failure.
void TestRunStory::whatBecameOfTheSessionIsTold()
{
    RunResult result = finished(Outcome::Completed);
    result.events = {
        {EventType::SessionWaits, Text("It waited.")},           {EventType::InterpreterStarted, Text("It is new.")},
        {EventType::InterpreterEnded, Text("It ended.")},        {EventType::SessionKept, Text("It added 2.")},
        {EventType::SessionSkipped, Text("A pipe isn't kept.")}, {EventType::SessionLost, Text("All is lost.")}};
    const auto story = runStory(result, Policy());
    const auto sentence = [&](const QString &text) {
        const auto found = std::ranges::find(story, text, &StorySentence::text);
        return found == story.end() ? StorySentence() : *found;
    };
    QCOMPARE(sentence(u"It waited."_s), (StorySentence{Tone::Info, u"It waited."_s, true}));
    QCOMPARE(sentence(u"It is new."_s), (StorySentence{Tone::Info, u"It is new."_s, true}));
    QCOMPARE(sentence(u"It ended."_s), (StorySentence{Tone::Warn, u"It ended."_s, false}));
    QCOMPARE(sentence(u"It added 2."_s),
             (StorySentence{Tone::Info, u"It added 2."_s, true, {StoryWay::Session, StoryWay::Undo}}));
    QCOMPARE(sentence(u"A pipe isn't kept."_s),
             (StorySentence{Tone::Warn, u"A pipe isn't kept."_s, false, {StoryWay::Session}}));
    QCOMPARE(sentence(u"All is lost."_s), (StorySentence{Tone::Bad, u"All is lost."_s, false, {StoryWay::Session}}));
    QCOMPARE(std::ranges::count(texts(story), u"It added 2."_s), 1);
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
