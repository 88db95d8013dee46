// SPDX-License-Identifier: Apache-2.0
#include "spawner.h"

#include "blank.h"
#include "bubblewrap.h"
#include "engine/launcher/packet.h"
#include "engine/launcher/protocol.h"
#include "limits/account.h"
#include "limits/leafstock.h"
#include "limits/watchdog.h"
#include "preparation.h"
#include "tracer.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <malloc.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <list>
#include <optional>

using namespace glovebox;
using namespace glovebox::launcher;

namespace {

constexpr int controlSocket = 3;
constexpr std::size_t maximumRuns = 1024;
constexpr std::size_t descriptorsOfARun =
    12; // with its leaf in four hierarchies, under bwrap, and the leaf that is swept after it
constexpr std::size_t ownDescriptors = 64;
using SteadyClock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto endPatience = 1s; // for killed runs to be gone
constexpr auto sweepInterval = 5ms; // the kernel needs a moment to see that a leaf is empty

struct Launch
{
    std::uint64_t id = 0;
    pid_t pid = -1;
    UniqueFd process; // pidfd of PID 1; with bwrap, of bwrap, which ends when PID 1 does
    // With bwrap only: PID 1, known from Started on, and what bwrap said.
    pid_t inner = -1;
    UniqueFd innerProcess;
    UniqueFd messages;
    UniqueFd report;
    Cause cause = Cause::Itself;
    std::optional<SteadyClock::time_point> deadline;
    LeafLimits limits; // as planned
    Account account; // of what it uses up together with everything that it starts

