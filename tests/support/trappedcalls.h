// SPDX-License-Identifier: Apache-2.0
// System calls that fail, kill or stand still, by a seccomp filter: for moments and file systems that a test can't bring about
// otherwise. A filter stays with the thread that installs it, and with what that starts, so each test gives it a thread or a program
// of its own. See seccomp(2) and seccomp_unotify(2).
#pragma once

#include "engine/base/base.h"

#include <linux/seccomp.h>

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

} // namespace glovebox::test
