// SPDX-License-Identifier: Apache-2.0
// What engine, glovebox-spawner and PID 1 of a run, which calls itself glovebox-init, say to each other. No Qt.
//
//   engine --Leaves, MakeAhead, Launch, ReadAgain, Started, Kill--> spawner      control socket, SOCK_SEQPACKET, the spawner's descriptor 3
//   engine <--Hello, LeavesTried-- spawner
//   engine <--SetupError, Placed, Watched, Listener, Listeners, Connectors, Terminal, Verified, Paused, MainExited, Gone-- builder, init, spawner
//                                                                                                     report socket, one a launch
//   engine --Prepare, Go, Interrupt, Pause, Resume--> init                           the same socket
//
// A message is one packet: a Message, then its fields by wire.h. End of file on the control socket ends the spawner and every
// run with it; end of file on a report socket ends that run.
#pragma once

#include "plan.h"
#include "setuperror.h"

#include "engine/policy/controlid.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace glovebox::launcher {

// Raised with every change of a message or of the plan; a spawner and an engine of different versions refuse each other.
constexpr std::uint32_t protocolVersion = 29;
constexpr std::size_t maximumPacket = 64 * 1024; // SOCK_SEQPACKET refuses what the socket buffer can't hold whole

enum class Message : std::uint8_t {
    Hello = 1, // u32 version; said at once
    Become, // u64 uid, u64 gid: whom runs belong to; a spawner of root becomes that user. The first message to it
    Prepared, // string problem: the answer; empty, or what the machine refuses that a spawner needs
    Leaves, // LeafKind, string name, vector<string> controllers; descriptors: LeafFolder::folder, in their order
    LeavesTried, // string problem: empty when leaves can be made there
    MakeAhead, // u64: 1 when many launches will come. What needs no plan is done before the (next) launch comes
    Launch, // u64 id; descriptors: LaunchDescriptors
    ReadAgain, // u64 id: another Placed, please; a sandbox that waited is about to be somebody's
    Started, // u64 id, u64 milliseconds: from now on the wall time runs; descriptor: the first that Folders brought
    Kill, // u64 id
    SetupError, // a SetupError
    Watched, // string problem; descriptor, where that is empty: who reads it answers for the plan's MountStep::Kind::Watched
    Listener, // descriptor: the listener of the system call filter; sent before the filter is probed
    Placed, // u64 pid, vector<Finding>: the process above all of the run, and what the spawner read back from outside
    Terminal, // descriptor: the outer side of the run's pseudo terminal
    Listeners, // string: a byte each, the place in Plan::listeners; descriptors: in the same order. As often as needed
    Connectors, // descriptors: of Plan::connectors, each for IPv4 and, where this machine has it, one for IPv6. As often as needed
    Folders, // descriptors: O_PATH of /work and of the home folder, and of the plan's folders for copies in their order
    Verified, // a Verdict: what init read back
    Prepare, // starts the program now: its driver waits on the channel, and nothing of the person is inside yet
    Go, // descriptors: sealed memfd with an Assignment; with a channel: the engine's end of it, for the job
    Assigned, // u64 microseconds of CPU that the prepared program had used: Go was read
    Interrupt, // SIGINT for the program's process group
    Pause, // stops every process but init; those that wait for an answer to Listener's questions stop when they have it
    Paused, // the answer: all stand still and, had they been paused before, did so since; else init ends with them
    Resume, // lets all of them go on; init ends instead where one ran since Paused
    MainExited, // a MainExit
    Gone, // an End
};

// Descriptors of a Launch, in this order; the channel is absent when the plan has none.
enum LaunchDescriptor { PlanFd, ReportFd, StdinFd, StdoutFd, StderrFd, ChannelFd, launchDescriptors };

// Where PID 1 finds its descriptors.
constexpr int initChannelFd = 3; // stays open in the program: the driver's channel
constexpr int initReportFd = 4;
constexpr int initPlanFd = 5; // where it is executed
// Under bwrap, which needs the first three for itself: where the program's own are meanwhile.
constexpr int initStandardFds = 6;

// Why a run was ended from outside; the first reason stays.
// Memory: with its files; ProcessMemory: without them.
enum class Cause : std::uint8_t { Itself, Deadline, CpuTime, Memory, ProcessMemory };

