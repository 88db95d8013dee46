// SPDX-License-Identifier: Apache-2.0
#include "changesview.h"

#include "app/cli/session/sessionview.h"
#include "app/cli/terminal/bell.h"
#include "app/cli/terminal/console.h"
#include "app/cli/terminal/statusline.h"
#include "app/cli/terminal/terminal.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

QByteArray lineOf(const FolderChange &change)
{
    const char *kinds[] = {"added  ", "changed", "removed"};
    QByteArray line = QByteArray("  ") + kinds[int(change.kind)] + ' ' + escapedLine(change.path);
    if (change.type == FolderChange::Type::Folder)
        line += '/';
    else if (change.type == FolderChange::Type::Link && change.kind != FolderChange::Kind::Removed)
        line += " -> " + escapedLine(change.target);
    else if (change.type == FolderChange::Type::Other)
        line += " (no file; never applied)";
    if (change.oldMode != 0 && change.mode != 0 && change.oldMode != change.mode)
        line += " (0" + QByteArray::number(change.oldMode, 8) + " -> 0" + QByteArray::number(change.mode, 8) + ')';
    else if (change.kind == FolderChange::Kind::Added && change.type == FolderChange::Type::File
             && (change.mode & 0111))
        line += " (executable)";
    if (change.isWithheld)
        line += " (withheld: holds a secret of the run, or could not be searched)";
    if (change.isSensitive)
        line += " (!) " + change.why.english().toUtf8();
    return line + '\n';
}

} // namespace

QByteArray shownChangeList(const QList<FolderChange> &changes, qsizetype most,
                           const std::function<QByteArray(const FolderChange &)> &below)
{
    QByteArray text;
    qsizetype others = 0;
    for (const FolderChange &change : inOrderOfReview(changes)) {
        if (change.isSensitive || change.isWithheld || ++others <= most)
            text += lineOf(change) + (below ? below(change) : QByteArray());
    }
    if (others > most)
        text += "  ... and " + QByteArray::number(others - most) + " more, none of them marked\n";
    return text;
}

QString uncomparedSentence(const FolderChanges &folder)
{
    return u"The copy of %1 is too large, too deep or too private to be compared, and can't be applied."_s.arg(
        folder.hostPath);
}

QByteArray shownChanges(const PendingChanges &changes, const BelowChange &below, bool showsAll)
{
    QByteArray text;
    bool isSensitive = false;
    if (changes.isCutShort)
        text += "Glovebox ended while it applied these changes, so some of them may be in the original.\n"
                "Apply them again, which leaves as it is what is there already: glovebox changes apply "
                + changes.run.toUtf8() + '\n';
    for (const FolderChanges &folder : changes.folders) {
        if (!folder.isWhole) {
            text += asLine(uncomparedSentence(folder));
            continue;
        }
        if (folder.changes.isEmpty())
            continue;
        text += asLine(u"Changes in the copy of %1:"_s.arg(folder.hostPath));
        isSensitive = isSensitive || std::ranges::any_of(folder.changes, &FolderChange::isSensitive);
        constexpr qsizetype most = 40;
        text += shownChangeList(folder.changes, showsAll ? folder.changes.size() : most,
                                below ? [&](const FolderChange &change) { return below(folder.path, change); }
                                      : std::function<QByteArray(const FolderChange &)>());
    }
    if (isSensitive)
        text +=
            "  (!) marks files that your other programs execute or load, and links that lead out. Review them first.\n";
    return text;
}

static bool isMarked(const FolderChange &change)
{
    return change.isSensitive || change.isWithheld;
}

qsizetype countOf(const QList<FolderChanges> &folders)
{
    return std::accumulate(folders.begin(), folders.end(), qsizetype{0},
                           [](qsizetype sum, const FolderChanges &folder) { return sum + folder.changes.size(); });
}

