// SPDX-License-Identifier: Apache-2.0
// The engine's side of glovebox-looker, which touches folders of PATH first and can be left when their file system hangs.
#pragma once

#include "engine/base/base.h"

#include <QStringList>

#include <chrono>
#include <map>
#include <memory>
#include <stop_token>

namespace glovebox {

std::unexpected<Error> stoppedLooking(); // Cancelled

// Thread-safe. One process serves all that ask, and one more waits for each folder that doesn't answer.
class FolderLooker
{
public:
    explicit FolderLooker(const QString &libexec); // empty: nobody asks, and every folder counts as one that answers

    // Whether these programs of the folder, and what belongs to them, can be looked at without waiting for a file system. TimedOut where
    // the folder hasn't answered for 3 s, and at once as long as it goes on so; Cancelled when stopped. Where the program can't start, or
    // is killed, nothing is known of the folder, and it counts as one that answers.
    Status look(const QString &folder, const QStringList &programs, const std::stop_token &stop);

private:
    using Clock = std::chrono::steady_clock;
    struct Question
    {
        std::unique_ptr<OwnProgram> program;
        Clock::time_point asked;
    };
    bool ask(const QString &folder, const QStringList &programs);

    const QString m_path;
    Turn m_turn; // to use what follows; held while somebody waits for an answer
    std::unique_ptr<OwnProgram> m_idle;
    std::map<QString, Question> m_open; // by folder: no answer so far
};

} // namespace glovebox
