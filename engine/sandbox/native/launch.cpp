// SPDX-License-Identifier: Apache-2.0
// One launch: what goes into a run is sent to glovebox-spawner, and both reports about it are awaited.
#include "sealedrun.h"

#include "probe/controls.h"
#include "probe/remedies.h"

#include "engine/launcher/packet.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>

using namespace glovebox::launcher;

namespace glovebox::native {

namespace {

constexpr std::chrono::seconds setupTimeout{20}; // a machine that is swapping; far beyond what set-up takes

bool makePair(int type, UniqueFd &outer, UniqueFd &inner)
{
    std::array<int, 2> pair{};
    if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, pair.data()) < 0)
        return false;
    outer.reset(pair[0]);
    inner.reset(pair[1]);
    return true;
}

// Only our end doesn't block: the program inside gets ordinary pipes.
bool makePipe(UniqueFd &readEnd, UniqueFd &writeEnd, bool readIsOurs)
{
    std::array<int, 2> pair{};
    if (::pipe2(pair.data(), O_CLOEXEC) < 0)
        return false;
    readEnd.reset(pair[0]);
    writeEnd.reset(pair[1]);
    const int ours = readIsOurs ? pair[0] : pair[1];
    return ::fcntl(ours, F_SETFL, ::fcntl(ours, F_GETFL) | O_NONBLOCK) == 0;
}

std::unexpected<Error> endedUnverified()
{
    return fail(ErrorCode::Unavailable, QT_TRANSLATE_NOOP("engine", "The sandbox ended before it was verified. "
                                                                    "Nothing was run; try again."));
}

// Where nothing may be traced, a sandbox whose spawner was killed before bwrap asked to die with it waits for us: it ends when
// its report is closed.
Result<Verification> waitForVerification(int report, const SpawnerLink &spawner, std::stop_token stop)
{
    // Ends the poll when somebody cancels.
    const std::stop_callback wake(stop, [report] { ::shutdown(report, SHUT_RDWR); });
    const auto deadline = std::chrono::steady_clock::now() + setupTimeout;
    Verification verification;
    bool isVerified = false;
    bool isPlaced = false;
    while (!isVerified || !isPlaced) {
        // The filter that init probes asks us.
        std::array<pollfd, 4> sources{pollfd{report, POLLIN, 0},
                                      {verification.listener.descriptor(), POLLIN, 0},
                                      {spawner.endDescriptor(), POLLIN, 0},
                                      {verification.watch.descriptor(), POLLIN, 0}};
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
        const int ready = ::poll(sources.data(), sources.size(), static_cast<int>(std::max<qint64>(left, 0)));
        if (stop.stop_requested())
            return fail(ErrorCode::Cancelled, QT_TRANSLATE_NOOP("engine", "The run was stopped before it started."));
        if (ready == 0)
            return fail(ErrorCode::TimedOut,
                        QT_TRANSLATE_NOOP("engine", "The sandbox was not ready after %1 s. Nothing was run; try "
                                                    "again when the machine is less busy."),
                        {QString::number(setupTimeout / std::chrono::seconds(1))});
        if (sources[1].revents)
            verification.listener.answerProbe();
        if (sources[3].revents)
            verification.watch.answerUntold();
        if (!sources[0].revents && sources[2].revents)
            return endedUnverified();
        if (!sources[0].revents)
            continue;
        Packet packet;
        const int error = receivePacket(report, packet, false);
        if (error == EMSGSIZE) // no room here for its descriptors
            return noDescriptors(EMFILE);
        if (error != 0 || packet.bytes.empty())
            return endedUnverified();
        Reader in(packet.bytes);
        Message kind{};
        in.get(kind);
        if (kind == Message::SetupError) {
            SetupError failure;
            in.get(failure);
            return std::unexpected(explainSetupError(failure));
        }
        if (kind == Message::Listener && packet.descriptors.size() == 1) {
            verification.listener = CallListener(std::move(packet.descriptors.front()));
            continue;
        }
        if (kind == Message::Watched && packet.descriptors.size() <= 1) {
            in.get(verification.watchProblem);
            if (!packet.descriptors.empty())
                verification.watch = PlaceWatch(std::move(packet.descriptors.front()));
            continue;
        }
        if (kind == Message::Terminal && packet.descriptors.size() == 1) {
            verification.terminal = std::move(packet.descriptors.front());
            continue;
        }
        if (kind == Message::Listeners && verification.listeners.add(in, packet.descriptors))
            continue;
        if (kind == Message::Connectors && in.done()) {
            std::ranges::move(packet.descriptors, std::back_inserter(verification.connectors));
            continue;
        }
        if (kind == Message::Folders && packet.descriptors.size() >= 2) {
            verification.scratch = std::move(packet.descriptors[0]);
            verification.home = std::move(packet.descriptors[1]);
            verification.copies.assign(std::make_move_iterator(packet.descriptors.begin() + 2),
                                       std::make_move_iterator(packet.descriptors.end()));
            continue;
        }
        Verdict verdict;
        if (kind == Message::Verified) {
            in.get(verdict);
        } else {
            in.get(verification.process);
            in.get(verdict.findings);
        }
        if ((kind != Message::Verified && kind != Message::Placed) || !in.done()
            || (kind == Message::Verified && !verification.scratch))
            return fail(ErrorCode::Unavailable, QT_TRANSLATE_NOOP("engine", "The sandbox gave an unreadable report. "
                                                                            "Nothing was run."));
        if (kind == Message::Placed) {
            verification.outside = std::move(verdict.findings);
            isPlaced = true;
        } else {
            verification.inside = std::move(verdict.findings);
            isVerified = true;
            verification.setupCpu = std::chrono::microseconds(verdict.setupCpu);
            verification.listeners.networkCookie = verdict.networkCookie;
            if (!verdict.isWatched) {
                verification.watch = PlaceWatch();
                if (verification.watchProblem.empty())
                    verification.watchProblem = "the builder mounts nothing there";
            }
        }
    }
    return verification;
}

} // namespace

