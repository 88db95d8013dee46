// SPDX-License-Identifier: Apache-2.0
#include "steps.h"

#include "apply.h"
#include "replaced.h"

#include "engine/folders/keeping.h"

#include <QDir>
#include <QFile>
#include <QSet>

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>

namespace glovebox {

using namespace Qt::StringLiterals;

bool isNothing(const QList<KeptFolder> &all)
{
    return std::ranges::all_of(all, [](const KeptFolder &kept) { return kept.isWhole && kept.changes.isEmpty(); });
}

QString contentsBefore(const QString &folder, qsizetype index)
{
    return folder + u'/' + QString::number(index);
}

// The steps first: whoever is killed then leaves contents that nobody needs, and never steps without contents.
void forgetSteps(const StagingPlace &place, const QString &folder)
{
    QFile::remove(place.stepsIn(folder));
    static_cast<void>(removeTree(folder));
}

// Of no step that is known: a try that was killed or stopped left them.
void forgetContents(const QString &folder, const Steps &known)
{
    for (qsizetype i = 0; i < known.size(); ++i) {
        QSet<QString> needed;
        for (const UndoStep &step : known[i]) {
            if (!step.back.digest.isEmpty())
                needed.insert(QString::number(step.back.number));
        }
        const QDir contents(contentsBefore(folder, i));
        const QStringList there = contents.entryList(QDir::Files | QDir::Hidden | QDir::System);
        for (const QString &name : there) {
            if (!needed.contains(name))
                QFile::remove(contents.filePath(name));
        }
    }
}

// Where that fails, the notes and what they name stay as they were.
void noteSteps(const QString &folder, const Steps &steps)
{
    if (writeUndo(folder, steps))
        forgetContents(folder, steps);
}

bool settle(const StagingPlace &place, const QString &run)
{
    forgetSteps(place, place.before(run));
    return ::rename(QFile::encodeName(place.beforeNow(run)).constData(),
                    QFile::encodeName(place.before(run)).constData())
           == 0;
}

// A name for what is being written, noted while it may be there. other: the note of who may have been killed at something else.
Result<QByteArray> noteTemporary(const QString &path, const QString &other)
{
    QFile before(other);
    QFile note(path);
    QByteArray known = note.open(QIODevice::ReadWrite) ? note.readAll() : QByteArray();
    const bool isNew = known.isEmpty();
    if (isNew && before.open(QIODevice::ReadOnly))
        known = before.readAll();
    if (known.isEmpty())
        known = ".glovebox-" + newId(Clock::system()).toLatin1();
    if (!note.isOpen() || (isNew && (note.write(known) != known.size() || !note.flush())))
        return fail(ErrorCode::Io,
                    Text(QT_TRANSLATE_NOOP("engine", "The file %1 can't be written: %2. Check the free space."),
                         {note.fileName(), note.errorString()}));
    return known;
}

// Still the one that was copied; else it is refused.
UniqueFd openOriginal(const StagedFolder &folder, ApplyReport &report)
{
    UniqueFd original = openFolderOf(folder.hostPath);
    struct stat info = {};
    if (original && ::fstat(original.get(), &info) == 0 && info.st_dev == folder.device && info.st_ino == folder.inode)
        return original;
    report.refused.append(
        Text(QT_TRANSLATE_NOOP("engine", "%1 is no longer the folder that was copied."), {folder.hostPath}));
    return {};
}

// Nobody gets to know by a refusal what is withheld.
void addReport(ApplyReport &all, const ApplyReport &part, const QMap<QString, QString> &hidden)
{
    all.applied += part.applied;
    all.isStopped = all.isStopped || part.isStopped;
    for (Text refusal : part.refused) {
        for (QString &arg : refusal.args)
            arg = hidden.value(arg, arg);
        all.refused.append(refusal);
    }
}

// Removes the files that a killed try left beside the places of changes.
void removeTemporariesOf(const QList<KeptFolder> &all, const Steps &steps, const QByteArray &temporary)
{
    ApplyReport unused;
    for (qsizetype i = 0; i < all.size(); ++i) {
        QList<KeptChange> places = all[i].changes;
        for (const UndoStep &step : steps.value(i))
            places.append(step.done);
        const UniqueFd original = places.isEmpty() ? UniqueFd() : openOriginal(all[i].folder, unused);
        if (original)
            removeTemporaries(original.get(), places, temporary);
    }
}

Status checkAllReplaced(const QString &folder, const Steps &steps, Course &course)
{
    for (qsizetype i = 0; i < steps.size(); ++i) {
        if (const Status sound = checkReplaced(steps[i], contentsBefore(folder, i), course); !sound)
            return sound;
    }
    return {};
}

// The removal at a path, and what takes its place there, are two.
QByteArray keyFor(const KeptChange &kept)
{
    return QByteArray::number(int(kept.change.kind)) + kept.change.path;
}

} // namespace glovebox
