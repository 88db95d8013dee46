// SPDX-License-Identifier: Apache-2.0
// System calls that fail, kill or stand still, by a seccomp filter: for moments and file systems that a test can't bring about
// otherwise. A filter stays with the thread that installs it, and with what that starts, so each test gives it a thread or a program
// of its own. See seccomp(2) and seccomp_unotify(2).
#pragma once

#include "engine/base/base.h"

#include <linux/seccomp.h>

#include <optional>
#include <vector>

namespace glovebox::test {

struct FailingCall
{
    int number = 0;
    int error = 0; // errno
    int argument = -1; // only where this argument, counted from 0, has this value; -1: always
    quint32 value = 0;
};
void failCalls(const std::vector<FailingCall> &calls);

// The program is no more when it makes this call, as by kill -9.
void dieAtCall(int number);

// The calling thread stands still at this call, until another thread lets it go.
class StoppedCall
{
public:
    explicit StoppedCall(int number);
    void wait(); // by the other thread: until the call is made
    void letGo(); // of the call that was waited for

private:
    UniqueFd m_listener;
    seccomp_notif m_made = {};
};

// The calling thread, and what it starts, stand still at each of these calls, one after another.
class StoppedCalls
{
public:
    struct Made
    {
        quint64 id = 0;
        qint64 process = 0;
        int number = 0;
    };

    explicit StoppedCalls(const std::vector<FailingCall> &calls);
    // By another thread: the next call. None when this many milliseconds have passed without one, or when it is over.
    std::optional<Made> next(int milliseconds);
    void letGo(const Made &made); // nothing where its process has been killed
    bool isOver() const { return m_isOver; } // nobody who could make one lives any more

private:
    UniqueFd m_listener;
    bool m_isOver = false;
};

} // namespace glovebox::test