Result<std::unique_ptr<SealedRun>> launchSealed(std::shared_ptr<SpawnerLink> spawner, const std::string &plan,
                                                bool hasChannel, std::stop_token stop)
{
    SealedRunParts parts;
    // The ends that go into the run; closed in this process once they are sent.
    std::vector<UniqueFd> inner(hasChannel ? launchDescriptors : ChannelFd);
    inner[PlanFd] = sealedMemory("glovebox-plan", plan);
    if (!inner[PlanFd] || !makePair(SOCK_SEQPACKET, parts.report, inner[ReportFd])
        || !makePipe(inner[StdinFd], parts.standardInput, false)
        || !makePipe(parts.standardOutput, inner[StdoutFd], true)
        || !makePipe(parts.standardError, inner[StderrFd], true)
        || (hasChannel && !makePair(SOCK_STREAM, parts.channel, inner[ChannelFd])))
        return noDescriptors();

    // The pipes are root's otherwise, and the run couldn't open its own /dev/stdout.
    if (::geteuid() == 0) {
        const HostIdentity owner = spawner->identity();
        for (const LaunchDescriptor pipe : {StdinFd, StdoutFd, StderrFd}) {
            if (::fchown(inner[pipe].get(), owner.uid, owner.gid) < 0)
                return noDescriptors();
        }
    }

    parts.spawner = std::move(spawner);
    parts.id = parts.spawner->nextId();
    RETURN_IF_ERROR(parts.spawner->send(Writer().put(Message::Launch).put(parts.id).bytes(), numbers(inner)));
    inner.clear();
    // From here on the destructor kills what was launched.
    const int report = parts.report.get();
    const std::shared_ptr<SpawnerLink> link = parts.spawner;
    auto run = std::make_unique<SealedRun>(std::move(parts));
    ASSIGN_OR_RETURN(Verification verification, waitForVerification(report, *link, stop));
    if (!run->useVerified(std::move(verification)))
        return noDescriptors();
    return run;
}

} // namespace glovebox::native
