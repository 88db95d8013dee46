// SPDX-License-Identifier: Apache-2.0
#include "runstory.h"

#include "app/workbench/runpanel/network/networkmodel.h"
#include "app/workbench/shell/words.h"

#include <QCoreApplication>

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
    if (nothingRan(result.outcome))
        return {Tone::Bad, RunStory::tr("Nothing ran. %1").arg(translated(result.reason))};
    switch (result.outcome) {
    case Outcome::Completed:
        return {Tone::Ok, RunStory::tr("It ended by itself after %1, with exit status 0.").arg(time)};
    case Outcome::Failed:
        return {Tone::Bad, RunStory::tr("It ended by itself after %1, with exit status %2.")
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

StorySentence printing(const RunResult &result)
{
    const qint64 all = result.out.totalBytes + result.err.totalBytes;
    if (all == 0)
        return {Tone::Info, RunStory::tr("It printed nothing.")};
    if (result.out.isTruncated() || result.err.isTruncated()) {
        const qint64 kept =
            result.out.head.size() + result.out.tail.size() + result.err.head.size() + result.err.tail.size();
        return {Tone::Warn, RunStory::tr("It printed %1, of which the beginning and the end are kept: %2.")
                                .arg(sizeWord(all), sizeWord(kept))};
    }
    if (result.err.totalBytes == 0)
        return {Tone::Info, RunStory::tr("It printed %1.").arg(sizeWord(all))};
    return {Tone::Info, RunStory::tr("It printed %1, of which %2 to standard error.")
                            .arg(sizeWord(all), sizeWord(result.err.totalBytes))};
}

// Empty: it wanted nothing.
StorySentence reaching(const RunResult &result)
{
    QStringList reached, blocked;
    for (const EgressAttempt &attempt : result.egress) {
        QStringList &places = attempt.verdict == EgressAttempt::Verdict::Allowed ? reached : blocked;
        if (const QString place = placeOf(attempt); !places.contains(place))
            places.append(place);
    }
    static constexpr qsizetype most = 3;
    const auto listed = [](const QStringList &places) {
        const QString first = places.first(std::min<qsizetype>(places.size(), most)).join(RunStory::tr(", "));
        return places.size() > most ? RunStory::tr("%1 and %n more", "", int(places.size() - most)).arg(first) : first;
    };
    if (!blocked.isEmpty())
        return {Tone::Warn,
                reached.isEmpty()
                    ? RunStory::tr("It did not get to %1.").arg(listed(blocked))
                    : RunStory::tr("It reached %1, and did not get to %2.").arg(listed(reached), listed(blocked))};
    return {Tone::Info, reached.isEmpty() ? QString() : RunStory::tr("It reached %1.").arg(listed(reached))};
}

} // namespace

QList<StorySentence> runStory(const RunResult &result, const Policy &policy)
{
    QList<StorySentence> story{ending(result)};
    for (const RunEvent &event : result.events) {
        // The first is in the sentence about printing, the second is the exact cause of what the ending says.
        if (event.type != EventType::OutputTruncated && event.type != EventType::ErrorDetail)
            story.append({Tone::Warn, translated(event.detail)});
    }
    if (nothingRan(result.outcome)) {
        story.append({Tone::Info, RunStory::tr("Your code was not started, and no program of it was.")});
        story.append(
            result.auditSeq > 0
                ? StorySentence{Tone::Info, RunStory::tr("The request is on record as entry %1.").arg(result.auditSeq)}
                : StorySentence{Tone::Warn, RunStory::tr("It is not on record.")});
        return story.first(std::min<qsizetype>(story.size(), longestStory));
    }
    story.append(printing(result));
    if (result.usage.processes) {
        const qint64 others = *result.usage.processes - 1;
        story.append({Tone::Info, others <= 0
                                      ? RunStory::tr("It started no other process or thread.")
                                      : RunStory::tr("It started %n more process(es) or thread(s).", "", int(others))});
    }
    if (const StorySentence network = reaching(result); !network.text.isEmpty())
        story.append(network);
    if (policy.allow.isEmpty() && isVerified(result, ControlId::Network))
        story.append({Tone::Ok, RunStory::tr("No host could be reached: it had no network.")});
    if (policy.folders.isEmpty() && isVerified(result, ControlId::RootFilesystem))
        story.append({Tone::Ok, RunStory::tr("None of your folders was shown to it.")});
    if (result.usage.peakMemoryBytes)
        story.append({Tone::Info, RunStory::tr("Its processes and files held up to %1 of memory, of at most %2.")
                                      .arg(sizeWord(*result.usage.peakMemoryBytes),
                                           sizeWord(policy.limits.memoryBytes + policy.limits.diskBytes))});
    return story.first(std::min<qsizetype>(story.size(), longestStory));
}

} // namespace glovebox
