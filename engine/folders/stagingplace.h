// SPDX-License-Identifier: Apache-2.0
// Where copies and the changes that wait for the person lie on disk, and who still needs them.
#pragma once

#include "folders.h"

namespace glovebox {

// Several programs may use one place, each with an engine id of its own.
class StagingPlace
{
public:
    StagingPlace(const Paths &paths, QString engineId, std::function<std::optional<HostIdentity>()> owner);

    const QString &base() const { return m_base; }
    QString kept() const { return m_base + QStringLiteral("/kept"); }
    QString kept(const QString &run) const { return kept() + u'/' + run; }
    // There while the changes are put into the originals. Has the name that a file has beside its place while it is written, so that the
    // next try finds what was left of it.
    QString applying(const QString &run) const { return kept(run) + QStringLiteral("/applying"); }
    // There beside it when whoever applied was stopped between two changes: none is half done, and what isn't done waits.
    QString stopped(const QString &run) const { return kept(run) + QStringLiteral("/stopped"); }
    // There while they are put back; the same.
    QString undoing(const QString &run) const { return kept(run) + QStringLiteral("/undoing"); }
    // There while changes are discarded, for who asks; nothing else depends on it.
    QString discarding(const QString &run) const { return kept(run) + QStringLiteral("/discarding"); }
    // Holds what applying replaced and removed, and the steps that undo it; the second does while they are applied.
    QString before(const QString &run) const { return kept(run) + QStringLiteral("/before"); }
    QString beforeNow(const QString &run) const { return kept(run) + QStringLiteral("/before-now"); }
    QString stepsIn(const QString &folder) const { return folder + QStringLiteral("/steps"); }
    // Glovebox is at it, or ended meanwhile.
    bool isHalfApplied(const QString &run) const;
    bool isHalfUndone(const QString &run) const;
    bool isStopped(const QString &run) const;
    // No program holds it. Several may ask at once.
    bool isFree(const QString &run) const;
    // What a program that holds it does; nothing: nobody does, or isn't known to.
    std::optional<FolderDeed> underWay(const QString &run) const;
    // The folder with the steps that undo what was done last; empty: none.
    QString undoFolder(const QString &run) const;
    QString ofEngine() const { return m_base + u'/' + m_engine; }
    QString ofRun(const QString &run) const { return ofEngine() + u'/' + run; }
    // Whom copies are given to; none where the engine isn't root's.
    std::optional<HostIdentity> owner() const { return m_owner ? m_owner() : std::nullopt; }

    // The folder of a run, and those above it. Nobody but root and the run's own group passes it: the run may do what it likes to
    // the permissions of its copies.
    Status makeFor(const QString &run) const;
    // Whoever holds it is the only one, of all programs, to apply, discard or sweep away a run's changes. NotFound: nothing waits.
    Result<FileLock> hold(const QString &run) const;
    // Everything in the folder of the run waits for the person from now on.
    Status keep(const QString &run) const;
    // Under the lock. First the changes leave their place, all at once. Who is killed then leaves them to recover().
    Status throwAway(const QString &run) const;
    // Staging's.
    void recover(const QString &enginesFolder) const;
    // Removes what this engine left; and the place, when nothing waits there.
    void leave() const;

private:
    // Whoever makes or removes the folders that programs share holds it: none takes away what another is about to use.
    Result<FileLock> holdFolders() const;
    Status makeFolders(const QString &run) const;
    Status noteDataFolder() const;
    Status makeFolder(const QString &folder, bool isPassed) const;
    void recoverOther(const QString &base) const;

    QString m_data;
    QString m_base;
    QString m_engine;
    std::function<std::optional<HostIdentity>()> m_owner; // set for a root engine
};

std::unexpected<Error> nothingWaits(const QString &run);
std::unexpected<Error> restMustBeUndone(const QString &run); // Busy

} // namespace glovebox
