// SPDX-License-Identifier: Apache-2.0
// Runs a shell script or a program in the real native sandbox and collects what it said.
#pragma once

#include "engine/sandbox/native/native.h"
#include "engine/sandbox/sandbox.h"
#include "tests/support/testprogram.h"

#include <memory>

namespace glovebox {

struct SealedOutcome
{
    QByteArray out;
    QByteArray err;
    SandboxEnd end;
    QList<Control> controls;
    QList<RunEvent> events;

    bool operator==(const SealedOutcome &) const = default;
};

// What is started, and for whom.
struct SealedSpec
{
    SandboxShape shape;
    Assignment assignment;

    bool operator==(const SealedSpec &) const = default;
};

inline NativeBuilder builderUnderTest()
{
    return test::isBubblewrapTried() ? NativeBuilder::Bubblewrap : NativeBuilder::Direct;
}
std::unique_ptr<Backend> backendUnderTest(const QString &engineId);
// /bin/bash main.sh with this text.
SealedSpec shellSpec(const QByteArray &script);
// The same with Python in the shell, main.py with this code: several processes in every case.
SealedSpec pythonSpec(const QByteArray &code);
Result<std::unique_ptr<SealedProcess>> launchIn(Backend &backend, const SealedSpec &spec, std::stop_token stop = {});
// Launches, starts, reads both streams to their end and waits for the end of the last process; input goes to stdin first.
Result<SealedOutcome> runSealed(Backend &backend, const SealedSpec &spec, const QByteArray &input = {});

// Until the descriptor is readable; answers meanwhile what the system call filter asks. False after 10 s.
bool waitUntilReadable(SealedProcess &process, int descriptor);
// How the run ended, waited for as long; an empty one where the run goes on.
SandboxEnd endOf(SealedProcess &process);

// Living processes below this one, from /proc.
QList<qint64> descendantsOf(qint64 pid);
// False for a zombie: nothing runs there, somebody else has yet to reap it.
bool isAlive(qint64 pid);
qint64 parentOf(qint64 pid);
// Below this program, but for what spawners made ahead, in which no run has begun.
QList<qint64> busyProcesses();

} // namespace glovebox