    pid_t init() const { return messages ? inner : pid; }
};

MemoryBounds memoryBounds(const Plan &plan)
{
    return {.processes = plan.processMemory, .together = plan.treeMemory};
}

UniqueFd openProcess(pid_t pid)
{
    return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

int millisecondsUntil(SteadyClock::time_point time)
{
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(time - SteadyClock::now()).count();
    return static_cast<int>(std::max<long long>(left, 0));
}

// bwrap starts nothing but PID 1.
void findInner(Launch &launch)
{
    const std::vector<pid_t> children = childrenOf(launch.pid);
    if (children.size() != 1)
        return;
    launch.inner = children.front();
    launch.innerProcess = openProcess(launch.inner);
    if (childrenOf(launch.pid) != children) // another process may have got its number
        launch.innerProcess.reset();
}

// bwrap ends when its PID 1 does. The other way round PID 1 may not know yet that it is to die with bwrap, and wait for it for
// ever.
void killRun(Launch &launch)
{
    if (launch.messages && !launch.innerProcess)
        findInner(launch);
    const UniqueFd &target = launch.innerProcess ? launch.innerProcess : launch.process;
    ::syscall(SYS_pidfd_send_signal, target.get(), SIGKILL, nullptr, 0);
}

// The first reason stays.
void endRun(Launch &launch, Cause cause)
{
    if (launch.cause == Cause::Itself)
        launch.cause = cause;
    killRun(launch);
}

void sendFrom(const Launch &launch, const Writer &message)
{
    sendPacket(launch.report.get(), message.bytes(), {}, false);
}

class Spawner
{
public:
    // descriptors: how many there may be.
    Spawner(std::size_t descriptors, UniqueFd initProgram, unsigned uid, unsigned gid)
        : m_maximumRuns(std::clamp<std::size_t>(
              (descriptors - std::min(descriptors, ownDescriptors)) / descriptorsOfARun, 1, maximumRuns))
        , m_initProgram(std::move(initProgram))
        , m_uid(uid)
        , m_gid(gid)
    {
    }

    int serve()
    {
        for (;;) {
            std::vector<pollfd> sources{{controlSocket, POLLIN, 0}, {m_tracer.descriptor(), POLLIN, 0}};
            for (const Launch &launch : m_launches) {
                sources.push_back({launch.process.get(), POLLIN, 0});
                sources.push_back({launch.account.outOfMemory(), POLLIN, 0}); // negative ones are passed over
            }
            if (::poll(sources.data(), sources.size(), untilNextTime()) < 0 && errno != EINTR)
                return 1;
            keepTime();
            if (sources[1].revents)
                m_tracer.follow();
            std::size_t i = 2;
            for (auto launch = m_launches.begin(); launch != m_launches.end(); i += 2) {
                if (sources[i + 1].revents && launch->account.takeOutOfMemory())
                    endRun(*launch, Cause::Memory);
                launch = sources[i].revents ? reap(launch) : std::next(launch);
            }
            m_leaves.sweep();
            if (sources[0].revents && !handleControl())
                return end();
        }
    }

private:
    int untilNextTime() const
    {
        std::optional<SteadyClock::time_point> next;
        const auto consider = [&next](const std::optional<SteadyClock::time_point> &time) {
            if (time && (!next || *time < *next))
                next = time;
        };
        for (const Launch &launch : m_launches) {
            consider(launch.deadline);
            consider(launch.account.nextLook());
        }
        if (m_leaves.isSweeping())
            consider(SteadyClock::now() + sweepInterval);
        return next ? millisecondsUntil(*next) : -1;
    }

    void keepTime()
    {
        const auto now = SteadyClock::now();
        for (Launch &launch : m_launches) {
            if (launch.deadline && now >= *launch.deadline) {
                launch.deadline.reset();
                endRun(launch, Cause::Deadline);
            }
            if (const Cause cause = launch.account.look(launch.init(), now); cause != Cause::Itself)
                endRun(launch, cause);
        }
    }

    void started(Launch &launch, std::uint64_t milliseconds, std::vector<UniqueFd> &descriptors)
    {
        if (launch.messages)
            findInner(launch);
        launch.deadline = SteadyClock::now() + std::chrono::milliseconds(milliseconds);
        launch.account.start(launch.init(), descriptors.empty() ? UniqueFd() : std::move(descriptors.front()));
    }

    std::list<Launch>::iterator reap(std::list<Launch>::iterator launch)
    {
        int status = 0;
        rusage used{};
        if (::wait4(launch->pid, &status, WNOHANG, &used) != launch->pid)
            return std::next(launch);
        m_tracer.forget(launch->pid);
        if (launch->messages && adoptOrphan(*launch))
            return std::next(launch);
        const Account::Total total = launch->account.close(status, used);
        if (launch->cause == Cause::Itself && total.ranOutOfMemory)
            launch->cause = Cause::Memory;
        const Writer gone = Writer().put(Message::Gone).put(End{launch->cause, status, total.spent});
        sendFrom(*launch, gone);
        m_leaves.giveBack(launch->account.takeLeaf());
        makeAhead();
        return m_launches.erase(launch);
    }

    // The engine is gone. PR_SET_PDEATHSIG would take the runs along, but for one that bwrap is just making, and nobody would
    // remove their leaves.
    int end()
    {
        for (Launch &launch : m_launches)
            killRun(launch);
        m_blank.discard(m_leaves);
        for (Launch &launch : m_launches) {
            pollfd sources[] = {{launch.process.get(), POLLIN, 0}, {m_tracer.descriptor(), POLLIN, 0}};
            const auto deadline = SteadyClock::now() + endPatience;
            while (::poll(sources, 2, millisecondsUntil(deadline)) > 0 && !sources[0].revents)
                m_tracer.follow();
            ::waitpid(launch.pid, nullptr, WNOHANG);
            m_leaves.giveBack(launch.account.takeLeaf());
        }
        m_leaves.clear();
        return 0;
    }

    // Somebody ended bwrap alone. Its PID 1, now a child of ours (PR_SET_CHILD_SUBREAPER), dies as well, but is not gone yet,
    // and one that bwrap had not yet told to die with it waits for bwrap for ever.
    bool adoptOrphan(Launch &launch)
    {
        sayWhatBubblewrapSaid(launch);
        launch.messages.reset();
        pid_t orphan = -1;
        for (pid_t child : childrenOf(::getpid())) {
            const bool known = child == m_blank.pid() || std::ranges::any_of(m_launches, [child](const Launch &l) {
                                   return l.pid == child || l.inner == child;
                               });
            if (child == launch.inner || (!known && launch.inner < 0))
                orphan = child;
        }
        if (orphan < 0)
            return false;
        m_tracer.forget(orphan);
        launch.pid = orphan;
        launch.process = openProcess(orphan);
        launch.innerProcess.reset();
        killRun(launch);
        return true;
    }

    // Its last words say why it could not build the sandbox. After Started they are about something else.
    static void sayWhatBubblewrapSaid(const Launch &launch)
    {
        char text[512];
        const ssize_t size = ::pread(launch.messages.get(), text, sizeof text, 0);
        if (size <= 0 || launch.inner >= 0)
            return;
        const std::string_view said(text, static_cast<std::size_t>(size));
        const SetupError failure{Stage::Bubblewrap, 0, std::string(said.substr(0, said.find('\n')))};
        sendFrom(launch, Writer().put(Message::SetupError).put(failure));
    }

    Launch *find(std::uint64_t id)
    {
        for (Launch &launch : m_launches) {
            if (launch.id == id)
                return &launch;
        }
        return nullptr;
    }

    bool handleControl()
    {
        Packet packet;
        const int error = receivePacket(controlSocket, packet, false);
        if (error == EAGAIN)
            return true;
        // EMSGSIZE: the machine had no room for its descriptors. A launch without them ends its report socket; the time of a run
        // that is started runs all the same.
        if ((error != 0 && error != EMSGSIZE) || packet.bytes.empty())
            return false;
        Reader in(packet.bytes);
        Message kind{};
        std::uint64_t id = 0;
        in(kind, id);
        if (kind == Message::Leaves) {
            const std::string problem = m_launches.empty() ? useLeaves(packet) : "there are runs";
            sendPacket(controlSocket, Writer().put(Message::LeavesTried).put(problem).bytes());
        } else if (kind == Message::MakeAhead) {
            m_makesAhead = true;
            makeAhead();
            m_makesAhead = id != 0;
        } else if (kind == Message::Launch) {
            launch(id, packet.descriptors);
        } else if (Launch *found = find(id)) {
            std::uint64_t milliseconds = 0;
            in.get(milliseconds);
            if (kind == Message::ReadAgain)
                sayPlaced(*found);
            else if (kind == Message::Started && in.ok())
                started(*found, milliseconds, packet.descriptors);
            else if (kind == Message::Kill)
                killRun(*found);
        }
        return true;
    }

    void launch(std::uint64_t id, std::vector<UniqueFd> &descriptors)
    {
        if (descriptors.size() < ChannelFd)
            return;
        Plan plan;
        std::string bytes;
        SetupError failure;
        const int error = readSealedMemory(descriptors[PlanFd].get(), bytes);
        Launch launch;
        launch.id = id;
        if (error != 0 || !plan.decode(bytes)) {
            failure = {Stage::Plan, error, {}};
        } else if (m_launches.size() >= m_maximumRuns) {
            failure = {Stage::TooManyRuns, m_maximumRuns < maximumRuns ? EMFILE : EAGAIN, {}};
        } else {
            launch.limits = {.memory = plan.treeMemory, .processes = plan.treeProcesses, .cpuPercent = plan.cpuPercent};
            const bool direct = plan.builder == Builder::Direct;
            failure = direct ? launchDirectly(plan, descriptors, launch) : launchBubblewrap(plan, descriptors, launch);
        }
        launch.report = std::move(descriptors[ReportFd]);
        if (failure) {
            sendFrom(launch, Writer().put(Message::SetupError).put(failure));
            return;
        }
        sayPlaced(m_launches.emplace_back(std::move(launch)));
    }

    SetupError launchDirectly(const Plan &plan, const std::vector<UniqueFd> &descriptors, Launch &launch)
    {
        if (m_blank && m_blank.leafKind() != plan.leaf)
            m_blank.discard(m_leaves);
        SetupError failure;
        // Twice, should somebody have killed the one that waited.
        for (int i = 0; i < 2; ++i) {
            if (!m_blank)
                failure = makeBlank(plan.leaf);
            if (failure)
                return failure;
            failure = m_blank.begin(launch.limits, descriptors);
            if (!failure)
                break;
            m_blank.discard(m_leaves);
        }
        if (!failure) {
            launch.pid = m_blank.pid();
            launch.process = m_blank.takeProcess();
            launch.account = Account(m_blank.takeLeaf(), memoryBounds(plan), plan.treeCpu, plan.processes);
            m_blank = Blank();
        }
        return failure;
    }

    // errno says why not.
    bool sealInit()
    {
        if (!m_sealedInit)
            m_sealedInit = sealedCopy(m_initProgram.get());
        return bool(m_sealedInit);
    }

    // PID 1 keeps the memory that it got from here, which is of the host's user namespace, and once it is undumpable nobody of
    // its user may trace it. So where only those are shown who may be traced, a program of the run's user namespace takes over:
    // else nobody could count what the run uses.
    SetupError makeBlank(LeafKind kind)
    {
        if (m_isProcHidden && !sealInit())
            return {Stage::Descriptors, errno, "memfd"};
        return m_blank.make(kind, m_leaves, m_isProcHidden ? m_sealedInit.get() : -1, m_uid, m_gid);
    }

    // The trial is the next run's process.
    std::string useLeaves(Packet &packet)
    {
        m_blank.discard(m_leaves);
        std::string problem = m_leaves.use(packet);
        if (!problem.empty())
            return problem;
        if (!makeBlank(m_leaves.kind()))
            return {};
        m_blank = Blank(); // bwrap may have namespaces where we have none
        return m_leaves.tryEntering();
    }

    // For the next run, when this one has what it needs.
    void makeAhead()
    {
        if (m_makesAhead && !m_blank)
            makeBlank(m_leaves.kind());
    }

    SetupError launchBubblewrap(const Plan &plan, const std::vector<UniqueFd> &descriptors, Launch &launch)
    {
        m_makesAhead = false; // bwrap makes its own
        m_blank.discard(m_leaves);
        Gate gate;
        if (sealInit() && gate.make())
            launch.messages.reset(::memfd_create("glovebox-bwrap", MFD_CLOEXEC));
        if (!launch.messages)
            return {Stage::Descriptors, errno, "memfd"};
        Leaf leaf;
        if (plan.leaf != LeafKind::None) {
            std::string problem = m_leaves.take(plan.leaf, leaf);
            if (problem.empty())
                problem = leaf.bound(launch.limits);
            if (!problem.empty()) {
                m_leaves.forked(leaf);
                m_leaves.giveBack(leaf.take());
                return {Stage::Leaf, 0, problem};
            }
        }
        const pid_t pid = leaf.kind() == LeafKind::Cgroup2 ? cloneInto(0, leaf, launch.process) : ::fork();
        const int error = errno;
        if (pid == 0) {
            gate.wait();
            execBubblewrap(plan, descriptors, m_sealedInit.get(), launch.messages.get());
        }
        m_leaves.forked(leaf);
        if (pid < 0) {
            m_leaves.giveBack(leaf.take());
            return {Stage::Fork, error, {}};
        }
        if (!launch.process)
            launch.process = openProcess(pid); // nobody else reaps it: the number is its own
        if (!launch.process) { // its end would never be seen
            const int refused = errno;
            ::kill(pid, SIGKILL);
            ::waitpid(pid, nullptr, 0);
            m_leaves.giveBack(leaf.take());
            return {Stage::Descriptors, refused, "pidfd"};
        }
        m_tracer.trace(pid);
        gate.open();
        launch.pid = pid;
        launch.account = Account(leaf.take(), memoryBounds(plan), plan.treeCpu, plan.processes);
        m_leaves.refill();
        return {};
    }

    static void sayPlaced(const Launch &launch)
    {
        sendFrom(launch, Writer()
                             .put(Message::Placed)
                             .put(static_cast<std::uint64_t>(launch.pid))
                             .put(launch.account.readBack(launch.pid, launch.limits)));
    }

    const std::size_t m_maximumRuns;
    const bool m_isProcHidden = isProcHidden();
    LeafStock m_leaves;
    Blank m_blank;
    Tracer m_tracer;
    bool m_makesAhead = false;
    UniqueFd m_initProgram;
    UniqueFd m_sealedInit; // of it; invalid until it is to be started
    unsigned m_uid;
    unsigned m_gid;
    std::list<Launch> m_launches;
};

} // namespace

int glovebox::launcher::beSpawner()
{
    // A run's child grows the heap that it has from here: neither in small steps, nor giving back what it soon takes again.
    ::mallopt(M_TOP_PAD, 512 * 1024);
    ::mallopt(M_TRIM_THRESHOLD, 4 * 1024 * 1024);
    ::dup2(STDOUT_FILENO, STDERR_FILENO); // which was the loader's, for the engine
    // What the person typed at the engine's terminal is the engine's; a hang-up reaches it by the control socket.
    for (int number : {SIGINT, SIGTSTP, SIGQUIT, SIGHUP, SIGPIPE, SIGTTIN, SIGTTOU, SIGXFSZ})
        ::signal(number, SIG_IGN);
    ::syscall(SYS_close_range, controlSocket + 1, ~0U, 0);
    ::fcntl(controlSocket, F_SETFD, FD_CLOEXEC);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); // see adoptOrphan
    const rlimit noCore{1, 1};
    ::setrlimit(RLIMIT_CORE, &noCore);

    const std::size_t descriptors = raiseDescriptorLimit(); // runs get their own (init/seal.cpp)
    UniqueFd init = prepare(controlSocket);
    return init ? Spawner(descriptors, std::move(init), ::geteuid(), ::getegid()).serve() : 1;
}
