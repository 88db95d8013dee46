// SPDX-License-Identifier: Apache-2.0
#include "spawnerlink.h"

#include "engine/launcher/packet.h"
#include "engine/launcher/protocol.h"

#include <poll.h>

using namespace glovebox::launcher;

namespace glovebox::native {

namespace {

constexpr int answerTimeoutMs = 10'000;
constexpr int leavesTimeoutMs = 5'000;
constexpr std::chrono::seconds endPatience{2};

Text reinstall()
{
    return Text(QT_TRANSLATE_NOOP("engine",
                                  "Glovebox's launcher could not be started, so nothing can run. Reinstall Glovebox."));
}

// The launcher is installed, but the machine refuses what it needs.
Text withheld(const QString &problem)
{
    return Text(
        QT_TRANSLATE_NOOP(
            "engine",
            "Glovebox's launcher could not be started (%1), so nothing can run. In a container or a user namespace, "
            "run "
            "Glovebox outside of it, and not as its root. Elsewhere, raise the limits that this was started under "
            "(ulimit)."),
        {problem});
}

Status receive(OwnProgram &spawner, Packet &packet)
{
    if (receivePacketWithin(answerTimeoutMs, spawner.channel(), packet) == 0)
        return {};
    auto why = spawner.whyNotLoaded();
    return why ? std::unexpected(*std::move(why)) : fail(ErrorCode::Unavailable, reinstall(), "no answer");
}

// Reads the spawner's answer to Become.
Status readAnswer(OwnProgram &spawner)
{
    Packet packet;
    RETURN_IF_ERROR(receive(spawner, packet));
    Reader hello(packet.bytes);
    Message kind{};
    std::uint32_t version = 0;
    hello(kind, version);
    if (kind != Message::Hello || version != protocolVersion)
        return fail(ErrorCode::Unavailable,
                    QT_TRANSLATE_NOOP("engine", "Glovebox was updated while it was running. Restart it."),
                    Text("glovebox-spawner speaks version %1 instead of %2",
                         {QString::number(version), QString::number(protocolVersion)}));
    RETURN_IF_ERROR(receive(spawner, packet));
    Reader in(packet.bytes);
    std::string problem;
    in(kind, problem);
    if (!in.done() || kind != Message::Prepared)
        return fail(ErrorCode::Unavailable, reinstall(), Text("glovebox-spawner doesn't answer as it should"));
    if (problem.empty())
        return {};
    const QString reason = QString::fromStdString(problem);
    return fail(ErrorCode::Unavailable, withheld(reason), Text("glovebox-spawner: %1", {reason}));
}

} // namespace

Result<std::shared_ptr<SpawnerLink>> SpawnerLink::start(const QString &libexec, const QString &engineId,
                                                        bool withLeaves, Ahead ahead)
{
    raiseDescriptorLimit(); // each run takes about ten, and there may be 256
    std::shared_ptr<SpawnerLink> link(new SpawnerLink);
    if (Status started = link->m_program.start({.path = libexec + QStringLiteral("/glovebox-spawner")}); !started)
        return std::unexpected(started.error());
    const std::optional<HostIdentity> identity = runIdentity();
    if (!identity)
        return fail(ErrorCode::Unsupported,
                    QT_TRANSLATE_NOOP("engine", "There is no unprivileged user left to run code as. Create one named "
                                                "glovebox, or run Glovebox as an ordinary user."));
    link->m_identity = *identity;
    const auto become =
        Writer().put(Message::Become).put(std::uint64_t(identity->uid)).put(std::uint64_t(identity->gid)).bytes();
    // A spawner that has already ended is noticed because it doesn't answer; one of another version, by its Hello.
    static_cast<void>(link->send(become));
    // A place for the leaves is made while the program starts.
    std::optional<Status> answer;
    const auto isThere = [&] {
        if (!answer)
            answer = readAnswer(link->m_program);
        return *answer;
    };
    if (withLeaves) {
        const pid_t pid = link->m_program.process();
        const std::string name = "glovebox-" + engineId.toStdString() + "." + std::to_string(pid);
        link->m_leaves = settleLeaves(name, *identity, pid, [&](const LeafPlace &place) {
            const Status there = isThere();
            return there ? link->tryLeaves(place) : there;
        });
    }
    RETURN_IF_ERROR(isThere());
    if (ahead != Ahead::Never) {
        const std::uint64_t always = ahead == Ahead::Always;
        RETURN_IF_ERROR(link->send(Writer().put(Message::MakeAhead).put(always).bytes()));
    }
    return link;
}

Status SpawnerLink::tryLeaves(const LeafPlace &place)
{
    const std::string message =
        Writer().put(Message::Leaves).put(place.kind()).put(place.name()).put(place.controllers()).bytes();
    RETURN_IF_ERROR(send(message, place.descriptors()));
    Packet packet;
    Message kind{};
    std::string problem;
    if (receivePacketWithin(leavesTimeoutMs, m_program.channel(), packet) == 0)
        Reader(packet.bytes)(kind, problem);
    if (kind != Message::LeavesTried)
        problem = "the launcher did not answer";
    if (!problem.empty())
        return fail(ErrorCode::Unavailable, Text("%1", {QString::fromStdString(problem)}));
    return {};
}

SpawnerLink::~SpawnerLink()
{
    m_program.closeChannel(); // end of file: it kills its runs and ends
    // It has nothing to wait for, so this is short; a spawner that hangs all the same is killed.
    m_program.endsWithin(endPatience);
}

Status SpawnerLink::send(std::string_view message, const std::vector<int> &descriptors)
{
    if (const int error = sendPacket(m_program.channel(), message, descriptors))
        return fail(ErrorCode::Unavailable,
                    QT_TRANSLATE_NOOP("engine", "Glovebox's launcher ended unexpectedly. Try again."),
                    Text("send: %1", {errnoText(error)}));
    return {};
}

bool SpawnerLink::isAlive() const
{
    pollfd source{m_program.channel(), POLLIN, 0};
    return ::poll(&source, 1, 0) == 0; // after start() it never says anything: readable means end of file
}

} // namespace glovebox::native
