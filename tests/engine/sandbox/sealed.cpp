// SPDX-License-Identifier: Apache-2.0
#include "sealed.h"

#include "engine/sandbox/native/native.h"

#include <QDeadlineTimer>
#include <QDir>
#include <QFile>

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace glovebox {

std::unique_ptr<Backend> backendUnderTest(const QString &engineId)
{
    return makeNativeBackend(QStringLiteral(GLOVEBOX_LIBEXEC), engineId, {.only = builderUnderTest()});
}

SealedSpec shellSpec(const QByteArray &script)
{
    SealedSpec spec;
    spec.shape.argv = {"/bin/bash", "main.sh"};
    spec.shape.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/run/home", "LANG=C.UTF-8"};
    spec.assignment.files = {{"main.sh", script}};
    return spec;
}

SealedSpec pythonSpec(const QByteArray &code)
{
    SealedSpec spec = shellSpec("python3 main.py");
    spec.assignment.files.append({"main.py", code});
    return spec;
}

Result<std::unique_ptr<SealedProcess>> launchIn(Backend &backend, const SealedSpec &spec, std::stop_token stop)
{
    return backend.launch(spec.shape, spec.assignment, std::move(stop));
}

Result<SealedOutcome> runSealed(Backend &backend, const SealedSpec &spec, const QByteArray &input)
{
    Result<std::unique_ptr<SealedProcess>> process = launchIn(backend, spec);
    if (!process)
        return std::unexpected(process.error());
    SealedOutcome outcome;
    outcome.controls = (*process)->controls();
    UniqueFd in = (*process)->takeStdin();
    std::array<UniqueFd, 2> streams{(*process)->takeStdout(), (*process)->takeStderr()};
    if (Status started = (*process)->start(); !started)
        return std::unexpected(started.error());
    if (::write(in.get(), input.data(), static_cast<std::size_t>(input.size())) != input.size())
        return fail(ErrorCode::Io, Text("stdin"));
    in.reset();
    std::optional<SandboxEnd> end;
    while (!end || streams[0] || streams[1]) {
        std::array<pollfd, 4> sources{{{streams[0].get(), POLLIN, 0},
                                       {streams[1].get(), POLLIN, 0},
                                       {end ? -1 : (*process)->reportDescriptor(), POLLIN, 0},
                                       {(*process)->eventDescriptor(), POLLIN, 0}}};
        if (::poll(sources.data(), sources.size(), 60'000) == 0)
            return fail(ErrorCode::TimedOut, Text("the run did not end"));
        for (std::size_t i = 0; i < 2; ++i) {
            if (!sources[i].revents)
                continue;
            std::array<char, 65536> part{};
            const ssize_t n = ::read(streams[i].get(), part.data(), part.size());
            if (n > 0)
                (i == 0 ? outcome.out : outcome.err).append(part.data(), n);
            else if (n == 0 || errno != EAGAIN) // EIO: the end of a terminal
                streams[i].reset();
        }
        if (sources[3].revents)
            outcome.events += (*process)->takeEvents(1);
        if (sources[2].revents)
            end = (*process)->takeEnd();
    }
    outcome.events += (*process)->takeEvents(0);
    outcome.end = *end;
    return outcome;
}

bool waitUntilReadable(SealedProcess &process, int descriptor)
{
    QDeadlineTimer patience(10'000);
    while (!patience.hasExpired()) {
        std::array<pollfd, 2> sources{{{descriptor, POLLIN, 0}, {process.eventDescriptor(), POLLIN, 0}}};
        static_cast<void>(::poll(sources.data(), sources.size(), 100));
        if (sources[0].revents)
            return true;
        if (sources[1].revents)
            static_cast<void>(process.takeEvents(1));
    }
    return false;
}

SandboxEnd endOf(SealedProcess &process)
{
    for (;;) {
        if (!waitUntilReadable(process, process.reportDescriptor()))
            return {};
        if (const std::optional<SandboxEnd> end = process.takeEnd())
            return *end;
    }
}

namespace {

// Name, state and parent of a process; state is empty when there is none.
struct ProcessState
{
    QByteArray name; // cut by the kernel
    QByteArray state;
    qint64 parent = 0;
};

ProcessState processState(qint64 pid)
{
    QFile stat(QStringLiteral("/proc/%1/stat").arg(pid));
    if (!stat.open(QIODevice::ReadOnly))
        return {};
    const QByteArray text = stat.readAll();
    const qsizetype begin = text.indexOf('(') + 1;
    const qsizetype end = text.lastIndexOf(')'); // the name may hold anything
    const QByteArrayList words = text.mid(end + 2).split(' ');
    return {text.mid(begin, end - begin), words.value(0), words.value(1).toLongLong()};
}

bool isSpare(qint64 pid)
{
    const ProcessState process = processState(pid);
    // It begins with its spawner's name.
    return process.name == "glovebox-spare"
           || (process.name == "glovebox-spawne" && processState(process.parent).name == process.name);
}

} // namespace

QList<qint64> descendantsOf(qint64 pid)
{
    QHash<qint64, QList<qint64>> children;
    const QStringList entries = QDir(QStringLiteral("/proc")).entryList(QDir::Dirs);
    for (const QString &entry : entries) {
        if (const qint64 child = entry.toLongLong(); child > 0 && isAlive(child))
            children[processState(child).parent].append(child);
    }
    QList<qint64> found = children.value(pid);
    for (qsizetype i = 0; i < found.size(); ++i)
        found += children.value(found.at(i));
    return found;
}

bool isAlive(qint64 pid)
{
    const QByteArray state = processState(pid).state;
    return !state.isEmpty() && state != "Z" && state != "X";
}

qint64 parentOf(qint64 pid)
{
    return processState(pid).parent;
}

QList<qint64> busyProcesses()
{
    QList<qint64> all = descendantsOf(::getpid());
    all.removeIf(isSpare);
    return all;
}

} // namespace glovebox
