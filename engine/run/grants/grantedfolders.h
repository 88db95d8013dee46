// SPDX-License-Identifier: Apache-2.0
// What the folders that a run is granted need before it, while it runs and after it.
#pragma once

#include "folderopener.h"

#include "engine/run/live/liverun.h"
#include "engine/run/rooms.h"

#include <vector>

namespace glovebox {

// Used by the run's thread.
class GrantedFolders
{
public:
    // Looks at each folder of the policy, and at how it is now. Blocks.
    Status open(const RunRequest &request, const Rooms &rooms, LiveRun &run, std::stop_token stop);
    // For the sandbox: mounted, and made as empty folders in a file system in memory that has room for the copies, too.
    const QList<OpenedFolder> &shown() const { return m_shown; }
    const QStringList &copiesInMemory() const { return m_inMemory; }
    QList<QByteArray> below(const QString &place) const; // where in it any of them are
    TreeSize sizeInMemory() const { return m_sizeInMemory; }
    // Of a run that has begun: what it saw of this machine. Of one that never began, nothing of that is so.
    void tellShown(LiveRun &run) const;
    // Before the first instruction of the run. Blocks.
    Status fill(SealedProcess &process, const Rooms &rooms, LiveRun &run);

    // Whether it may write to a file system of the host's, and the copies that are there.
    bool isWatched() const { return m_hasWritable || !m_onDisk.isEmpty(); }
    const QStringList &copiesOnDisk() const { return m_onDisk; }
    FolderOpener &opener() { return *m_opener; }

    // When every process of the run is gone: tells by events and in the result what it did to them; outcome: where nothing ran, nothing
    // is told of the writable ones. search: for secrets of the run in files that were changed there; null: it was lent none.
    void close(const Rooms &rooms, LiveRun &run, RunResult &result, Outcome outcome, const Withhold &withhold,
               SecretSearch *search = nullptr);

private:
    struct Folder
    {
        FolderGrant grant;
        OpenedFolder opened;
    };
    Result<StagedFolder> copy(qsizetype index, UniqueFd memory, const Rooms &rooms, LiveRun &run);
    Status copyToDisk(qsizetype index, const Rooms &rooms, LiveRun &run);
    bool tellSensitive(qsizetype index, LiveRun &run); // false: the folder can't be read any longer
    void tellSecrets(qsizetype index, SecretSearch &search, LiveRun &run);
    void tellCopies(const Rooms &rooms, LiveRun &run, RunResult &result, const Withhold &withhold);

    std::unique_ptr<FolderOpener> m_opener;
    QList<Folder> m_folders; // as the opener numbers them
    QList<OpenedFolder> m_shown;
    QStringList m_inMemory; // where the run sees them
    TreeSize m_sizeInMemory;
    QStringList m_onDisk; // where they are
    bool m_hasWritable = false;
};

} // namespace glovebox