// Exit status of PID 1, where the program left others behind, which it takes along. Else 0.
constexpr int leftOthers = 3;

// What a run used up; without a value where nobody could count it.
struct Spent
{
    LeafKind counted = LeafKind::None; // None: waited-for children (getrusage(2))
    std::uint8_t watched = 0; // by looks now and then: peakMemory is that of all processes together
    std::optional<std::uint64_t> cpuMicroseconds; // with a leaf, since Started
    std::optional<std::uint64_t> peakMemory; // bytes
    std::optional<std::uint64_t> refusedForks;
    std::uint8_t hadAllTasks =
        0; // a look found as many processes and threads as it may have; with a leaf, refusedForks tells

    static void fields(auto &self, auto &archive)
    {
        archive(self.counted, self.watched, self.cpuMicroseconds, self.peakMemory, self.refusedForks, self.hadAllTasks);
    }
};

// MainExited's.
struct MainExit
{
    std::int32_t waitStatus = 0;
    std::optional<std::uint64_t> tasks; // processes and threads started in the namespace
    std::uint64_t cpuMicroseconds = 0; // of this process alone
    std::uint8_t hadAllTasks = 0; // a process ended while there were as many processes and threads as there may be

    static void fields(auto &self, auto &archive)
    {
        archive(self.waitStatus, self.tasks, self.cpuMicroseconds, self.hadAllTasks);
    }
};

// Gone's.
struct End
{
    Cause cause = Cause::Itself;
    std::int32_t waitStatus = 0; // of init
    Spent spent;

    static void fields(auto &self, auto &archive) { archive(self.cause, self.waitStatus, self.spent); }
};

// One control that init or the spawner read back.
struct Finding
{
    enum class State : std::uint8_t { // from bad to good
        Missing,
        Weaker, // there, but less than was asked for; detail says in what
        AsPlanned,
    };
    // What bounds it, from the least exact on.
    enum class Means : std::uint8_t {
        Process, // the kernel, each process by itself; or a control that isn't about amounts
        Watchdog, // the spawner, by a look at all of them now and then
        Leaf, // the run's cgroup
    };

    ControlId control{};
    State state = State::Missing;
    std::string detail; // the fact: "ABI 7", "expected EPERM, got 0"
    Means means = Means::Process;

    static void fields(auto &self, auto &archive) { archive(self.control, self.state, self.detail, self.means); }
};

// Verified's.
struct Verdict
{
    std::uint64_t setupCpu = 0; // microseconds used by the set-up
    std::uint64_t networkCookie = 0; // SO_NETNS_COOKIE of the run's network; 0: unknown
    std::vector<Finding> findings;
    std::uint8_t isWatched = 0; // what Watched brought the descriptor of is where the plan has it

    static void fields(auto &self, auto &archive)
    {
        archive(self.setupCpu, self.networkCookie, self.findings, self.isWatched);
    }
};

// A file for /work. Text: std::string; std::string_view while it is written, so that nothing is copied.
template<typename Text> struct AssignedFileOf
{
    Text name; // one path component
    Text content;

    static void fields(auto &self, auto &archive) { archive(self.name, self.content); }
};

// A value that this run is lent. Its memory is wiped when it has been handed over.
template<typename Text> struct AssignedSecretOf
{
    Text variable; // of the environment; empty: a file
    Text file; // one path component, below /run/secrets
    Text value;

    static void fields(auto &self, auto &archive) { archive(self.variable, self.file, self.value); }
};

// What makes a verified sandbox this run's own. Nothing of the person is inside before it.
template<typename Text> struct AssignmentOf
{
    std::vector<AssignedFileOf<Text>> files; // written before the job is handed over
    std::vector<Text> arguments; // behind the plan's argv; a prepared program gets its own in the job
    Text job; // for the driver
    std::vector<AssignedSecretOf<Text>> secrets;

    static void fields(auto &self, auto &archive) { archive(self.files, self.arguments, self.job, self.secrets); }
    bool decode(std::string_view bytes)
    {
        Reader in(bytes);
        in.get(*this);
        return in.done();
    }
};

using AssignedFile = AssignedFileOf<std::string>;
using AssignedSecret = AssignedSecretOf<std::string>;
using Assignment = AssignmentOf<std::string>;

} // namespace glovebox::launcher
