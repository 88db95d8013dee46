// SPDX-License-Identifier: Apache-2.0
#include "runstory.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/runpanel/network/networkmodel.h"
#include "app/workbench/runpanel/shownrun.h"
#include "app/workbench/shell/words/words.h"

#include "engine/network/network.h"

#include <QCoreApplication>
#include <QLocale>
#include <QMap>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// Gives the sentences of this file a context of their own for translators.
struct RunStory
{
    Q_DECLARE_TR_FUNCTIONS(RunStory)
};

StorySentence ending(const RunResult &result)
{
    const QString time = durationWord(result.usage.wall);
    if (nothingRan(result.outcome)) // why is said in the output, beside it
        return {Tone::Bad, RunStory::tr("Nothing ran.")};
    switch (result.outcome) {
    case Outcome::Completed:
        return {Tone::Ok, RunStory::tr("The run ended by itself after %1, with exit status 0.").arg(time)};
    case Outcome::Failed:
        return {Tone::Bad, RunStory::tr("The run ended by itself after %1, with exit status %2.")
                               .arg(time)
                               .arg(result.exitCode.value_or(1))};
    default:
        return {Tone::Warn, translated(result.reason)};
    }
}

bool isVerified(const RunResult &result, ControlId id)
{
    const auto control = std::ranges::find(result.controls, id, &Control::id);
    return control != result.controls.end() && control->state == Control::State::Verified;
}

// Of runs whose watched places (engine/sandbox/native/mounts/watchedplaces.h) nobody answered for: silence about them means nothing,
// so the doubt never folds.
void addUnwatched(const RunResult &result, QList<StorySentence> &story)
{
    const auto why = whyLooksAreUntold(result.controls);
    if (why && !nothingRan(result.outcome))
        story.append({Tone::Info,
                      RunStory::tr("Whether the run looked for keys of yours is not known: %1.")
                          .arg(withHiddenShown(translated(*why))),
                      false,
                      {StoryWay::Doctor}});
}

StorySentence printing(const RunResult &result)
{
    const qint64 all = result.out.totalBytes + result.err.totalBytes;
    if (all == 0)
        return {Tone::Info, RunStory::tr("The run printed nothing."), true};
    if (result.out.isTruncated() || result.err.isTruncated()) {
        const qint64 kept =
            result.out.head.size() + result.out.tail.size() + result.err.head.size() + result.err.tail.size();
        return {Tone::Warn, RunStory::tr("The run printed %1, of which the beginning and the end are kept: %2.")
                                .arg(sizeWord(all), sizeWord(kept))};
    }
    if (result.err.totalBytes == 0)
        return {Tone::Info, RunStory::tr("The run printed %1.").arg(sizeWord(all)), true};
    if (sizeWord(all) == sizeWord(result.err.totalBytes))
        return {Tone::Info,
                (result.out.totalBytes == 0 ? RunStory::tr("The run printed %1, all to standard error.")
                                            : RunStory::tr("The run printed %1, nearly all to standard error."))
                    .arg(sizeWord(all)),
                true};
    return {Tone::Info,
            RunStory::tr("The run printed %1, of which %2 to standard error.")
                .arg(sizeWord(all), sizeWord(result.err.totalBytes)),
            true};
}

QString listed(const QStringList &places)
{
    static constexpr qsizetype most = 3;
    const QString first = places.first(std::min<qsizetype>(places.size(), most)).join(RunStory::tr(", "));
    return places.size() > most ? RunStory::tr("%1 and %Ln more", "", int(places.size() - most)).arg(first) : first;
}

QStringList placesOf(const RunResult &result, EgressAttempt::Verdict verdict)
{
    QStringList places;
    for (const EgressAttempt &attempt : result.egress) {
        if (const QString place = placeOf(attempt); attempt.verdict == verdict && !places.contains(place))
            places.append(place);
    }
    return places;
}

void addBlocked(const RunResult &result, const Policy &policy, QList<StorySentence> &story)
{
    const QList<EgressAttempt> blocked = blockedOf(result.egress);
    if (blocked.size() == 1)
        story.append({Tone::Warn, RunStory::tr("Blocked: %1").arg(blockedSentence(blocked.first(), policy))});
    else if (!blocked.isEmpty())
        story.append({Tone::Warn, RunStory::tr("Blocked: the run did not get to %1.")
                                      .arg(listed(placesOf(result, EgressAttempt::Verdict::Denied)))});
    if (const QStringList failed = placesOf(result, EgressAttempt::Verdict::Failed); !failed.isEmpty())
        story.append({Tone::Warn, RunStory::tr("The run was allowed to reach %1, and could not.").arg(listed(failed))});
}