QList<FolderChanges> withoutMarked(QList<FolderChanges> folders)
{
    for (FolderChanges &folder : folders) {
        ChangeChoice choice(folder.changes);
        for (qsizetype i = 0; i < folder.changes.size(); ++i)
            choice.choose(i, true);
        for (qsizetype i = 0; i < folder.changes.size(); ++i) {
            if (isMarked(folder.changes[i]))
                choice.choose(i, false);
        }
        folder.changes = choice.chosen();
    }
    return folders;
}

ChosenChanges asksToApply(const PendingChanges &changes, const QString &unanswered)
{
    qsizetype marked = 0;
    for (const FolderChanges &folder : changes.folders)
        marked += std::ranges::count_if(folder.changes, isMarked);
    const bool takesMarked =
        marked > 0
        && asksWhether(marked == 1 ? u"Also apply the change that is marked or withheld?"_s
                                   : u"Also apply the %1 changes that are marked or withheld?"_s.arg(marked),
                       unanswered);
    const QList<FolderChanges> chosen = takesMarked ? changes.folders : withoutMarked(changes.folders);
    const qsizetype count = countOf(chosen);
    if (count == 0 || !asksWhether(count == 1 ? u"Apply 1 change?"_s : u"Apply %1 changes?"_s.arg(count), unanswered))
        return std::nullopt;
    return chosen;
}

void sayFiles(const QList<FolderChanges> &folders)
{
    constexpr qsizetype most = 5;
    for (const FolderChanges &folder : folders) {
        QStringList names;
        for (const FolderChange &change : folder.changes)
            names << QString::fromUtf8(escapedLine(change.path));
        names.removeDuplicates(); // a file that takes a link's place is two changes
        if (const qsizetype more = names.size() - most; more > 0)
            names = names.first(most) << u"and %1 more"_s.arg(more);
        if (!names.isEmpty())
            say(u"In %1: %2"_s.arg(folder.hostPath, names.join(u", "_s)));
    }
}

namespace {

// Of these changes, those that wait, or those that don't.
QList<FolderChanges> thatWait(QList<FolderChanges> folders, const QList<FolderChanges> &waiting, bool doWait)
{
    std::set<std::tuple<QString, QByteArray, FolderChange::Kind>> all;
    for (const FolderChanges &folder : waiting) {
        for (const FolderChange &change : folder.changes)
            all.emplace(folder.path, change.path, change.kind);
    }
    for (FolderChanges &folder : folders)
        folder.changes.removeIf([&](const FolderChange &change) {
            return all.contains({folder.path, change.path, change.kind}) != doWait;
        });
    return folders;
}

QList<FolderChanges> waitingOf(Engine &engine, const QString &run)
{
    const auto waiting = engine.staging().pending(run);
    return waiting ? waiting->folders : QList<FolderChanges>();
}

QString changesWord(qint64 count)
{
    return count == 1 ? u"1 change"_s : u"%1 changes"_s.arg(count);
}

// deed: "applied" or "undone". all: how many changes were to be; 0: nobody told. done: what is to be named.
void sayDone(const ApplyReport &report, const QString &deed, qint64 all, const QList<FolderChanges> &done)
{
    for (const Text &refusal : report.refused)
        say(refusal.english());
    if (!report.unrecorded.isEmpty())
        say(report.unrecorded.english());
    if (report.isStopped && all > 0)
        say(u"Stopped: %1 of %2 were %3."_s.arg(report.applied).arg(changesWord(all), deed));
    else
        say(u"%1 %2 %3."_s.arg(changesWord(report.applied), report.applied == 1 ? u"was"_s : u"were"_s, deed));
    sayFiles(done);
}

void sayWhatIsLeftToApply(const ApplyReport &report, const QString &run)
{
    const QString waiting = report.applied > 0 ? u"The others wait"_s : u"All of them wait"_s;
    if (report.isStopped)
        say(waiting
            + u": \"glovebox changes apply %1\" applies them, \"glovebox changes discard %1\" discards them."_s.arg(
                run));
    else if (!report.refused.isEmpty())
        say(waiting
            + u": \"glovebox changes show %1\" lists them, \"glovebox changes discard %1\" discards them."_s.arg(run));
    if (report.applied > 0 && report.isStopped)
        say(u"\"glovebox changes undo %1\" puts the originals back, also when the others were applied."_s.arg(run));
    else if (report.applied > 0)
        say(u"\"glovebox changes undo\" puts the originals back, until other changes are applied."_s);
}

void sayWhatIsLeftToUndo(const ApplyReport &report, const QString &run, bool waits)
{
    if (report.isStopped)
        say(u"\"glovebox changes undo %1\" undoes the others, until other changes are applied."_s.arg(run));
    if (report.applied > 0 && waits)
        say(u"Undone changes wait again: \"glovebox changes show %1\" lists them."_s.arg(run));
}

// Says on a terminal how far applying or undoing is, and stops it at a signal.
class DeedCourse
{
public:
    ApplyProgress progress()
    {
        return [this](const AppliedUntilNow &now) { return goesOn(now); };
    }
    qint64 allChanges() const { return m_all; } // 0: nobody told

