// SPDX-License-Identifier: Apache-2.0
#include "sandbox.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace glovebox {

namespace {

// Until its end of file, or until there is nothing to read now.
void readAnswer(UniqueFd &stream, qint64 mostBytes, QByteArray &answer)
{
    std::array<char, 64 * kibibyte> part;
    ssize_t n = 0;
    while ((n = ::read(stream.get(), part.data(), part.size())) > 0)
        answer.append(part.data(), std::min<qint64>(n, mostBytes - answer.size()));
    if (n == 0 || (errno != EAGAIN && errno != EINTR))
        stream.reset();
}

} // namespace

std::optional<SealedAnswer> answerOf(SealedProcess &process, std::chrono::milliseconds wall, qint64 mostBytes)
{
    process.takeStdin(); // and closed
    std::array<UniqueFd, 2> streams{process.takeStdout(), process.takeStderr()};
    if (!process.start())
        return {};
    SealedAnswer answer;
    const std::array said{&answer.out, &answer.err};
    bool hasEnded = false;
    while (!hasEnded || streams[0] || streams[1]) {
        std::array<pollfd, 4> sources{{{streams[0].get(), POLLIN, 0},
                                       {streams[1].get(), POLLIN, 0},
                                       {process.eventDescriptor(), POLLIN, 0},
                                       {hasEnded ? -1 : process.reportDescriptor(), POLLIN, 0}}};
        // The launcher's clock ends it; twice that is a launcher that hangs.
        if (::poll(sources.data(), sources.size(), int((2 * wall).count())) == 0)
            return {};
        for (std::size_t i = 0; i < streams.size(); ++i) {
            if (sources[i].revents)
                readAnswer(streams[i], mostBytes, *said[i]);
        }
        if (sources[2].revents)
            process.takeEvents(64);
        if (sources[3].revents) {
            if (auto end = process.takeEnd()) {
                answer.end = *std::move(end);
                hasEnded = true;
            }
        }
    }
    return answer;
}

} // namespace glovebox
