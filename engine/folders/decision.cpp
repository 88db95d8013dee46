// SPDX-License-Identifier: Apache-2.0
#include "decision.h"

#include <QJsonArray>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

using Deed = FolderDeed;

struct DeedWords
{
    EntryKind begins;
    EntryKind ends;
    const char *action;
    const char *interrupted;
};

const DeedWords &wordsOf(Deed deed)
{
    static constexpr DeedWords applying{
        EntryKind::FolderApplying, EntryKind::FolderApplied, "apply",
        QT_TRANSLATE_NOOP("engine", "Glovebox itself ended while it applied the changes, so some or all of them may be "
                                    "in the originals. \"glovebox changes list\" says whether some still wait.")};
    static constexpr DeedWords undoing{
        EntryKind::FolderUndoing, EntryKind::FolderUndone, "undo",
        QT_TRANSLATE_NOOP("engine", "Glovebox itself ended while it undid the changes, so some of them may still be "
                                    "in the originals. \"glovebox changes list\" says whether some are left to undo.")};
    static constexpr DeedWords discarding{
        EntryKind::FolderDiscarding, EntryKind::FolderDiscarded, "discard",
        QT_TRANSLATE_NOOP("engine", "Glovebox itself ended while it threw the changes away. Discard them again "
                                    "if they still wait. No original was touched by this.")};
    return deed == Deed::Apply ? applying : deed == Deed::Undo ? undoing : discarding;
}

// Half surrogate pairs are no JSON.
QString recordable(const QString &text)
{
    return QString::fromUtf8(text.toUtf8());
}

QJsonObject fieldsOf(const FolderDecision &decision)
{
    Caller caller = decision.caller;
    caller.program = recordable(caller.program);
    caller.claimed = recordable(caller.claimed);
    QJsonArray folders;
    for (const QString &folder : decision.folders)
        folders.append(recordable(folder));
    return {{u"caller"_s, toJson(caller)}, {u"folders"_s, folders}, {u"changes"_s, decision.changes}};
}

Status recordBeginning(AuditLog &log, FolderDecision &decision, const PendingChanges &waiting, qint64 &began)
{
    for (const FolderChanges &folder : waiting.folders) {
        decision.folders.append(folder.hostPath);
        decision.changes += folder.changes.size();
    }
    const auto begun = log.appendNow(beginningOf(decision));
    if (!begun)
        return std::unexpected(begun.error());
    began = begun->seq;
    return {};
}

Status recordEnd(AuditLog &log, const FolderDecision &decision, qint64 began)
{
    const auto ended = log.appendNow(endOf(decision, began));
    if (ended)
        return {};
    const Text reason(decision.deed == Deed::Discard
                          ? QT_TRANSLATE_NOOP("engine", "The changes were discarded, but the log doesn't have that: %1")
                          : QT_TRANSLATE_NOOP("engine", "The log doesn't have how this ended: %1"),
                      {ended.error().message.english()});
    return fail(ended.error().code, reason, ended.error().detail);
}

// Glovebox's own end is recorded when a program starts next; that of its helper, or that this was left, now. error: says so.
void recordInterruption(AuditLog &log, const FolderDecision &decision, qint64 began, const Error &error)
{
    Entry interrupted = beginningOf(decision);
    interrupted.kind = toString(EntryKind::FolderInterrupted);
    QJsonObject fields = fieldsOf(decision);
    fields[u"action"_s] = QLatin1StringView(wordsOf(decision.deed).action);
    fields[u"reason"_s] = toJson(error.message);
    interrupted.fields = fields;
    interrupted.begins.reset();
    interrupted.ends = began;
    static_cast<void>(log.appendNow(std::move(interrupted)));
}

Result<ApplyReport> recorded(AuditLog &log, FolderDecision decision,
                             const std::function<Result<ApplyReport>(const Staging::Begin &)> &doIt)
{
    qint64 began = 0;
    auto report = doIt([&](const PendingChanges &waiting) { return recordBeginning(log, decision, waiting, began); });
    if (!report) {
        if (began != 0)
            recordInterruption(log, decision, began, report.error());
        return report;
    }
    decision.changes = report->applied;
    decision.refused = report->refused.size();
    decision.isStopped = report->isStopped;
    if (const Status written = recordEnd(log, decision, began); !written)
        report->unrecorded = written.error().message;
    return report;
}

} // namespace

Entry beginningOf(const FolderDecision &decision)
{
    const DeedWords &words = wordsOf(decision.deed);
    const QJsonObject fields = fieldsOf(decision);
    QJsonObject interrupted = fields;
    interrupted[u"action"_s] = QLatin1StringView(words.action);
    interrupted[u"reason"_s] = toJson(Text(words.interrupted));
    return {.kind = toString(words.begins),
            .run = decision.run,
            .fields = fields,
            .begins = Entry::Unfinished{toString(EntryKind::FolderInterrupted), interrupted}};
}

Entry endOf(const FolderDecision &decision, qint64 began)
{
    QJsonObject fields = fieldsOf(decision);
    fields[u"refused"_s] = decision.refused;
    if (decision.isStopped)
        fields[u"stopped"_s] = true;
    return {.kind = toString(wordsOf(decision.deed).ends), .run = decision.run, .fields = fields, .ends = began};
}

Result<ApplyReport> applyOnRecord(Staging &staging, AuditLog &log, const QString &run, const Caller &caller,
                                  const ChosenChanges &chosen, const ApplyProgress &progress)
{
    return recorded(log, {.run = run, .caller = caller, .deed = Deed::Apply},
                    [&](const Staging::Begin &begin) { return staging.apply(run, begin, chosen, progress); });
}

Result<ApplyReport> undoOnRecord(Staging &staging, AuditLog &log, const QString &run, const Caller &caller,
                                 const ApplyProgress &progress)
{
    return recorded(log, {.run = run, .caller = caller, .deed = Deed::Undo},
                    [&](const Staging::Begin &begin) { return staging.undo(run, begin, progress); });
}

Status discardOnRecord(Staging &staging, AuditLog &log, const QString &run, const Caller &caller)
{
    FolderDecision decision{.run = run, .caller = caller};
    qint64 began = 0;
    const Status discarded = staging.discard(
        run, [&](const PendingChanges &waiting) { return recordBeginning(log, decision, waiting, began); });
    if (began == 0)
        return discarded;
    if (!discarded && discarded.error().code == ErrorCode::Cancelled) {
        recordInterruption(log, decision, began, discarded.error());
        return discarded;
    }
    if (!discarded)
        decision.refused = std::exchange(decision.changes, 0);
    const Status recorded = recordEnd(log, decision, began);
    return discarded ? recorded : discarded;
}

} // namespace glovebox
