// SPDX-License-Identifier: Apache-2.0
#include "decision.h"

#include <QJsonArray>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

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
    const Text reason =
        decision.applies
            ? Text(QT_TRANSLATE_NOOP("engine", "The changes were taken over, but that is not on record: %1"),
                   {ended.error().message.english()})
            : Text(QT_TRANSLATE_NOOP("engine", "The changes were thrown away, but that is not on record: %1"),
                   {ended.error().message.english()});
    return fail(ended.error().code, reason, ended.error().detail);
}

} // namespace

Entry beginningOf(const FolderDecision &decision)
{
    const QJsonObject fields = fieldsOf(decision);
    QJsonObject interrupted = fields;
    interrupted[u"action"_s] = decision.applies ? u"apply"_s : u"discard"_s;
    interrupted[u"reason"_s] =
        toJson(decision.applies
                   ? Text(QT_TRANSLATE_NOOP(
                         "engine", "Glovebox itself ended while it applied the changes, so some of them may be "
                                   "in the originals. Applying them again is safe."))
                   : Text(QT_TRANSLATE_NOOP("engine",
                                            "Glovebox itself ended while it threw the changes away. Discard them again "
                                            "if they still wait. The originals are as they were.")));
    return {.kind = decision.applies ? u"folder.applying"_s : u"folder.discarding"_s,
            .run = decision.run,
            .fields = fields,
            .begins = Entry::Unfinished{u"folder.interrupted"_s, interrupted}};
}

Entry endOf(const FolderDecision &decision, qint64 began)
{
    QJsonObject fields = fieldsOf(decision);
    fields[u"refused"_s] = decision.refused;
    return {.kind = decision.applies ? u"folder.applied"_s : u"folder.discarded"_s,
            .run = decision.run,
            .fields = fields,
            .ends = began};
}

Result<ApplyReport> applyOnRecord(Staging &staging, AuditLog &log, const QString &run, const Caller &caller)
{
    FolderDecision decision{.run = run, .caller = caller, .applies = true};
    qint64 began = 0;
    auto report = staging.apply(
        run, [&](const PendingChanges &waiting) { return recordBeginning(log, decision, waiting, began); });
    if (!report)
        return report;
    decision.changes = report->applied;
    decision.refused = report->refused.size();
    if (const Status recorded = recordEnd(log, decision, began); !recorded)
        return std::unexpected(recorded.error());
    return report;
}

Status discardOnRecord(Staging &staging, AuditLog &log, const QString &run, const Caller &caller)
{
    FolderDecision decision{.run = run, .caller = caller};
    qint64 began = 0;
    const Status discarded = staging.discard(
        run, [&](const PendingChanges &waiting) { return recordBeginning(log, decision, waiting, began); });
    if (began == 0)
        return discarded;
    if (!discarded)
        decision.refused = std::exchange(decision.changes, 0);
    const Status recorded = recordEnd(log, decision, began);
    return discarded ? recorded : discarded;
}

} // namespace glovebox