// What it was given beyond the default, and what it was to have and hadn't.
void addWeakened(const RunResult &result, QList<StorySentence> &story)
{
    if (const QStringList reached = placesOf(result, EgressAttempt::Verdict::Allowed); !reached.isEmpty())
        story.append(
            {Tone::Warn, RunStory::tr("The run reached %1, which its allowlist allows.").arg(listed(reached))});
    QStringList weaker;
    for (const Control &control : result.controls) {
        if (control.state == Control::State::Degraded || control.state == Control::State::Missing)
            weaker.append(controlName(control.id));
    }
    if (!weaker.isEmpty())
        story.append({Tone::Warn, RunStory::tr("Weaker than asked for: %1.").arg(weaker.join(RunStory::tr(", ")))});
}

enum class Weight { Planted, Denied, Secrets, Rest, Fact, Elsewhere };

Weight weightOf(const RunEvent &event)
{
    switch (event.type) {
    case EventType::FolderSensitiveChange:
    case EventType::FolderSecret:
    case EventType::FolderChanges:
        return Weight::Planted;
    case EventType::CallRefused:
    case EventType::FileRefused:
    case EventType::ToolRefused:
    case EventType::ProcessesLimit:
    case EventType::DiskFull:
    case EventType::NetworkLookup:
    case EventType::NetworkTraffic:
    case EventType::EgressLost:
    case EventType::EgressMore:
    case EventType::EventsMore:
        return Weight::Denied;
    case EventType::NetworkConnect: // to others; its own loopback is nobody's business
        return event.destination ? Weight::Denied : Weight::Fact;
    case EventType::SecretPrinted:
    case EventType::LeakOutput:
    case EventType::ArtifactSecret:
    case EventType::FolderHoldsSecret:
        return Weight::Secrets;
    case EventType::SessionWaits:
    case EventType::ToolServerStarted:
    case EventType::InterpreterStarted:
        return Weight::Fact;
    case EventType::SessionKept: // told beside the ending
    case EventType::ToolCalled: // counted in a sentence of their own
    case EventType::OutputTruncated: // in the sentence about printing
    case EventType::ErrorDetail: // the exact cause of what the ending says
        return Weight::Elsewhere;
    default:
        return Weight::Rest;
    }
}

// Changes in a copy, none of them to what other programs execute or load.
bool isHarmless(const RunEvent &event)
{
    return event.type == EventType::FolderChanges && event.sensitive == 0;
}

void addEvents(const RunResult &result, Weight weight, QList<StorySentence> &story)
{
    for (const RunEvent &event : result.events) {
        if (weightOf(event) != weight)
            continue;
        const bool isCalm = weight == Weight::Fact || isHarmless(event);
        story.append({isCalm ? Tone::Info : Tone::Warn, translated(event.detail), weight == Weight::Fact});
        if (event.type == EventType::SessionLost)
            story.last().tone = Tone::Bad;
        if (event.type == EventType::SessionLost || event.type == EventType::SessionSkipped)
            story.last().ways = {StoryWay::Session};
    }
}

void addKept(const RunResult &result, QList<StorySentence> &story)
{
    for (const RunEvent &event : result.events) {
        if (event.type == EventType::SessionKept)
            story.append({Tone::Info, translated(event.detail), true, {StoryWay::Session, StoryWay::Undo}});
    }
}

QString memorySentence(const Usage &usage, const Limits &limits, bool isOfInterpreter)
{
    if (!usage.peakMemoryBytes)
        return RunStory::tr("How much memory it held is not known.");
    const QString peak = sizeWord(*usage.peakMemoryBytes);
    if (isOfInterpreter && usage.source == UsageSource::Rusage)
        return RunStory::tr("Since its start, the interpreter's largest process that ended by itself held up to %1 of "
                            "memory.")
            .arg(peak);
    if (isOfInterpreter)
        return RunStory::tr("Since its start, the interpreter's processes and files held up to %1 of memory, of at "
                            "most %2.")
            .arg(peak, sizeWord(limits.memoryBytes + limits.diskBytes));
    if (usage.source == UsageSource::Rusage)
        return RunStory::tr("The run's largest process that ended by itself held up to %1 of memory.").arg(peak);
    return RunStory::tr("The run's processes and files held up to %1 of memory, of at most %2.")
        .arg(peak, sizeWord(limits.memoryBytes + limits.diskBytes));
}

void addToolCalls(const RunResult &result, QList<StorySentence> &story)
{
    QMap<QString, int> calls;
    for (const RunEvent &event : result.events) {
        if (event.type == EventType::ToolCalled)
            ++calls[event.detail.args.value(0)];
    }
    QStringList words;
    for (auto call = calls.cbegin(); call != calls.cend(); ++call)
        words << RunStory::tr("%1 (%2)", "a tool, and how many calls")
                     .arg(withHiddenShown(call.key()), QLocale().toString(call.value()));
    if (!words.isEmpty())
        story.append({Tone::Info, RunStory::tr("Calls of tools: %1.").arg(listed(words)), true});
}

