// SPDX-License-Identifier: Apache-2.0
#include "builder.h"

#include "engine/launcher/egress/listeners.h"
#include "engine/launcher/init/init.h"
#include "engine/launcher/init/readback.h"
#include "engine/launcher/init/seal.h"
#include "engine/launcher/packet.h"
#include "engine/launcher/protocol.h"
#include "rootfs.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace glovebox::launcher {

namespace {

int reportSocket = -1;
int orderSocket = -1; // of a blank that has no plan yet

void writeFile(Stage stage, const char *path, const std::string &text)
{
    if (!writeAtOnce(AT_FDCWD, path, text, O_TRUNC))
        giveUp(stage, path, errno);
}

// One user and one group: everybody else of the host is "nobody" inside. setgroups must be denied first (user_namespaces(7)).
void mapIdentity(unsigned uid, unsigned gid)
{
    const auto map = [](unsigned id) { return std::to_string(insideUid) + " " + std::to_string(id) + " 1"; };
    writeFile(Stage::Identity, "/proc/self/setgroups", "deny");
    writeFile(Stage::Identity, "/proc/self/gid_map", map(gid));
    writeFile(Stage::Identity, "/proc/self/uid_map", map(uid));
}

void bringLoopbackUp()
{
    const UniqueFd fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq request{};
    std::snprintf(request.ifr_name, sizeof request.ifr_name, "lo");
    request.ifr_flags = IFF_UP;
    if (!fd || ::ioctl(fd.get(), SIOCSIFFLAGS, &request) < 0)
        giveUp(Stage::Loopback, "lo", errno);
}

void resetSignals()
{
    struct sigaction byDefault = {};
    byDefault.sa_handler = SIG_DFL;
    for (int number = 1; number < 32; ++number) {
        if (number != SIGKILL && number != SIGSTOP)
            ::sigaction(number, &byDefault, nullptr);
    }
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// What a blank waits for. When the spawner has no use for it, or is gone, it just ends.
LaunchDescriptors takeOrders()
{
    Packet packet;
    if (receivePacket(orderSocket, packet) != 0 || packet.descriptors.size() < ChannelFd)
        ::_exit(0);
    ::prctl(PR_SET_NAME, "glovebox-build", 0, 0, 0);
    reportSocket = packet.descriptors[ReportFd].get();
    return std::move(packet.descriptors);
}

} // namespace

void giveUp(Stage stage, const std::string &subject, int error)
{
    LaunchDescriptors orders;
    if (reportSocket < 0)
        orders = takeOrders(); // only the run that gets it can be told
    sendPacket(reportSocket, Writer().put(Message::SetupError).put(SetupError{stage, error, subject}).bytes());
    ::_exit(1);
}

void beginChild(int report)
{
    reportSocket = report;
    resetSignals();
    writeFile(Stage::Memory, "/proc/self/oom_score_adj", "1000");
    // Whoever starts Glovebox may do without random addresses, or with memory that can be executed (setarch(8)); a run never.
    if (::personality(PER_LINUX) < 0)
        giveUp(Stage::Seal, "personality", errno);
}

void arrangeDescriptors(const LaunchDescriptors &launch, int standard, int messages)
{
    struct Place
    {
        int source;
        int target;
    };
    std::vector<Place> places{{launch[PlanFd].get(), initPlanFd},
                              {launch[ReportFd].get(), initReportFd},
                              {launch[StdinFd].get(), standard},
                              {launch[StdoutFd].get(), standard + 1},
                              {launch[StderrFd].get(), standard + 2}};
    if (launch.size() > ChannelFd)
        places.push_back({launch[ChannelFd].get(), initChannelFd});
    if (messages >= 0)
        places.push_back({messages, 2});
    // First away from the low numbers, so that none is overwritten.
    for (Place &place : places) {
        place.source = ::fcntl(place.source, F_DUPFD_CLOEXEC, 64);
        if (place.source < 0)
            giveUp(Stage::Descriptors, "duplicate", errno);
    }
    for (const Place &place : places) {
        if (::dup2(place.source, place.target) < 0)
            giveUp(Stage::Descriptors, "place", errno);
    }
    reportSocket = initReportFd;
}

unsigned long long runNamespaces()
{
    return CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
}

namespace {

void enterNamespaces(unsigned uid, unsigned gid)
{
    // The whole tree of a run dies with its PID 1, and PID 1 with the spawner.
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
        giveUp(Stage::Parent, "PR_SET_PDEATHSIG", errno);
    mapIdentity(uid, gid);
    bringLoopbackUp();
    if (::sethostname("glovebox", 8) < 0)
        giveUp(Stage::HostName, "glovebox", errno);
}

// filters: countFilters(), for init.
[[noreturn]] void build(Plan plan, OwnFileSystems own, const LaunchDescriptors &descriptors, int initProgram,
                        int filters)
{
    if (plan.hasEgress) {
        if (const std::string problem = routeEverythingHere(); !problem.empty())
            giveUp(Stage::Routes, problem, 0);
    }
    if (!plan.listeners.empty()) {
        if (const std::string problem = openListeners(plan, true, descriptors[ReportFd].get()); !problem.empty())
            giveUp(Stage::Listeners, problem, 0);
    }
    if (const std::string problem = openConnectors(plan, descriptors[ReportFd].get()); !problem.empty())
        giveUp(Stage::Listeners, problem, 0);
    makeWatched(own);
    const UniqueFd server = std::move(own.watchedServer); // from here on the engine's alone
    const Writer watched = Writer().put(Message::Watched).put(own.watchedProblem);
    if (sendPacket(descriptors[ReportFd].get(), watched.bytes(),
                   server ? std::vector{server.get()} : std::vector<int>())
        != 0)
        ::_exit(1);
    buildRootFileSystem(plan, std::move(own), giveUp);
    // Together with the system call filter: user namespaces are where most kernel exploits start.
    writeFile(Stage::NestedUserNamespaces, "/proc/sys/user/max_user_namespaces", "0");
    // inotify instances and watches count against the person, unless the namespace has a bound of its own.
    writeFile(Stage::Inotify, "/proc/sys/user/max_inotify_instances", std::to_string(plan.inotifyInstances));
    writeFile(Stage::Inotify, "/proc/sys/user/max_inotify_watches", std::to_string(plan.inotifyWatches));
    arrangeDescriptors(descriptors, 0);
    if (const std::string problem = leavePrivileges(); !problem.empty())
        giveUp(Stage::Capabilities, problem, 0);
    if (initProgram < 0)
        beInit(std::move(plan), filters);
    char name[] = "glovebox-init";
    std::string word = initArgument;
    char *const argv[] = {name, word.data(), nullptr};
    char *const environment[] = {nullptr};
    ::syscall(SYS_execveat, initProgram, "", argv, environment, AT_EMPTY_PATH);
    giveUp(Stage::Init, "execveat", errno);
}

} // namespace

void buildWhenTold(int orders, int initProgram, unsigned uid, unsigned gid)
{
    // Above all no descriptor of another run: it may wait for long.
    constexpr int kept = 3;
    orderSocket = ::dup3(orders, kept, O_CLOEXEC);
    if (initProgram >= 0)
        ::syscall(SYS_close_range, kept + 1, initProgram - 1, 0);
    ::syscall(SYS_close_range, std::max(kept, initProgram) + 1, ~0U, 0);
    ::prctl(PR_SET_NAME, "glovebox-spare", 0, 0, 0); // for whoever looks at the list of processes
    beginChild(-1);
    enterNamespaces(uid, gid);
    OwnFileSystems own = makeOwnFileSystems(giveUp);
    const int filters = countFilters();
    const LaunchDescriptors descriptors = takeOrders();
    Plan plan;
    std::string bytes;
    const int error = readSealedMemory(descriptors[PlanFd].get(), bytes);
    if (error != 0 || !plan.decode(bytes))
        giveUp(Stage::Plan, "decode", error);
    build(std::move(plan), std::move(own), descriptors, initProgram, filters);
}

} // namespace glovebox::launcher
