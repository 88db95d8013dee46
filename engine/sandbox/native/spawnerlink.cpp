// SPDX-License-Identifier: Apache-2.0
#include "spawnerlink.h"

#include "engine/launcher/packet.h"
#include "engine/launcher/program.h"
#include "engine/launcher/protocol.h"

#include <QFile>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

using namespace glovebox::launcher;

namespace glovebox::native {

namespace {

constexpr int answerTimeoutMs = 10'000;
constexpr int leavesTimeoutMs = 5'000;
constexpr int endTimeoutMs = 2'000;

Text reinstall()
{
    return Text(QT_TRANSLATE_NOOP("engine",
                                  "Glovebox's launcher could not be started, so nothing can run. Reinstall Glovebox."));
}

// It is there, but the machine withholds what it needs.
Text withheld(const QString &problem)
{
    return Text(QT_TRANSLATE_NOOP("engine",
                                  "Glovebox's launcher could not be started (%1), so nothing can run. Raise the "
                                  "limits that this was started under (ulimit); in a container or a user "
                                  "namespace, run Glovebox outside of it, and not as its root."),
                {problem});
}

Result<pid_t> spawn(const QString &program, int control)
{
    pid_t pid = -1;
    const int error = startProgram({QFile::encodeName(program).toStdString()}, {control}, pid);
    if (error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE)
        return fail(ErrorCode::Unavailable, withheld(errnoText(error)));
    if (error != 0)
        return fail(ErrorCode::Unavailable, reinstall(), Text("%1: %2", {program, errnoText(error)}));
    return pid;
}

Status receive(int control, const QString &program, Packet &packet)
{
    pollfd source{control, POLLIN, 0};
    int ready = 0;
    while ((ready = ::poll(&source, 1, answerTimeoutMs)) < 0 && errno == EINTR) { }
    if (ready != 1 || receivePacket(control, packet, false) != 0 || packet.bytes.empty())
        return fail(ErrorCode::Unavailable, reinstall(), Text("%1 did not answer", {program}));
    return {};
}

// What it says once it was told whom runs belong to.
Status readAnswer(int control, const QString &program)
{
    Packet packet;
    if (Status received = receive(control, program, packet); !received)
        return received;
    Reader hello(packet.bytes);
    Message kind{};
    std::uint32_t version = 0;
    hello.get(kind);
    hello.get(version);
    if (kind != Message::Hello || version != protocolVersion)
        return fail(ErrorCode::Unavailable,
                    Text(QT_TRANSLATE_NOOP("engine", "Glovebox was updated while it was running. Restart it.")),
                    Text("%1 speaks version %2 instead of %3",
                         {program, QString::number(version), QString::number(protocolVersion)}));
    if (Status received = receive(control, program, packet); !received)
        return received;
    Reader in(packet.bytes);
    Readiness readiness{};
    std::string problem;
    in.get(kind);
    in.get(readiness);
    in.get(problem);
    const bool isAnswer = in.done() && kind == Message::Prepared;
    if (isAnswer && readiness == Readiness::Ready)
        return {};
    const QString reason = QString::fromStdString(problem);
    if (isAnswer && readiness == Readiness::Withheld)
        return fail(ErrorCode::Unavailable, withheld(reason), Text("%1: %2", {program, reason}));
    return fail(ErrorCode::Unavailable, reinstall(), Text("%1: %2", {program, reason}));
}

} // namespace

Result<std::shared_ptr<SpawnerLink>> SpawnerLink::start(const QString &libexec, const QString &engineId,
                                                        bool withLeaves, Ahead ahead)
{
    const QString program = libexec + QStringLiteral("/glovebox-spawner");
    raiseDescriptorLimit(); // each run takes about ten, and there may be 256
    std::array<int, 2> pair{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()) < 0)
        return fail(ErrorCode::Unavailable, withheld(QStringLiteral("socketpair: ") + errnoText(errno)));
    UniqueFd control(pair[0]);
    UniqueFd childEnd(pair[1]);
    childEnd.reset(::fcntl(childEnd.get(), F_DUPFD_CLOEXEC, 16)); // above what the child gets
    if (!childEnd)
        return fail(ErrorCode::Unavailable, withheld(errnoText(errno)));
    const Result<pid_t> pid = spawn(program, childEnd.get());
    if (!pid)
        return std::unexpected(pid.error());
    childEnd.reset();
    std::shared_ptr<SpawnerLink> link(new SpawnerLink(std::move(control), *pid));
    const std::optional<HostIdentity> identity = runIdentity();
    if (!identity)
        return fail(
            ErrorCode::Unsupported,
            Text(QT_TRANSLATE_NOOP("engine", "There is no unprivileged user left to run code as. Create one named "
                                             "glovebox, or run Glovebox as an ordinary user.")));
    link->m_identity = *identity;
    const auto become =
        Writer().put(Message::Become).put(std::uint64_t(identity->uid)).put(std::uint64_t(identity->gid)).bytes();
    // One that is gone already is told by its silence; one of another version, by its Hello.
    static_cast<void>(link->send(become));
    // A place for the leaves is made while the program starts.
    std::optional<Status> answer;
    const auto isThere = [&] {
        if (!answer)
            answer = readAnswer(link->m_control.get(), program);
        return *answer;
    };
    if (withLeaves) {
        const std::string name = "glovebox-" + engineId.toStdString() + "." + std::to_string(*pid);
        link->m_leaves = settleLeaves(name, *identity, *pid, [&](const LeafPlace &place) {
            const Status there = isThere();
            return there ? link->tryLeaves(place) : there;
        });
    }
    if (const Status there = isThere(); !there)
        return std::unexpected(there.error());
    if (ahead != Ahead::Never) {
        const std::uint64_t always = ahead == Ahead::Always;
        if (Status told = link->send(Writer().put(Message::MakeAhead).put(always).bytes()); !told)
            return std::unexpected(told.error());
    }
    return link;
}