void addFacts(const RunResult &result, const Policy &policy, QList<StorySentence> &story)
{
    const auto fact = [&story](Tone tone, const QString &text) { story.append({tone, text, true}); };
    const bool isOfInterpreter = isUsageOfInterpreter(result);
    if (result.usage.processes) {
        const qint64 others = *result.usage.processes - 1;
        fact(Tone::Info,
             isOfInterpreter ? (others <= 0 ? RunStory::tr("Since its start, the interpreter started no other process "
                                                           "or thread.")
                                            : RunStory::tr("Since its start, the interpreter started %Ln more "
                                                           "process(es) or thread(s).",
                                                           "", int(others)))
             : others <= 0   ? RunStory::tr("The run started no other process or thread.")
                             : RunStory::tr("The run started %Ln more process(es) or thread(s).", "", int(others)));
    }
    addEvents(result, Weight::Fact, story);
    addToolCalls(result, story);
    if (policy.allow.isEmpty() && isVerified(result, ControlId::Network))
        fact(Tone::Ok, RunStory::tr("No host could be reached: it had no network."));
    if (policy.folders.isEmpty() && isVerified(result, ControlId::RootFilesystem))
        fact(Tone::Ok, RunStory::tr("None of your folders was shown to it."));
    fact(Tone::Info, memorySentence(result.usage, policy.limits, isOfInterpreter));
    fact(Tone::Info,
         result.usage.cpu
             ? (isOfInterpreter ? RunStory::tr("Since its start, the interpreter used %1 of processor time.")
                                : RunStory::tr("The run used %1 of processor time."))
                   .arg(durationWord(*result.usage.cpu))
             : RunStory::tr("How much processor time it used is not known."));
}

} // namespace

QList<StorySentence> whatItTried(const RunResult &result, const Policy &policy)
{
    QList<StorySentence> story;
    addBlocked(result, policy, story);
    addWeakened(result, story);
    for (const Weight weight : {Weight::Planted, Weight::Denied, Weight::Secrets, Weight::Rest})
        addEvents(result, weight, story);
    addUnwatched(result, story);
    return story;
}

QList<StorySentence> runStory(const RunResult &result, const Policy &policy)
{
    if (nothingRan(result.outcome)) {
        QList<StorySentence> story{ending(result)};
        for (const Weight weight : {Weight::Planted, Weight::Denied, Weight::Secrets, Weight::Rest, Weight::Fact})
            addEvents(result, weight, story);
        story.append({Tone::Info, RunStory::tr("Your code was not started."), true});
        story.append(result.auditSeq > 0
                         ? StorySentence{Tone::Info,
                                         RunStory::tr("The request is in the log as entry %1.").arg(result.auditSeq),
                                         true}
                         : StorySentence{Tone::Warn, RunStory::tr("The run is not in the log.")});
        return story;
    }
    QList<StorySentence> story = whatItTried(result, policy);
    StorySentence printed = printing(result);
    if (std::ranges::find(result.events, EventType::SecretPrinted, &RunEvent::type) != result.events.end())
        printed.text += u' ' + RunStory::tr("Secrets count as they are shown.");
    if (!printed.isFact)
        story.append(printed);
    story.append(ending(result));
    addKept(result, story);
    if (printed.isFact)
        story.append(printed);
    addFacts(result, policy, story);
    return story;
}

qsizetype toldAtFirst(const QList<StorySentence> &story)
{
    constexpr qsizetype most = 6;
    qsizetype lastOther = 0;
    for (qsizetype i = 0; i < story.size(); ++i) {
        if (!story[i].isFact)
            lastOther = i + 1;
    }
    return std::max(std::min(most, story.size()), lastOther);
}

QList<EgressAttempt> blockedOf(const QList<EgressAttempt> &attempts)
{
    QList<EgressAttempt> blocked;
    for (const EgressAttempt &attempt : attempts) {
        const bool isKnown = std::ranges::any_of(
            blocked, [&](const EgressAttempt &b) { return b.host == attempt.host && b.port == attempt.port; });
        if (attempt.verdict == EgressAttempt::Verdict::Denied && !isKnown)
            blocked.append(attempt);
    }
    return blocked;
}

QString blockedSentence(const EgressAttempt &attempt, const Policy &policy)
{
    const QString place = placeOf(attempt);
    if (policy.allow.isEmpty())
        return RunStory::tr("%1, as this run was allowed no host.").arg(place);
    const auto rule = ruleFor(attempt);
    const auto allowlist = allowlistFromTexts(policy.allow);
    if (rule && allowlist && !network::covers(*allowlist, *rule))
        return RunStory::tr("%1 is not on this run's allowlist.").arg(place);
    return RunStory::tr("%1 (%2).").arg(place, withHiddenShown(translated(attempt.reason)));
}

} // namespace glovebox
