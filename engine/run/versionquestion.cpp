// SPDX-License-Identifier: Apache-2.0
#include "versionquestion.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>

namespace glovebox {
namespace {

constexpr std::chrono::seconds answerTime{5};
constexpr qsizetype longestAnswer = 64 * kibibyte;

// Until its end of file, or until there is nothing to read now.
void readFrom(UniqueFd &stream, QByteArray &answer)
{
    std::array<char, 4096> part;
    ssize_t n = 0;
    while ((n = ::read(stream.get(), part.data(), part.size())) > 0) {
        if (answer.size() < longestAnswer)
            answer.append(part.data(), n);
    }
    if (n == 0 || (errno != EAGAIN && errno != EINTR))
        stream.reset();
}

// What it said on both streams, if it ended with status 0.
QByteArray answerOf(SealedProcess &process)
{
    QByteArray answer;
    process.takeStdin(); // and closed
    std::array<UniqueFd, 2> streams{process.takeStdout(), process.takeStderr()};
    std::optional<SandboxEnd> end;
    while (!end || streams[0] || streams[1]) {
        std::array<pollfd, 4> sources{{{streams[0].get(), POLLIN, 0},
                                       {streams[1].get(), POLLIN, 0},
                                       {process.eventDescriptor(), POLLIN, 0},
                                       {end ? -1 : process.reportDescriptor(), POLLIN, 0}}};
        // The launcher's clock ends it; twice that is a launcher that hangs.
        if (::poll(sources.data(), sources.size(), int(std::chrono::milliseconds(2 * answerTime).count())) == 0)
            return {};
        for (std::size_t i = 0; i < streams.size(); ++i) {
            if (sources[i].revents)
                readFrom(streams[i], answer);
        }
        if (sources[2].revents)
            process.takeEvents(64);
        if (sources[3].revents)
            end = process.takeEnd();
    }
    return end->exitCode == 0 ? answer : QByteArray();
}

} // namespace

VersionQuestion askSealed(std::shared_ptr<Backend> backend)
{
    return [backend = std::move(backend)](const InterpreterCandidate &interpreter,
                                          const QStringList &arguments) -> std::optional<QByteArray> {
        SandboxShape shape;
        shape.argv = {interpreter.path.toLocal8Bit()};
        for (const QString &argument : arguments)
            shape.argv.append(argument.toLocal8Bit());
        shape.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/work", "LANG=C.UTF-8"};
        shape.folders = interpreter.folders;
        shape.boundsAddressSpace = false; // V8 can't start under such a limit
        Assignment nobodys;
        nobodys.wall = answerTime;
        auto process = backend->launch(shape, nobodys, {});
        if (!process)
            return std::nullopt;
        return (*process)->start() ? answerOf(**process) : QByteArray();
    };
}

} // namespace glovebox
