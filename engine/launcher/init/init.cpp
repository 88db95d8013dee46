// SPDX-License-Identifier: Apache-2.0
#include "init.h"

#include "engine/launcher/egress/listeners.h"
#include "engine/launcher/landlock.h"
#include "engine/launcher/packet.h"
#include "engine/launcher/protocol.h"
#include "mountcheck.h"
#include "readback.h"
#include "seal.h"
#include "standstill.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace glovebox::launcher {

namespace {

void report(const Writer &message)
{
    if (sendPacket(initReportFd, message.bytes()) != 0)
        ::_exit(1); // nobody listens any more
}

void handOver(Message kind, const std::vector<int> &descriptors)
{
    if (sendPacket(initReportFd, Writer().put(kind).bytes(), descriptors) != 0)
        ::_exit(1);
}

[[noreturn]] void reportAndEnd(Stage stage, const std::string &subject, int error = 0)
{
    report(Writer().put(Message::SetupError).put(SetupError{stage, error, subject}));
    ::_exit(1);
}

std::vector<char *> pointers(std::vector<std::string> &strings)
{
    std::vector<char *> list;
    list.reserve(strings.size() + 1);
    for (std::string &text : strings)
        list.push_back(text.data());
    list.push_back(nullptr);
    return list;
}

void requireSealing(Stage stage, const std::string &problem)
{
    if (!problem.empty())
        reportAndEnd(stage, problem);
}

// bwrap had standard descriptors of its own.
void takeStandardDescriptors()
{
    for (int fd : {0, 1, 2}) {
        if (::dup2(initStandardFds + fd, fd) < 0)
            reportAndEnd(Stage::Descriptors, "standard", errno);
    }
}

std::uint64_t cpuMicroseconds()
{
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto micro = [](const timeval &t) { return static_cast<std::uint64_t>(t.tv_sec) * 1000000 + t.tv_usec; };
    return micro(used.ru_utime) + micro(used.ru_stime);
}

// Processes and threads that were ever started in this namespace: the last pid that was given out (proc(5), loadavg).
std::optional<std::uint64_t> startedTasks()
{
    char text[128] = {};
    const UniqueFd fd(::open("/proc/loadavg", O_RDONLY | O_CLOEXEC));
    if (!fd || ::read(fd.get(), text, sizeof text - 1) <= 0)
        return std::nullopt;
    const char *field = std::strrchr(text, ' ');
    const unsigned long last = field ? std::strtoul(field, nullptr, 10) : 0;
    if (last == 0)
        return std::nullopt;
    return last - 1; // init itself is not the run's
}

// Processor time of a process of this namespace, all its threads together.
std::uint64_t cpuMicroseconds(pid_t pid)
{
    clockid_t clock{};
    timespec used{};
    if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &used) != 0)
        return 0;
    return static_cast<std::uint64_t>(used.tv_sec) * 1000000 + used.tv_nsec / 1000;
}

// Of the network namespace, never used again while the machine is up (SO_NETNS_COOKIE, Linux 5.14); 0: unknown.
std::uint64_t networkCookie()
{
    const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    std::uint64_t cookie = 0;
    socklen_t size = sizeof cookie;
    return ::getsockopt(socket.get(), SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &size) == 0 ? cookie : 0;
}