Status SpawnerLink::tryLeaves(const LeafPlace &place)
{
    const std::string message =
        Writer().put(Message::Leaves).put(place.kind()).put(place.name()).put(place.controllers()).bytes();
    if (Status sent = send(message, place.descriptors()); !sent)
        return sent;
    pollfd source{m_control.get(), POLLIN, 0};
    int ready = 0;
    while ((ready = ::poll(&source, 1, leavesTimeoutMs)) < 0 && errno == EINTR) { }
    Packet packet;
    Message kind{};
    std::string problem;
    if (ready == 1 && receivePacket(m_control.get(), packet, false) == 0) {
        Reader in(packet.bytes);
        in.get(kind);
        in.get(problem);
    }
    if (kind != Message::LeavesTried)
        problem = "the launcher did not answer";
    if (!problem.empty())
        return fail(ErrorCode::Unavailable, Text("%1", {QString::fromStdString(problem)}));
    return {};
}

SpawnerLink::~SpawnerLink()
{
    m_control.reset(); // end of file: it kills its runs and ends
    // It has nothing to wait for, so this is short; a spawner that hangs all the same is killed.
    const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, m_pid, 0)));
    pollfd ended{process.get(), POLLIN, 0};
    int ready = 0;
    while ((ready = ::poll(&ended, 1, endTimeoutMs)) < 0 && errno == EINTR) { }
    if (!process || ready != 1)
        ::kill(m_pid, SIGKILL);
    ::waitpid(m_pid, nullptr, 0);
}

Status SpawnerLink::send(std::string_view message, const std::vector<int> &descriptors)
{
    if (const int error = sendPacket(m_control.get(), message, descriptors))
        return fail(ErrorCode::Unavailable,
                    Text(QT_TRANSLATE_NOOP("engine", "Glovebox's launcher ended unexpectedly. Try again.")),
                    Text("send: %1", {errnoText(error)}));
    return {};
}

bool SpawnerLink::isAlive() const
{
    pollfd source{m_control.get(), POLLIN, 0};
    return ::poll(&source, 1, 0) == 0; // after start() it never says anything: readable means end of file
}

} // namespace glovebox::native
