// SPDX-License-Identifier: Apache-2.0
// The engine's side of glovebox-opener, which touches granted folders and can be given up when their file system hangs.
#pragma once

#include "engine/base/base.h"
#include "engine/folders/folders.h"
#include "engine/sandbox/sandbox.h"

#include <QDataStream>

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include <sys/types.h>

namespace glovebox {

// Used by one thread at a time. Its process is started for the first folder, and killed when this goes; nobody waits for it. When it
// doesn't answer, or the run is cancelled, it is given up, and from then on each call is an error. A folder is the number of those
// that were opened before it.
class FolderOpener
{
public:
    FolderOpener(const QString &libexec, std::stop_token stop)
        : m_path(libexec + QStringLiteral("/glovebox-opener"))
        , m_stop(std::move(stop))
    {
    }

    // Before the run: Cancelled at once when it is stopped.
    // openFolder(). TimedOut where the file system doesn't answer for 5 s.
    Result<OpenedFolder> open(const FolderGrant &grant, const OwnFolders &own);
    // Functions of folders.h; each takes as long as there.
    Result<TreeSize> count(qsizetype folder, const QByteArray &order);
    Result<QByteArray> copy(qsizetype folder, const QByteArray &order, int to);
    // Its sensitive files as they are now.
    Status remember(qsizetype folder);
    // The files in the folders that are granted writable, and in these copies, may become more by so much. False: there is too much
    // to be counted.
    Result<bool> measure(const QStringList &copies, TreeSize most);

    // While the run works. Blocks until more was added, or stop: then false. init: of the run, 0: not known. An error: nobody looks.
    Result<bool> watch(pid_t init, const std::stop_token &stop);

    // After the run. Half a minute at most, and two seconds from when it is stopped on.
    Result<bool> isOver();
    Result<std::pair<bool, QList<FolderChange>>> changes(qsizetype folder); // whether they are all, and those
    Result<WrittenFiles> written(qsizetype folder, int to); // after changes()
    Result<QByteArray> compare(qsizetype folder, const QByteArray &tree, int copy);

    // Staging's apply(), undo() or discard() in this data folder. Cancelled where the process didn't come to an end: 10 s after the engine
    // was stopped, or a minute after progress wanted applying to stop, it is given up. Before that, applying stops by itself. Nothing
    // is done before begin was called. progress is called some times a second in any case.
    Result<ApplyReport> decide(const QString &data, FolderDeed deed, const QString &run, const Staging::Begin &begin,
                               const ChosenChanges &chosen, const ApplyProgress &progress);

private:
    using Clock = std::chrono::steady_clock;
    struct Patience
    {
        Clock::duration most;
        Clock::duration afterStop;
        Clock::duration afterOwnStop = afterStop; // of m_progress
    };
    Status start();
    void giveUp();
    std::unexpected<Error> ended(int error);
    bool waitForAnswer(const std::stop_token &stop, Patience patience);
    bool isStoppedByProgress();
    void stopApplying();
    Result<QByteArray> ask(const QByteArray &request, Patience patience, int descriptor = -1,
                           UniqueFd *answered = nullptr);
    template<typename... Fields> static QByteArray request(const Fields &...fields);

    const QString m_path;
    const std::stop_token m_stop;
    QStringList m_hostPaths; // of what was opened
    QString m_about; // path of what is asked about, for sentences
    std::unique_ptr<OwnProgram> m_program;
    bool m_isGivenUp = false;
    ApplyProgress m_progress; // of what is decided
    AppliedUntilNow m_applied;
    std::optional<Clock::time_point> m_stopped; // when progress wanted it
    std::optional<Clock::time_point> m_engineStopped; // while one answer is waited for
    bool m_isTold = false; // that it is to stop
};

} // namespace glovebox
