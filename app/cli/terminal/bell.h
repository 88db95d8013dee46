// SPDX-License-Identifier: Apache-2.0
// A pipe that wakes a loop around poll(2): runs ring it, and so do signals.
#pragma once

#include "engine/base/base.h"

#include <QList>

#include <functional>
#include <memory>

namespace glovebox {

// One at a time; used by the thread that made it. While it lives, SIGINT, SIGTERM and SIGHUP ring instead of ending the program, and
// SIGPIPE does nothing. Signals that the caller ignores (nohup, a shell's background job) stay ignored.
class Bell
{
public:
    enum class Rings {
        ForStopping,
        AlsoForSize, // SIGWINCH
    };
    // std::system_error where there are no more descriptors.
    explicit Bell(Rings rings = Rings::ForStopping);
    ~Bell();
    Bell(const Bell &) = delete;
    Bell &operator=(const Bell &) = delete;

    // May be called on any thread, also when the bell is gone.
    std::function<void()> ringer() const;
    // Readable after a ring, until takeSignals().
    int descriptor() const;
    // The numbers of those that came since the last call.
    QList<int> takeSignals();
    // The first of SIGINT, SIGTERM and SIGHUP that any bell of this program took; SIGINT: none was, as where a key of its own stopped
    // something.
    static int firstStop();

private:
    struct Pipe;
    const Rings m_rings;
    std::shared_ptr<Pipe> m_pipe;
};

} // namespace glovebox
