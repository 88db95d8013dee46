// SPDX-License-Identifier: Apache-2.0
// What engine, glovebox-spawner and glovebox-init say to each other. No Qt.
//
//   engine --Leaves, MakeAhead, Launch, ReadAgain, Started, Kill--> spawner      control socket, SOCK_SEQPACKET, the spawner's descriptor 3
//   engine <--Hello, LeavesTried-- spawner
//   engine <--SetupError, Placed, Listener, Listeners, Terminal, Verified, MainExited, Gone-- builder, init, spawner   report socket,
//                                                                                                     one a launch
//   engine --Prepare, Go, Interrupt--> init                                          the same socket
//
// A message is one packet: a Message, then its fields by wire.h. End of file on the control socket ends the spawner and every
// run with it; end of file on a report socket ends that run.
#pragma once

#include "plan.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace glovebox::launcher {

// Raised with every change of a message or of the plan; a spawner and an engine of different versions refuse each other.
constexpr std::uint32_t protocolVersion = 14;
constexpr std::size_t maximumPacket = 64 * 1024; // SOCK_SEQPACKET refuses what the socket buffer can't hold whole

enum class Readiness : std::uint8_t {
    Ready,
    Incomplete, // a part of the installation is missing
    Withheld, // the machine refuses what a spawner needs
};

enum class Message : std::uint8_t {
    Hello = 1, // u32 version; said at once
    Become, // u64 uid, u64 gid: whom runs belong to; a spawner of root becomes that user. The first message to it
    Prepared, // Readiness, string problem: the answer
    Leaves, // LeafKind, string name, vector<string> controllers; descriptors: LeafFolder::folder, in their order
    LeavesTried, // string problem: empty when leaves can be made there
    MakeAhead, // u64: 1 when many launches will come. What needs no plan is done before the (next) launch comes
    Launch, // u64 id; descriptors: LaunchDescriptors
    ReadAgain, // u64 id: another Placed, please; a sandbox that waited is about to be somebody's
    Started, // u64 id, u64 milliseconds: from now on the wall time runs; descriptor: what Verified brought
    Kill, // u64 id
    SetupError, // string stage, i32 errno, string subject
    Listener, // descriptor: the listener of the system call filter; sent before the filter is probed
    Placed, // vector<Finding>: what the spawner read back from outside
    Terminal, // descriptor: the outer side of the run's pseudo terminal
    Listeners, // string: a byte each, the place in Plan::listeners; descriptors: in the same order. As often as needed
    Verified, // u64 microseconds of CPU used by the set-up, u64 SO_NETNS_COOKIE of the run's network (0: unknown), vector<Finding>; descriptor: O_PATH of /work
    Prepare, // starts the program now: its driver waits on the channel, and nothing of the person is inside yet
    Go, // descriptors: sealed memfd with an Assignment; with a channel: the engine's end of it, for the job
    Assigned, // u64 microseconds of CPU that the prepared program had used: Go was read
    Interrupt, // SIGINT for the program's process group
    MainExited, // i32 wait status, optional u64 processes and threads started in the namespace
    Gone, // Cause, i32 wait status of init, then a Spent
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
enum class Cause : std::uint8_t { Itself, Deadline, CpuTime, Memory };

// What a run used up; without a value where nobody could count it.
struct Spent
{
    LeafKind counted = LeafKind::None; // None: waited-for children (getrusage(2))
    std::uint8_t watched = 0; // peakMemory is that of all processes together
    std::optional<std::uint64_t> cpuMicroseconds; // with a leaf, since Started
    std::optional<std::uint64_t> peakMemory; // bytes
    std::optional<std::uint64_t> refusedForks;

    void write(Writer &out) const
    {
        out.put(counted).put(watched).put(cpuMicroseconds).put(peakMemory).put(refusedForks);
    }
    void read(Reader &in)
    {
        in.get(counted);
        in.get(watched);
        in.get(cpuMicroseconds);
        in.get(peakMemory);
        in.get(refusedForks);
    }
};

// One thing that init or the spawner read back.
struct Finding
{
    static constexpr std::uint8_t weaker = 2; // for ok: there, but less than was asked for; detail says in what

    std::string control; // "seccomp", ...
    std::uint8_t ok = 0; // 1: as planned
    std::string detail; // the fact: "ABI 7", "expected EPERM, got 0"

    void write(Writer &out) const { out.put(control).put(ok).put(detail); }
    void read(Reader &in)
    {
        in.get(control);
        in.get(ok);
        in.get(detail);
    }
};

// A file for /work.
struct AssignedFile
{
    std::string name; // one path component
    std::string content;

    void write(Writer &out) const { out.put(name).put(content); }
    void read(Reader &in)
    {
        in.get(name);
        in.get(content);
    }
};

// A value that this run is lent. Its memory is wiped when it has been handed over.
struct AssignedSecret
{
    std::string variable; // of the environment; empty: a file
    std::string file; // one path component, below /run/secrets
    std::string value;

    void write(Writer &out) const { out.put(variable).put(file).put(value); }
    void read(Reader &in)
    {
        in.get(variable);
        in.get(file);
        in.get(value);
    }
};

// What makes a verified sandbox this run's own. Nothing of the person is inside before it.
struct Assignment
{
    std::vector<AssignedFile> files; // written before the job is handed over
    std::vector<std::string> arguments; // behind the plan's argv; a prepared program gets its own in the job
    std::string job; // for the driver
    std::vector<AssignedSecret> secrets; // last, so that the engine can write values without a copy

    std::string encode() const { return Writer().put(files).put(arguments).put(job).put(secrets).bytes(); }
    bool decode(std::string_view bytes)
    {
        Reader in(bytes);
        in.get(files);
        in.get(arguments);
        in.get(job);
        in.get(secrets);
        return in.done();
    }
};

} // namespace glovebox::launcher
