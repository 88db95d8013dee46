// SPDX-License-Identifier: Apache-2.0
#include "sealedrun.h"

#include "controls.h"
#include "setuperror.h"

#include "engine/launcher/packet.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

using namespace glovebox::launcher;

namespace glovebox::native {

namespace {

constexpr int prepareTimeoutMs = 20'000; // as for the set-up

Assignment assignmentOf(const SandboxSpec &spec)
{
    Assignment assignment;
    for (const SandboxFile &file : spec.workFiles)
        assignment.files.push_back({file.name.toStdString(), file.content.toStdString()});
    for (const QByteArray &argument : spec.arguments)
        assignment.arguments.push_back(argument.toStdString());
    assignment.job = spec.job.toStdString();
    return assignment;
}

std::unexpected<Error> endedEarly(int error = 0)
{
    return fail(ErrorCode::Unavailable,
                Text(QT_TRANSLATE_NOOP("engine", "The sandbox ended before the code was started.")),
                Text("errno %1", {QString::number(error)}));
}

} // namespace

SealedRun::~SealedRun()
{
    if (!m_gone)
        kill();
    if (m_onEnd)
        m_onEnd();
}

Status SealedRun::prepare(std::stop_token stop)
{
    const std::stop_callback wake(stop, [this] { ::shutdown(m_parts.report.get(), SHUT_RDWR); });
    if (const int error = sendPacket(m_parts.report.get(), Writer().put(Message::Prepare).bytes()))
        return endedEarly(error);
    for (;;) {
        pollfd sources[] = {{m_parts.channel.get(), POLLIN, 0},
                            {m_parts.report.get(), POLLIN, 0},
                            {m_listener.descriptor(), POLLIN, 0}};
        const int ready = ::poll(sources, 3, prepareTimeoutMs);
        if (ready == 0 || (ready < 0 && errno != EINTR) || sources[1].revents)
            return endedEarly();
        if (sources[2].revents) // what the interpreter tries by itself is nobody's deed
            m_listener.answerProbe();
        if (!sources[0].revents)
            continue;
        char waits = 0;
        if (::recv(m_parts.channel.get(), &waits, 1, MSG_DONTWAIT) != 1)
            return endedEarly(errno);
        return {};
    }
}

bool SealedRun::isWaiting() const
{
    pollfd source{m_parts.report.get(), POLLIN, 0};
    return ::poll(&source, 1, 0) == 0;
}

Status SealedRun::assign(const SandboxSpec &spec)
{
    m_controls = controlsFrom(m_findings, spec);
    if (Status enough = requireControls(m_controls, spec.policy.strict); !enough)
        return enough;
    m_assignment = sealedMemory("glovebox-assignment", assignmentOf(spec).encode());
    if (!m_assignment)
        return endedEarly(errno);
    m_wall = spec.policy.limits.wall;
    m_cpu = spec.policy.limits.cpu;
    return {};
}

Status SealedRun::start()
{
    const auto milliseconds = static_cast<std::uint64_t>(m_wall.count());
    if (Status s = m_parts.spawner->send(Writer().put(Message::Started).put(m_parts.id).put(milliseconds).bytes()); !s)
        return s;
    std::vector<int> descriptors{m_assignment.get()};
    if (m_parts.channel)
        descriptors.push_back(m_parts.channel.get());
    if (const int error = sendPacket(m_parts.report.get(), Writer().put(Message::Go).bytes(), descriptors))
        return endedEarly(error);
    m_assignment.reset();
    return {};
}

void SealedRun::interrupt()
{
    sendPacket(m_parts.report.get(), Writer().put(Message::Interrupt).bytes(), {}, false);
}

void SealedRun::kill()
{
    m_killed = true;
    // A spawner that is gone has taken the run along.
    static_cast<void>(m_parts.spawner->send(Writer().put(Message::Kill).put(m_parts.id).bytes()));
    // One that hangs doesn't: PID 1 ends at the end of file.
    ::shutdown(m_parts.report.get(), SHUT_WR);
}

std::optional<SandboxEnd> SealedRun::takeEnd()
{
    Packet packet;
    while (!m_gone) {
        const int error = receivePacket(m_parts.report.get(), packet, false);
        if (error == EAGAIN)
            return std::nullopt;
        if (error == ECONNRESET) // said once, before what waits: the run ended without having read Go or Interrupt
            continue;
        if (error != 0 || packet.bytes.empty()) {
            m_gone = true;
            m_end.lost = Text(QT_TRANSLATE_NOOP("engine", "Glovebox's launcher ended in the middle of the run."));
            break;
        }
        take(packet.bytes);
    }
    return m_end;
}

void SealedRun::take(const std::string &message)
{
    Reader in(message);
    Message kind{};
    in.get(kind);
    if (kind == Message::Assigned) {
        std::uint64_t cpu = 0;
        in.get(cpu);
        m_setupCpu += std::chrono::microseconds(cpu);
    } else if (kind == Message::MainExited) {
        int status = 0;
        std::uint64_t tasks = 0;
        in.get(status);
        in.get(tasks);
        m_status = status;
        m_end.usage.processes = static_cast<qint64>(tasks);
    } else if (kind == Message::SetupError) {
        m_end.notStarted = explainSetupError(message).message;
    } else if (kind == Message::Gone) {
        std::uint8_t atDeadline = 0;
        int initStatus = 0;
        std::uint64_t cpu = 0;
        std::uint64_t peakKib = 0;
        in.get(atDeadline);
        in.get(initStatus);
        in.get(cpu);
        in.get(peakKib);
        m_gone = true;
        m_end.usage.cpu = std::max(std::chrono::microseconds(cpu) - m_setupCpu, std::chrono::microseconds(0));
        m_end.usage.peakMemoryBytes = static_cast<qint64>(peakKib) * 1024;
        m_end.usage.source = QStringLiteral("rusage");
        m_end.atDeadline = atDeadline != 0;
        if (m_status && WIFEXITED(*m_status)) {
            m_end.exitCode = WEXITSTATUS(*m_status);
        } else if (m_status && WIFSIGNALED(*m_status)) {
            m_end.signal = WTERMSIG(*m_status);
            // SIGXCPU first; who ignores it gets SIGKILL a second later.
            m_end.cpuExhausted =
                m_cpu
                && (*m_end.signal == SIGXCPU
                    || (*m_end.signal == SIGKILL && !m_killed && !m_end.atDeadline && m_end.usage.cpu >= *m_cpu));
        } else if (m_end.notStarted.isEmpty()) {
            // PID 1 was killed, and everything with it: by us (deadline, kill) or by the kernel for want of memory.
            m_end.signal = WIFSIGNALED(initStatus) ? WTERMSIG(initStatus) : SIGKILL;
        }
    }
}

} // namespace glovebox::native
