// SPDX-License-Identifier: Apache-2.0
#include "decisions.h"

#include "app/workbench/editor/file/hiddentext.h"

#include <QCoreApplication>
#include <QJsonDocument>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

struct Words
{
    Q_DECLARE_TR_FUNCTIONS(glovebox::ChangesTab)
};

// By the log, which knows of what nobody can undo, too.
bool wasApplied(Engine &engine, const QString &run)
{
    const auto reader = engine.auditReader();
    const auto entries = reader ? (*reader)->entriesOf(run) : std::unexpected(reader.error());
    bool isApplied = false;
    for (const StoredEntry &stored : entries.value_or(QList<StoredEntry>())) {
        const QJsonObject entry = QJsonDocument::fromJson(stored.json).object();
        const auto kind = kindOf(entry);
        if (kind == EntryKind::FolderApplied)
            isApplied = isApplied || entry.value("changes"_L1).toInteger() > 0;
        else if (kind == EntryKind::FolderUndone)
            isApplied = false;
    }
    return isApplied;
}

} // namespace

WaitingChanges WaitingChanges::of(Engine &engine, const QString &run)
{
    WaitingChanges waiting{engine.staging().pending(run)};
    const auto undoable = engine.staging().undoable(run);
    for (const FolderChanges &folder : undoable ? undoable->folders : QList<FolderChanges>())
        waiting.undoable += folder.changes.size();
    waiting.isHalfUndone = undoable && undoable->isCutShort;
    waiting.isUndoOver = !undoable && wasApplied(engine, run);
    waiting.underWay = waiting.pending && waiting.pending->underWay ? waiting.pending->underWay
                       : undoable                                   ? undoable->underWay
                                                                    : std::nullopt;
    return waiting;
}

bool DeedProgress::goesOn(const AppliedUntilNow &now)
{
    const std::scoped_lock lock(m_mutex);
    m_now = now;
    return !m_isStopped;
}

AppliedUntilNow DeedProgress::now() const
{
    const std::scoped_lock lock(m_mutex);
    return m_now;
}

std::pair<QString, bool> waitingWords(const QList<FolderChanges> &folders, bool isCutShort, bool isBrief)
{
    QStringList parts;
    // First, since the end of a long sentence doesn't fit a small window.
    const bool sensitive = std::ranges::any_of(folders, [](const FolderChanges &folder) {
        return std::ranges::any_of(folder.changes, &FolderChange::isSensitive);
    });
    const bool isOne = folders.size() == 1 && folders.first().changes.size() == 1;
    if (sensitive)
        parts << (isOne ? Words::tr("▲ Your other programs execute or load this file. Review it first.")
                        : Words::tr("▲ Your other programs execute or load some of these files. Review them first."));
    bool weak = sensitive;
    for (const FolderChanges &folder : folders) {
        if (!folder.isWhole)
            parts << Words::tr("The copy of %1 is too large, too deep or too private to be compared. All you can do "
                               "with it is discard it.")
                         .arg(folder.hostPath);
        else if (!folder.changes.isEmpty() && (!isBrief || !sensitive || isCutShort))
            parts
                << (isCutShort
                        ? Words::tr(
                              "▲ Glovebox ended while it applied these %Ln change(s), so some may be in %1. Apply them "
                              "again: what is there already stays as it is.",
                              "", int(folder.changes.size()))
                        : Words::tr("%Ln change(s) in the copy of %1 wait(s) for you.", "", int(folder.changes.size())))
                       .arg(folder.hostPath);
        weak = weak || !folder.isWhole || isCutShort;
    }
    return {parts.join(u' '), weak};
}

QString briefWords(const PendingChanges &pending, bool hasList)
{
    const auto [words, isWeak] = waitingWords(pending.folders, pending.isCutShort, true);
    return hasList  ? words
           : isWeak ? Words::tr("▲ Some of the changes need a look.")
                    : Words::tr("The changes wait for you.");
}

QString progressOf(const AppliedUntilNow &now)
{
    if (now.allChanges == 0)
        return {};
    if (now.changes == 0 && now.bytes == 0) { // contents are read and compared before anything is written
        if (now.allBytes == 0)
            return Words::tr("Checking %Ln change(s)…", "", int(now.allChanges));
        return Words::tr("Checking %Ln change(s), %1…", "", int(now.allChanges)).arg(sizeWord(now.allBytes));
    }
    if (now.allBytes == 0) // removals, and the like
        return Words::tr("%L1 of %L2 changes").arg(now.changes).arg(now.allChanges);
    return Words::tr("%L1 of %L2 changes, %3 of %4")
        .arg(now.changes)
        .arg(now.allChanges)
        .arg(sizeWord(now.bytes), sizeWord(now.allBytes));
}

QString sentenceOf(FolderDeed deed, const Result<ApplyReport> &report)
{
    if (!report)
        return translated(report.error().message);
    constexpr qsizetype mostTold = 5;
    const int count = int(report->applied);
    QStringList sentences{deed == FolderDeed::Apply  ? Words::tr("%Ln change(s) applied to the original.", "", count)
                          : deed == FolderDeed::Undo ? Words::tr("%Ln change(s) undone in the original.", "", count)
                                                     : Words::tr("Discarded.")};
    if (report->isStopped)
        sentences << (deed == FolderDeed::Apply ? Words::tr("Stopped before the others, which wait.")
                                                : Words::tr("Stopped before the others, which can still be undone."));
    if (!report->unrecorded.isEmpty())
        sentences << u"▲ "_s + translated(report->unrecorded);
    for (const Text &refusal : report->refused.first(std::min(report->refused.size(), mostTold)))
        sentences << u"▲ "_s + withHiddenShown(translated(refusal));
    if (report->refused.size() > mostTold)
        sentences << Words::tr("▲ %Ln more could not be done.", "", int(report->refused.size() - mostTold));
    return sentences.join(u'\n');
}

void tellElsewhere(WorkbenchContext &context, const QString &run, const QString &sentence, bool isWhole)
{
    context.notifications().show(
        {.tone = isWhole ? Tone::Ok : Tone::Warn,
         .text = sentence,
         .remedies = {{Words::tr("Show the run in the history"),
                       [&context, run] { context.navigateTo(u"history"_s, {{u"run"_s, run}}); }}},
         .stays = !isWhole});
}

} // namespace glovebox