    // Returns the exit status, when it was said what came of it. tell: says that of a report.
    int end(const Result<ApplyReport> &report, const std::function<void(const ApplyReport &)> &tell)
    {
        m_line.end();
        if (report)
            tell(*report);
        else
            say(sentenceOf(report.error()));
        const bool isStopped = report ? report->isStopped : report.error().code == ErrorCode::Cancelled;
        if (isStopped && m_stoppedBy != 0)
            return ExitStatus::signalled + m_stoppedBy;
        const bool isAllDone = report && !isStopped && report->refused.isEmpty() && report->unrecorded.isEmpty();
        return isAllDone ? 0 : ExitStatus::failed;
    }

private:
    bool goesOn(const AppliedUntilNow &now)
    {
        for (const int signal : m_bell.takeSignals())
            m_stoppedBy = m_stoppedBy == 0 ? signal : m_stoppedBy;
        m_all = now.allChanges;
        if (m_all == 0)
            return m_stoppedBy == 0; // nobody knows yet
        const bool isBegun = now.changes > 0 || now.bytes > 0;
        QString words =
            isBegun ? u"%1 of %2"_s.arg(now.changes).arg(changesWord(m_all)) : u"Checking "_s + changesWord(m_all);
        if (now.allBytes > 0) // else they are removals, and the like
            words += isBegun ? u", %1 of %2"_s.arg(sizeWords(now.bytes), sizeWords(now.allBytes))
                             : u", "_s + sizeWords(now.allBytes);
        m_line.show(m_stoppedBy != 0 ? "Stopping ..." : words.toUtf8());
        return m_stoppedBy == 0;
    }

    Bell m_bell;
    StatusLine m_line;
    int m_stoppedBy = 0; // a signal
    qint64 m_all = 0;
};

} // namespace

int applyAndSay(Engine &engine, const QString &run, const ChosenChanges &chosen, bool namesFiles)
{
    DeedCourse course;
    const QList<FolderChanges> before = namesFiles ? chosen.value_or(waitingOf(engine, run)) : QList<FolderChanges>();
    const auto report = engine.applyChanges(run, engine.caller(), chosen, course.progress());
    return course.end(report, [&](const ApplyReport &done) {
        sayDone(done, u"applied"_s, course.allChanges(), thatWait(before, waitingOf(engine, run), false));
        sayWhatIsLeftToApply(done, run);
    });
}

int undoAndSay(Engine &engine, const QString &run)
{
    DeedCourse course;
    const auto undoable = engine.staging().undoable(run);
    const QList<FolderChanges> before =
        thatWait(undoable ? undoable->folders : QList<FolderChanges>(), waitingOf(engine, run), false);
    const auto report = engine.undoChanges(run, engine.caller(), course.progress());
    return course.end(report, [&](const ApplyReport &done) {
        const QList<FolderChanges> waiting = waitingOf(engine, run);
        sayDone(done, u"undone"_s, course.allChanges(), thatWait(before, waiting, true));
        sayWhatIsLeftToUndo(done, run, !waiting.isEmpty());
    });
}

} // namespace glovebox
