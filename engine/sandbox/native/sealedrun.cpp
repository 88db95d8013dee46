// SPDX-License-Identifier: Apache-2.0
#include "sealedrun.h"

#include "mounts/mountplan.h"
#include "probe/controls.h"
#include "probe/remedies.h"

#include "engine/launcher/packet.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

using namespace glovebox::launcher;

namespace glovebox::native {

namespace {

constexpr int prepareTimeoutMs = 20'000; // as for the set-up
constexpr int readAgainTimeoutMs = 5'000;
constexpr int pauseTimeoutMs = 5'000; // PID 1 gives up after three seconds

// How much processor time each process may use by a limit that the caller was started under, and that runs inherit, if a signal says
// that a process used it up: SIGXCPU at the soft limit, SIGKILL, which has other senders, at the hard one (setrlimit(2)).
std::optional<std::chrono::seconds> usedUpInherited(int signal, std::chrono::microseconds cpu)
{
    constexpr auto inexact = std::chrono::milliseconds(250); // the kernel looks at its ticks
    rlimit limit{};
    if ((signal != SIGXCPU && signal != SIGKILL) || ::getrlimit(RLIMIT_CPU, &limit) != 0)
        return {};
    const rlim_t bound = signal == SIGXCPU ? limit.rlim_cur : limit.rlim_max;
    if (bound == RLIM_INFINITY || cpu + inexact < std::chrono::seconds(bound))
        return {};
    return std::chrono::seconds(bound);
}

std::string_view view(QByteArrayView bytes)
{
    return {bytes.data(), std::size_t(bytes.size())};
}

// Values are written from where they are: no copy of them is left in this process but the memfd, which goes with Go.
UniqueFd assignmentMemory(const Assignment &assignment)
{
    launcher::AssignmentOf<std::string_view> assigned{.job = view(assignment.job)};
    for (const InnerFile &file : assignment.files)
        assigned.files.push_back({view(file.name), view(file.content)});
    for (const QByteArray &argument : assignment.arguments)
        assigned.arguments.push_back(view(argument));
    for (const SandboxSecret &secret : assignment.secrets)
        assigned.secrets.push_back({view(secret.variable), view(secret.file), view(secret.value)});
    MemoryWriter memory("glovebox-assignment");
    memory.put(assigned);
    return memory.seal();
}

std::unexpected<Error> endedEarly(int error = 0)
{
    return fail(ErrorCode::Unavailable, QT_TRANSLATE_NOOP("engine", "The sandbox ended before the code was started."),
                Text("errno %1", {QString::number(error)}));
}

} // namespace

std::unexpected<Error> noDescriptors(int error)
{
    return fail(ErrorCode::Unavailable,
                QT_TRANSLATE_NOOP(
                    "engine", "This program has too many files open to start another run. Nothing was run. Raise the "
                              "limit (ulimit -n), or end other runs."),
                Text("%1", {errnoText(error)}));
}

SealedRun::~SealedRun()
{
    if (!m_gone)
        kill();
    m_parts.spawner.reset(); // whoever hears of the end may be its last owner
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
                            {m_answering.listener().descriptor(), POLLIN, 0},
                            {m_found.watch.descriptor(), POLLIN, 0}};
        const int ready = ::poll(sources, 4, prepareTimeoutMs);
        if (ready == 0 || (ready < 0 && errno != EINTR) || sources[1].revents)
            return endedEarly();
        if (sources[2].revents) // what the interpreter tries by itself is nobody's deed
            m_answering.listener().answerProbe();
        if (sources[3].revents)
            m_found.watch.answerUntold();
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

bool SealedRun::readAgain(std::stop_token stop)
{
    const std::stop_callback wake(stop, [this] { ::shutdown(m_parts.report.get(), SHUT_RDWR); });
    if (!m_parts.spawner->send(Writer().put(Message::ReadAgain).put(m_parts.id).bytes()))
        return false;
    Packet packet;
    if (receivePacketWithin(readAgainTimeoutMs, m_parts.report.get(), packet) != 0)
        return false;
    Reader in(packet.bytes);
    Message kind{};
    in(kind, m_found.process, m_found.outside);
    return kind == Message::Placed && in.done();
}

Status SealedRun::assign(const SandboxShape &shape, const Assignment &assignment)
{
    std::vector<Finding> findings = merged(m_found.inside, m_found.outside);
    const auto told = std::ranges::find(findings, ControlId::DenialEvents, &Finding::control);
    if (told != findings.end() && told->state == Finding::State::AsPlanned) {
        const std::string covered = coveredPlaces(shape, assignment);
        told->detail = m_found.watch.descriptor() < 0
                           ? "places of secrets are not watched (" + m_found.watchProblem + ")"
                           : "places of secrets are watched" + (covered.empty() ? "" : ", but not " + covered);
    }
    if (!shape.listeners.isEmpty()) {
        Finding finding = m_found.listeners.check(shape.listeners);
        if (shape.hasEgress)
            findings.push_back(std::move(finding));
        else if (finding.state == Finding::State::Missing)
            m_found.listeners.sockets.clear(); // a run without a network can do without those for names
        m_answering.listener().leaveOut(m_found.listeners.those(shape.listeners));
    }
    m_controls = controlsFrom(findings, shape, assignment);
    // Half of what it promises isn't done, which nobody can verify.
    const auto telling = std::ranges::find(m_controls, ControlId::DenialEvents, &Control::id);
    if (telling != m_controls.end() && telling->state == Control::State::Verified && m_found.watch.descriptor() < 0)
        telling->state = Control::State::Enforced;
    RETURN_IF_ERROR(requireControls(m_controls, shape.strict));
    m_assignment = assignmentMemory(assignment);
    if (!m_assignment)
        return errno == EMFILE ? noDescriptors() : endedEarly(errno);
    resize(assignment.terminal);
    m_wall = assignment.wall;
    m_cpu = shape.limits.cpu;
    return {};
}

Status SealedRun::start()
{
    if (!m_answering.begin())
        return endedEarly(EAGAIN);
    const auto milliseconds = static_cast<std::uint64_t>(m_wall.count());
    const std::string message = Writer().put(Message::Started).put(m_parts.id).put(milliseconds).bytes();
    if (Status s = m_parts.spawner->send(message, {m_found.scratch.get()}); !s)
        return s;
    std::vector<int> descriptors{m_assignment.get()};
    if (m_parts.channel)
        descriptors.push_back(m_parts.channel.get());
    if (const int error = sendPacket(m_parts.report.get(), Writer().put(Message::Go).bytes(), descriptors))
        return endedEarly(error);
    m_assignment.reset();
    return {};
}

bool SealedRun::useVerified(Verification found)
{
    m_found = std::move(found);
    m_found.listener.count(static_cast<pid_t>(m_found.process));
    if (!m_answering.adopt(std::move(m_found.listener)))
        return false;
    if (m_found.watch.descriptor() >= 0) {
        m_events.reset(::epoll_create1(EPOLL_CLOEXEC));
        epoll_event readable{.events = EPOLLIN, .data = {}};
        for (const int source : {m_found.watch.descriptor(), m_answering.descriptor()}) {
            if (::epoll_ctl(m_events.get(), EPOLL_CTL_ADD, source, &readable) != 0)
                return false;
        }
    }
    if (!m_found.terminal)
        return true;
    const int outer = m_found.terminal.get();
    ::fcntl(outer, F_SETFL, ::fcntl(outer, F_GETFL) | O_NONBLOCK);
    m_parts.standardInput.reset(::fcntl(outer, F_DUPFD_CLOEXEC, 3));
    m_parts.standardOutput.reset(::fcntl(outer, F_DUPFD_CLOEXEC, 3));
    m_parts.standardError.reset();
    return m_parts.standardInput && m_parts.standardOutput;
}

void SealedRun::resize(const Terminal &size)
{
    const auto cells = [](int number) { return static_cast<unsigned short>(std::clamp(number, 1, 10'000)); };
    const winsize wanted{.ws_row = cells(size.rows), .ws_col = cells(size.columns), .ws_xpixel = 0, .ws_ypixel = 0};
    if (m_found.terminal)
        ::ioctl(m_found.terminal.get(), TIOCSWINSZ, &wanted);
}

int SealedRun::eventDescriptor() const
{
    return m_found.watch.descriptor() >= 0 ? m_events.get() : m_answering.descriptor();
}

QList<RunEvent> SealedRun::takeEvents(int max)
{
    constexpr int requestsOfATouch = 4; // one for each folder on the way
    QList<RunEvent> events = m_answering.take() + m_found.watch.answer(max * requestsOfATouch);
    if (const auto unseen = max == 0 ? m_answering.unseen() : std::nullopt)
        events.append(*unseen);
    return events;
}

void SealedRun::interrupt()
{
    sendPacket(m_parts.report.get(), Writer().put(Message::Interrupt).bytes(), {}, false);
}

Status SealedRun::pause()
{
    m_isPaused = false;
    if (const int error = sendPacket(m_parts.report.get(), Writer().put(Message::Pause).bytes(), {}, false))
        return endedEarly(error);
    pollfd report{m_parts.report.get(), POLLIN, 0};
    while (!takeEnd() && !m_isPaused) {
        if (::poll(&report, 1, pauseTimeoutMs) == 0)
            return endedEarly(ETIMEDOUT);
    }
    return m_gone ? endedEarly() : Status();
}

Status SealedRun::resume()
{
    m_answering.tellAnew();
    m_found.watch.tellAnew();
    const int error = sendPacket(m_parts.report.get(), Writer().put(Message::Resume).bytes(), {}, false);
    return error == 0 ? Status() : endedEarly(error);
}

void SealedRun::kill()
{
    m_killed = true;
    // A spawner that is gone has taken the run along.
    static_cast<void>(m_parts.spawner->send(Writer().put(Message::Kill).put(m_parts.id).bytes()));
    // A spawner that hangs doesn't read Kill: PID 1 ends at this end of file.
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
            m_end.lost = Text(QT_TRANSLATE_NOOP("engine", "Glovebox's launcher ended in the middle of the run, "
                                                          "and the run with it. Run it again if you wish."));
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
        m_found.setupCpu += std::chrono::microseconds(cpu);
        m_isAssigned = true;
    } else if (kind == Message::Paused) {
        m_isPaused = true;
    } else if (kind == Message::MainExited) {
        MainExit exit;
        in.get(exit);
        m_status = exit.waitStatus;
        m_mainCpu = std::chrono::microseconds(exit.cpuMicroseconds);
        m_end.usage.processes = exit.tasks;
        m_end.hadAllProcesses = exit.hadAllTasks != 0;
    } else if (kind == Message::SetupError) {
        SetupError failure;
        in.get(failure);
        m_end.notStarted = explainSetupError(failure).message;
    } else if (kind == Message::Gone) {
        takeGone(in);
    }
}

void SealedRun::takeGone(Reader &in)
{
    End end;
    in.get(end);
    const auto &[cause, initStatus, spent] = end;
    m_gone = true;
    m_end.atDeadline = cause == Cause::Deadline;
    m_end.cpuExhausted = cause == Cause::CpuTime;
    m_end.memoryAlone = cause == Cause::ProcessMemory;
    m_end.outOfMemory = cause == Cause::Memory || m_end.memoryAlone;
    m_end.diskFull = isDiskFull();
    m_end.refusedProcesses = static_cast<qint64>(spent.refusedForks.value_or(0));
    m_end.hadAllProcesses = spent.counted == LeafKind::None && (spent.hadAllTasks != 0 || m_end.hadAllProcesses);
    Usage &usage = m_end.usage;
    // The kernel gives a number before it refuses (copy_process).
    if (usage.processes && m_end.refusedProcesses > 0)
        usage.processes = std::max<qint64>(*usage.processes - m_end.refusedProcesses, 1);
    if (spent.cpuMicroseconds)
        usage.cpu = std::chrono::microseconds(*spent.cpuMicroseconds);
    if (usage.cpu && spent.counted == LeafKind::None)
        usage.cpu = std::max(*usage.cpu - m_found.setupCpu, std::chrono::microseconds(0));
    usage.peakMemoryBytes = spent.peakMemory;
    usage.source = spent.counted == LeafKind::Cgroup2   ? UsageSource::Cgroup2
                   : spent.counted == LeafKind::Cgroup1 ? UsageSource::Cgroup1
                   : spent.watched                      ? UsageSource::Watchdog
                                                        : UsageSource::Rusage;
    if (m_status && WIFEXITED(*m_status)) {
        m_end.exitCode = WEXITSTATUS(*m_status);
    } else if (m_status && WIFSIGNALED(*m_status)) {
        m_end.signal = WTERMSIG(*m_status);
        if (cause != Cause::Itself)
            return;
        const auto inherited = usedUpInherited(*m_end.signal, m_mainCpu);
        if (inherited && (!m_cpu || *inherited < *m_cpu))
            m_end.inheritedCpu = inherited;
        // The limit of one process; a second later it would be SIGKILL, but all of them together have used it up long before.
        m_end.cpuExhausted = m_end.inheritedCpu || (m_cpu && *m_end.signal == SIGXCPU);
    } else if (m_end.notStarted.isEmpty()) {
        // PID 1 was killed, and everything with it. Nobody inside can do that.
        const bool byItself =
            WIFEXITED(initStatus) && WEXITSTATUS(initStatus) < 128; // bwrap tells a signal by its status
        const bool fromOutside = !m_killed && cause == Cause::Itself && !byItself;
        if (fromOutside && !m_isAssigned) {
            m_end.notStarted = endedEarly().error().message;
            return;
        }
        m_end.killedFromOutside = fromOutside;
        m_end.signal = WIFSIGNALED(initStatus) ? WTERMSIG(initStatus) : SIGKILL;
    }
}

// tmpfs gives out its last page and its last inode before it says ENOSPC.
bool SealedRun::isDiskFull() const
{
    struct statfs files = {};
    return m_found.scratch && ::fstatfs(m_found.scratch.get(), &files) == 0
           && (files.f_bfree == 0 || files.f_ffree == 0);
}

} // namespace glovebox::native
