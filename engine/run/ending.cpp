// SPDX-License-Identifier: Apache-2.0
#include "ending.h"

#include <algorithm>
#include <csignal>

namespace glovebox {
namespace {

// strsignal() is translated by the C library, and sigabbrev_np() is not everywhere.
constexpr std::pair<int, const char *> signalNames[] = {
    {SIGABRT, "SIGABRT"}, {SIGALRM, "SIGALRM"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},   {SIGHUP, "SIGHUP"},
    {SIGILL, "SIGILL"},   {SIGINT, "SIGINT"},   {SIGKILL, "SIGKILL"}, {SIGPIPE, "SIGPIPE"}, {SIGQUIT, "SIGQUIT"},
    {SIGSEGV, "SIGSEGV"}, {SIGSYS, "SIGSYS"},   {SIGTERM, "SIGTERM"}, {SIGTRAP, "SIGTRAP"}, {SIGUSR1, "SIGUSR1"},
    {SIGUSR2, "SIGUSR2"}, {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"},
};

QString signalName(int signal)
{
    const auto known = std::ranges::find(signalNames, signal, [](const auto &named) { return named.first; });
    return known == std::end(signalNames) ? QStringLiteral("signal %1").arg(signal)
                                          : QString::fromLatin1(known->second);
}

QString seconds(std::chrono::milliseconds time)
{
    return QString::number(static_cast<double>(time.count()) / 1000, 'g', 10);
}

} // namespace

RunEvent codeNotRun()
{
    return {EventType::CodeNotRun, Text(QT_TRANSLATE_NOOP("engine", "Nothing of the code ran."))};
}

Ending endingOf(const PumpEnd &end, const Limits &limits, const Text &cancelReason, const Result<bool> &foldersFull,
                qint64 copiesBytes, std::optional<qint64> workspaceBytes)
{
    const qint64 filesBytes = workspaceBytes.value_or(limits.diskBytes);
    const SandboxEnd &sandbox = end.sandbox;
    if (!sandbox.notStarted.isEmpty())
        return {Outcome::SetupFailed, sandbox.notStarted};
    if (end.by == EndedBy::Cancel)
        return {Outcome::Cancelled, cancelReason};
    if (foldersFull.value_or(false) && !sandbox.atDeadline) {
        const char *source = QT_TRANSLATE_NOOP("engine", "The run was stopped: it added more than %1 MB or %2 files to "
                                                         "its folders, or hid how much.");
        if (sandbox.exitCode)
            source = QT_TRANSLATE_NOOP("engine",
                                       "The run added more than %1 MB or %2 files to its folders, or hid how much.");
        return {Outcome::DiskLimit,
                Text(source, {QString::number(limits.diskBytes / mebibyte), QString::number(limits.diskFiles())})};
    }
    if (!foldersFull && foldersFull.error().code == ErrorCode::Unavailable && !sandbox.atDeadline) {
        const char *source = QT_TRANSLATE_NOOP(
            "engine", "The run was stopped, because Glovebox's program that watches its folders ended.");
        if (sandbox.exitCode)
            source = QT_TRANSLATE_NOOP("engine", "Glovebox's program that watches the run's folders ended, so how much "
                                                 "the run added there isn't known.");
        return {Outcome::Interrupted, Text(source)};
    }
    // A program that had just ended by itself when the time was over keeps its own end.
    if (sandbox.atDeadline || (end.by == EndedBy::Deadline && !sandbox.exitCode))
        return {Outcome::TimedOut, Text(QT_TRANSLATE_NOOP("engine", "The run was stopped after its %1 s were over."),
                                        {seconds(limits.wall)})};
    if (sandbox.memoryAlone)
        return {Outcome::OutOfMemory,
                Text(QT_TRANSLATE_NOOP("engine", "The run was stopped because its processes needed more "
                                                 "than their %1 MB of memory."),
                     {QString::number(limits.memoryBytes / mebibyte)})};
    if (sandbox.outOfMemory)
        return {
            Outcome::OutOfMemory,
            Text(QT_TRANSLATE_NOOP("engine", "The run was stopped because it needed more than its %1 MB of memory and "
                                             "files together."),
                 {QString::number((limits.memoryBytes + filesBytes + copiesBytes) / mebibyte)})};
    if (sandbox.cpuExhausted && sandbox.inheritedCpu)
        return {Outcome::CpuLimit,
                Text(QT_TRANSLATE_NOOP("engine", "The run was stopped after one of its processes used up %1 s of "
                                                 "processor time. The shell that started Glovebox allows no more: see "
                                                 "\"ulimit -t\" there."),
                     {QString::number(sandbox.inheritedCpu->count())})};
    if (sandbox.cpuExhausted)
        return {Outcome::CpuLimit,
                Text(QT_TRANSLATE_NOOP("engine", "The run was stopped after its %1 s of processor time were used up."),
                     {limits.cpu ? seconds(*limits.cpu) : QStringLiteral("?")})};
    if (!sandbox.lost.isEmpty())
        return {Outcome::Interrupted,
                Text(QT_TRANSLATE_NOOP("engine", "Nobody knows how the run ended: %1"), {sandbox.lost.english()})};
    if (sandbox.exitCode && *sandbox.exitCode == 0)
        return {Outcome::Completed, {}};
    // Only what failed can have failed for want of space. SIGXFSZ: one file, larger than all may be together.
    if (sandbox.diskFull || sandbox.signal == SIGXFSZ)
        return {Outcome::DiskLimit,
                Text(QT_TRANSLATE_NOOP("engine", "The run failed with its %1 MB of disk space used up."),
                     {QString::number(filesBytes / mebibyte)})};
    if (sandbox.exitCode)
        return {Outcome::Failed, Text(QT_TRANSLATE_NOOP("engine", "The run exited with status %1."),
                                      {QString::number(*sandbox.exitCode)})};
    if (sandbox.signal && sandbox.killedFromOutside)
        return {Outcome::Signalled,
                Text(QT_TRANSLATE_NOOP("engine", "The sandbox was ended from outside by %1: by another program of this "
                                                 "machine, or by its kernel when memory ran out everywhere."),
                     {signalName(*sandbox.signal)})};
    if (sandbox.signal)
        return {Outcome::Signalled,
                Text(QT_TRANSLATE_NOOP("engine", "The run was killed by %1."), {signalName(*sandbox.signal)})};
    return {Outcome::Interrupted,
            Text(QT_TRANSLATE_NOOP("engine", "Nobody knows how the run ended: the sandbox did not report it."))};
}

Outcome notLaunched(const Error &error)
{
    const bool isOfRequest = error.code == ErrorCode::PermissionDenied || error.code == ErrorCode::Full;
    return isOfRequest ? Outcome::Rejected : Outcome::SetupFailed;
}

std::optional<RunEvent> processesEvent(const SandboxEnd &end, const Limits &limits)
{
    const QString limit = QString::number(limits.processes);
    if (end.refusedProcesses > 0)
        return RunEvent{
            EventType::ProcessesLimit,
            Text(limits.processes == 1
                     ? QT_TRANSLATE_NOOP("engine", "The run hit its limit of %1 process (refused: %2).")
                     : QT_TRANSLATE_NOOP("engine", "The run hit its limit of %1 processes and threads (refused: %2)."),
                 {limit, QString::number(end.refusedProcesses)})};
    // Every run has one. Where nobody counts what was refused, only a run that failed can have wanted more.
    if (end.hadAllProcesses && (limits.processes > 1 || end.exitCode != 0))
        return RunEvent{
            EventType::ProcessesLimit,
            Text(limits.processes == 1
                     ? QT_TRANSLATE_NOOP("engine", "The run reached its limit of %1 process.")
                     : QT_TRANSLATE_NOOP("engine", "The run reached its limit of %1 processes and threads."),
                 {limit})};
    return {};
}

std::optional<RunEvent> diskEvent(const SandboxEnd &end, qint64 filesBytes)
{
    if (!end.diskFull || end.exitCode != 0)
        return {};
    return RunEvent{
        EventType::DiskFull,
        Text(QT_TRANSLATE_NOOP("engine", "The run ended with its %1 MB of disk space used up. Its last writes may be "
                                         "missing."),
             {QString::number(filesBytes / mebibyte)})};
}

} // namespace glovebox
