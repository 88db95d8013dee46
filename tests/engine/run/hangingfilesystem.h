// SPDX-License-Identifier: Apache-2.0
// A real file system that stops answering: a FUSE server that reads requests and leaves them. Whoever waits for one can't be
// killed until the server goes.
#pragma once

#include "engine/base/base.h"

#include <QString>

#include <atomic>
#include <thread>

namespace glovebox::test {

// In main(), before there are threads: this process gets mounts of its own. Empty, or why there are none.
QString enterOwnMounts();

class HangingFileSystem
{
public:
    // The requests that are still answered: nothing but its own mounting; all up to the reading of its folder; or all until it is told.
    enum class Answers { Nothing, Looks, UntilTold };

    HangingFileSystem(QString folder, Answers answers);
    // Lets go of everybody.
    ~HangingFileSystem();

    QString problem() const { return m_problem; } // empty: it is mounted
    void stopAnswering() { m_isSilent = true; }
    bool isWaitedFor() const { return m_left > 0; } // for an answer that doesn't come

private:
    void serve();

    const QString m_folder;
    const Answers m_answers;
    QString m_problem;
    UniqueFd m_device;
    UniqueFd m_end;
    std::atomic<bool> m_isSilent = false;
    std::atomic<int> m_left = 0;
    std::jthread m_thread;
};

} // namespace glovebox::test