bool isOneComponent(const std::string &name)
{
    return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

void writeFiles(const Assignment &assignment)
{
    for (const AssignedFile &file : assignment.files) {
        if (!isOneComponent(file.name))
            reportAndEnd(Stage::File, file.name, EINVAL);
        const UniqueFd fd(::open(file.name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
        if (!fd || !writeWhole(fd.get(), file.content))
            reportAndEnd(Stage::File, file.name, errno);
    }
}

// The run's own user may read them and nobody may write them; that is read back.
void writeSecretFiles(const Assignment &assignment)
{
    for (const AssignedSecret &secret : assignment.secrets) {
        if (!secret.variable.empty())
            continue;
        if (!isOneComponent(secret.file))
            reportAndEnd(Stage::Secret, secret.file, EINVAL);
        const std::string path = "/run/secrets/" + secret.file;
        const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0400));
        struct stat info = {};
        if (!fd || !writeWhole(fd.get(), secret.value) || ::fstat(fd.get(), &info) < 0)
            reportAndEnd(Stage::Secret, secret.file, errno);
        if ((info.st_mode & 07777) != 0400 || info.st_size != static_cast<off_t>(secret.value.size()))
            reportAndEnd(Stage::Secret, secret.file, EPERM);
    }
}

// What nobody needs any more is not left to be found.
void wipe(std::string &text)
{
    ::explicit_bzero(text.data(), text.size());
}

// The job goes through the socket that the program reads; it may be larger than what the socket holds at once. A program that
// ended without reading it is found by its status.
void handOverJob(int channel, std::string_view job)
{
    while (!job.empty()) {
        const ssize_t n = ::send(channel, job.data(), job.size(), MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            return;
        if (n > 0)
            job.remove_prefix(static_cast<std::size_t>(n));
    }
}

// The run's own terminal, in its own devpts: no descriptor of a terminal of the host's is ever inside. The returned inner side
// stays open here, so that the outer one isn't hung up before the run's end.
UniqueFd openTerminal(std::string &name)
{
    const UniqueFd outer(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    char path[32] = {};
    if (!outer || ::unlockpt(outer.get()) != 0 || ::ptsname_r(outer.get(), path, sizeof path) != 0)
        reportAndEnd(Stage::Terminal, "pseudo terminal", errno);
    name = path;
    UniqueFd inner(::open(path, O_RDWR | O_NOCTTY | O_CLOEXEC));
    termios mode{};
    if (!inner || ::tcgetattr(inner.get(), &mode) != 0)
        reportAndEnd(Stage::Terminal, path, errno);
    // Lines end as in a pipe: whoever shows them adds what their place needs.
    mode.c_oflag &= ~static_cast<tcflag_t>(OPOST);
    mode.c_iflag |= IUTF8;
    if (::tcsetattr(inner.get(), TCSANOW, &mode) != 0)
        reportAndEnd(Stage::Terminal, path, errno);
    handOver(Message::Terminal, {outer.get()});
    return inner;
}

// What the engine reads in the end, wherever the run moves them.
void handOverFolders(const Plan &plan)
{
    std::vector<UniqueFd> folders;
    for (const char *own : {"/work", "/run/home"})
        folders.emplace_back(::open(own, O_PATH | O_CLOEXEC));
    for (const MountStep &step : plan.steps) {
        if (step.use == MountStep::Use::Copy)
            folders.emplace_back(::open(step.target.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    }
    handOver(Message::Folders, numbers(folders)); // ends where one couldn't be opened
}

// A session of its own, hence a process group of its own, for Interrupt. terminal: the program's streams, and by being opened
// the session's controlling terminal (open(2), O_NOCTTY); empty: it has the streams of this process. Returns an errno.
int spawn(const std::vector<char *> &argv, const std::vector<char *> &environment, const std::string &terminal,
          pid_t &pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    if (!terminal.empty()) {
        ::posix_spawn_file_actions_addopen(&actions, 0, terminal.c_str(), O_RDWR, 0);
        ::posix_spawn_file_actions_adddup2(&actions, 0, 1);
        ::posix_spawn_file_actions_adddup2(&actions, 0, 2);
    }
    sigset_t none;
    sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
    const int error = ::posix_spawn(&pid, argv.front(), &actions, &attributes, argv.data(), environment.data());
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    return error;
}

// What a run sees of it in a list of processes: no path of the host's, where it began as the spawner.
void nameItself()
{
    constexpr char name[] = "glovebox-init";
    ::prctl(PR_SET_NAME, name, 0, 0, 0);
    char *shown = program_invocation_name; // argv[0]
    const std::size_t length = std::strlen(shown);
    std::memset(shown, 0, length);
    std::memcpy(shown, name, std::min(length, sizeof name - 1));
}

// PID 1's life after its report: gets the run's own things, starts the program, reaps, passes Ctrl+C on, and ends with the
// program or the engine.
class Keeper
{
public:
    Keeper(Plan plan, std::string limitsProblem, std::string terminal)
        : m_plan(std::move(plan))
        , m_limitsProblem(std::move(limitsProblem))
        , m_terminal(std::move(terminal))
    {
    }

    [[noreturn]] void keep()
    {
        sigset_t child;
        sigemptyset(&child);
        sigaddset(&child, SIGCHLD);
        ::sigprocmask(SIG_BLOCK, &child, nullptr);
        m_childSignals.reset(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
        if (!m_childSignals)
            reportAndEnd(Stage::Signalfd, "SIGCHLD", errno);
        for (;;) {
            pollfd sources[] = {{initReportFd, POLLIN, 0}, {m_childSignals.get(), POLLIN, 0}};
            if (::poll(sources, 2, -1) < 0 && errno != EINTR)
                ::_exit(1);
            if (sources[1].revents)
                reap();
            if (sources[0].revents)
                obey();
        }
    }

private:
    void reap()
    {
        signalfd_siginfo info;
        while (::read(m_childSignals.get(), &info, sizeof info) > 0) { }
        int status = 0;
        pid_t pid = 0;
        bool hasEnded = false;
        const std::uint64_t used = cpuMicroseconds(m_program); // until it is waited for
        const std::optional<std::uint64_t> started = startedTasks();
        m_hadAllTasks = m_hadAllTasks || hasAllTasks(started);
        while ((pid = ::waitpid(-1, &status, WNOHANG)) > 0) {
            if (pid == m_program) {
                report(Writer()
                           .put(Message::MainExited)
                           .put(MainExit{status, started, used, std::uint8_t(m_hadAllTasks)}));
                hasEnded = true;
            }
        }
        if (hasEnded)
            ::_exit(pid == 0 ? leftOthers : 0);
    }

    // As long as those that ended are not waited for. Most runs never start as many.
    bool hasAllTasks(const std::optional<std::uint64_t> &started) const
    {
        const std::uint64_t most = m_plan.processes;
        return most != 0 && started && *started + 1 >= most && countTasks() >= most;
    }

    void obey()
    {
        Packet packet;
        if (receivePacket(initReportFd, packet, false) != 0 || packet.bytes.empty())
            ::_exit(0); // the engine went away or changed its mind
        Message kind{};
        Reader(packet.bytes).get(kind);
        if (kind == Message::Interrupt && m_assigned)
            ::kill(-m_program, SIGINT);
        else if (kind == Message::Pause && m_assigned)
            pause();
        else if (kind == Message::Resume && m_assigned)
            resume();
        else if (kind == Message::Prepare && m_program < 0)
            prepare();
        else if (kind == Message::Go && !m_assigned)
            assign(packet.descriptors);
        else if (kind != Message::Interrupt)
            reportAndEnd(Stage::Go, "unexpected message");
    }

    void pause()
    {
        if (m_still && !isStillHeld())
            ::_exit(1);
        if (!m_still)
            m_still = stopAll([this] { reap(); });
        if (!m_still)
            ::_exit(1); // with everything that would run on
        report(Writer().put(Message::Paused));
    }

    void resume()
    {
        if (!isStillHeld())
            reportAndEnd(Stage::Standstill, "processor time was used");
        m_still.reset();
        ::kill(-1, SIGCONT);
    }

    // A timer may have sent a SIGCONT since.
    bool isStillHeld() const
    {
        const auto now = lookAtAll();
        return m_still && now && now->mark == m_still->mark;
    }

    void prepare()
    {
        m_limits = Writer().put(readBackLimits(m_plan, m_limitsProblem)).bytes();
        startProgram({});
    }

    void assign(const std::vector<UniqueFd> &descriptors)
    {
        m_assigned = true;
        std::string bytes;
        if (descriptors.size() != (m_plan.hasChannel ? 2U : 1U))
            reportAndEnd(Stage::Go, "descriptors");
        if (const int error = readSealedMemory(descriptors.front().get(), bytes))
            reportAndEnd(Stage::Assignment, "read", error);
        Assignment assignment;
        if (!assignment.decode(bytes))
            reportAndEnd(Stage::Assignment, "decode");
        if (m_program > 0) {
            // What was verified when it was built must still hold now that it is used.
            if (m_limits != Writer().put(readBackLimits(m_plan, m_limitsProblem)).bytes())
                reportAndEnd(Stage::Limits, "changed while the sandbox waited");
        }
        report(Writer().put(Message::Assigned).put(m_program > 0 ? cpuMicroseconds(m_program) : std::uint64_t(0)));
        writeFiles(assignment);
        writeSecretFiles(assignment);
        std::vector<std::string> variables = variablesOf(assignment);
        if (m_program < 0) {
            m_plan.argv.insert(m_plan.argv.end(), assignment.arguments.begin(), assignment.arguments.end());
            startProgram(m_plan.hasChannel ? std::vector<std::string>() : variables);
        }
        if (m_plan.hasChannel) {
            handOverJob(descriptors[1].get(), assignment.job);
            if (!variables.empty())
                handOverVariables(descriptors[1].get(), variables);
        }
        wipe(bytes);
        for (std::string &variable : variables)
            wipe(variable);
        for (AssignedSecret &secret : assignment.secrets)
            wipe(secret.value);
    }

    // NAME=value
    static std::vector<std::string> variablesOf(const Assignment &assignment)
    {
        std::vector<std::string> variables;
        for (const AssignedSecret &secret : assignment.secrets) {
            if (secret.variable.empty())
                continue;
            std::string text;
            text.reserve(secret.variable.size() + 1 + secret.value.size()); // else a copy is left behind
            variables.push_back(std::move(text.append(secret.variable).append("=").append(secret.value)));
        }
        return variables;
    }

    // The second frame that a driver reads (engine/languages/job.h).
    static void handOverVariables(int channel, const std::vector<std::string> &variables)
    {
        std::uint32_t length = 0;
        for (const std::string &variable : variables)
            length += static_cast<std::uint32_t>(variable.size() + 1);
        handOverJob(channel, Writer().put(length).bytes());
        for (const std::string &variable : variables)
            handOverJob(channel, {variable.c_str(), variable.size() + 1});
    }

    // variables: NAME=value, instead of what the plan has of these names.
    void startProgram(std::vector<std::string> variables)
    {
        std::erase_if(m_plan.environment, [&](const std::string &planned) {
            return std::ranges::any_of(variables, [&](const std::string &variable) {
                return planned.starts_with(std::string_view(variable).substr(0, variable.find('=') + 1));
            });
        });
        std::vector<char *> argv = pointers(m_plan.argv);
        std::vector<char *> environment = pointers(m_plan.environment);
        for (std::string &variable : variables)
            environment.insert(environment.end() - 1, variable.data());
        if (const int error = spawn(argv, environment, m_terminal, m_program))
            reportAndEnd(error == EAGAIN ? Stage::Fork : Stage::Exec, m_plan.argv.front(), error);
        for (std::string &variable : variables)
            wipe(variable);
        if (m_plan.hasChannel)
            ::close(initChannelFd); // so that handOverJob() notices when the program is gone
    }

    Plan m_plan;
    const std::string m_limitsProblem;
    const std::string m_terminal; // name of the inner side; empty: the program's streams are pipes
    std::string m_limits; // as they were read back when the program was prepared
    UniqueFd m_childSignals;
    pid_t m_program = -1;
    bool m_assigned = false;
    bool m_hadAllTasks = false; // processes and threads that it may have at once
    std::optional<Look> m_still; // when everything was found stopped; until Resume
};

} // namespace

void beInit(Plan plan, int inheritedFilters)
{
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    nameItself();
    ::fcntl(initReportFd, F_SETFD, FD_CLOEXEC);
    ::setsid();
    if (plan.argv.empty())
        reportAndEnd(Stage::Plan, "decode");
    if (plan.builder == Builder::Bubblewrap)
        takeStandardDescriptors();
    ::syscall(SYS_close_range, initReportFd + 1, ~0U, 0);
    if (!plan.hasChannel)
        ::close(initChannelFd);

    SealFacts facts;
    // The direct builder opened all of them, when it still had the privilege.
    if (plan.builder == Builder::Bubblewrap) {
        requireSealing(Stage::Listeners, openListeners(plan, false, initReportFd));
        requireSealing(Stage::Listeners, openConnectors(plan, initReportFd));
        requireSealing(Stage::Capabilities, leavePrivileges());
    }
    facts.limitsProblem = applyLimits(plan);
    requireSealing(Stage::Seal, becomeUntouchable());
    requireSealing(Stage::Keyring, leaveKeyring());
    facts.nestedError = tryNestedUserNamespace();
    requireSealing(Stage::Landlock, applyLandlock(plan.rules, Missing::Fail, facts.landlockAbi));
    facts.inheritedFilters = inheritedFilters;
    UniqueFd listener;
    requireSealing(Stage::Seccomp, applyFirstFilters(plan, listener));
    facts.reports = bool(listener);
    if (facts.reports)
        handOver(Message::Listener, {listener.get()});
    listener.reset(); // nothing inside may answer for itself
    std::string terminalName;
    UniqueFd terminal;
    if (plan.hasTerminal)
        terminal = openTerminal(terminalName);
    handOverFolders(plan);
    requireSealing(Stage::Seccomp, applyLastFilters(facts.reports));
    report(Writer()
               .put(Message::Verified)
               .put(Verdict{cpuMicroseconds(), networkCookie(), readBack(plan, facts), std::uint8_t(isWatched(plan))}));

    Keeper(std::move(plan), std::move(facts.limitsProblem), std::move(terminalName)).keep();
}

} // namespace glovebox::launcher
