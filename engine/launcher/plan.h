// SPDX-License-Identifier: Apache-2.0
// The whole shape of one sandbox: what the builder builds and what init seals and reads back. Written by the engine into a
// sealed memfd; holds nothing of the person's but where the folders are that they granted.
#pragma once

#include "wire.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace glovebox::launcher {

constexpr std::uint32_t insideUid = 1000; // user and group "sandbox"

// One step of building the root file system. Targets are absolute; parents come before children.
struct MountStep
{
    enum class Kind : std::uint8_t {
        Folder, // an empty folder
        Symlink, // target -> content
        File, // read-only, with content
        Bind, // of the host's source; read-only, nosuid, nodev, with the mounts below it
        Device, // of the host's device node source; nosuid, noexec
        Proc,
        Pts,
        Granted, // like Bind, of a folder or file that a person granted: the run's user must be able to read it
        GrantedWritable, // the same, not read-only
        EmptyFile, // the device source, which a step before this one shows, over a file of /proc
        EmptyFolder, // an empty folder, read-only, over one of /proc
        Scratch, // the one writable tmpfs, seen at target as its folder content ("work", "tmp", "shm", "secrets", "copy-0")
        Watched, // a file system without anything, for which the engine answers; an empty folder where the machine gives none
        WatchedLink, // a Symlink into it; nothing where the machine gives none
    };
    enum class Use : std::uint8_t {
        Shared,
        Own, // nobody but the run's own user has a right to it, as programs expect of a home
        Copy, // the same, and it is filled with the copy of a granted folder
    };
    Kind kind = Kind::Folder;
    Use use = Use::Shared; // of Scratch
    std::string target;
    std::string source;
    std::string content;
    std::uint64_t device = 0; // identity of source, as the engine saw it
    std::uint64_t inode = 0;

    static void fields(auto &self, auto &archive)
    {
        archive(self.kind, self.use, self.target, self.source, self.content, self.device, self.inode);
    }
};

// What Landlock allows below a path; what isn't listed is denied also where the mounts would allow it.
struct PathRule
{
    enum class Access : std::uint8_t {
        List,
        Read,
        ReadExecute,
        Device,
        Proc,
        Folder, // everything but making sockets, FIFOs and devices, which other programs might open
        Full
    };
    Access access = Access::Read;
    std::string path;

    static void fields(auto &self, auto &archive) { archive(self.access, self.path); }
};

// A socket that listens inside the run's network and is handed out of it (egress/listeners.h).
struct InnerListener
{
    std::uint16_t port = 0;
    std::uint8_t datagram = 0;
    std::uint8_t everywhere = 0; // at all addresses; else at 127.0.0.1

    static void fields(auto &self, auto &archive) { archive(self.port, self.datagram, self.everywhere); }
};

// Who makes the namespaces and mounts. What differs in the result is written where init checks it.
enum class Builder : std::uint8_t {
    Direct, // builder.cpp, in the child of clone3(2)
    Bubblewrap, // bubblewrap.cpp: the system's bwrap, for machines that let nothing else make user namespaces
};

// Who counts what a run uses together.
enum class LeafKind : std::uint8_t {
    None, // nobody: limits of each process, and a look at all of them now and then
    Cgroup1,
    Cgroup2,
};

struct Plan
{
    Builder builder = Builder::Direct;
    std::string bubblewrap; // absolute path of bwrap; only for its builder
    std::vector<std::string> argv;
    std::vector<std::string> environment;
    std::vector<MountStep> steps;
    std::vector<std::string> submounts; // mounts of the host below bound folders: they come along
    std::vector<std::string> writableSubmounts; // those below a GrantedWritable
    std::vector<PathRule> rules;
    // Inodes of the host's namespaces in the order of namespaceNames: the run's must all differ.
    std::array<std::uint64_t, 7> hostNamespaces{};
    std::vector<InnerListener> listeners;
    std::uint64_t connectors = 0; // how many the engine gets for ports of the run (egress/listeners.h)
    std::string canary; // a file that the mounts allow and Landlock denies

    // Bytes and counts; 0 means: not set.
    std::uint64_t scratchBytes = 0;
    std::uint64_t scratchInodes = 0;
    std::uint64_t dataSegment = 0; // RLIMIT_DATA
    std::uint64_t processes = 0; // RLIMIT_NPROC, in the run's own user namespace
    std::uint64_t fileSize = 0; // RLIMIT_FSIZE
    std::uint64_t openFiles = 0; // RLIMIT_NOFILE
    std::uint64_t cpuSeconds = 0; // RLIMIT_CPU
    // Of what the kernel gives to each user, who starts runs and other programs.
    std::uint64_t pendingSignals = 0; // RLIMIT_SIGPENDING; timers, too
    std::uint64_t messageQueues = 0; // RLIMIT_MSGQUEUE
    std::uint64_t inotifyInstances = 0; // kept by the user namespace, where the builder can say so
    std::uint64_t inotifyWatches = 0;
    std::uint64_t processors = 0; // how many it may use at once, by their affinity
    // Of everything inside together, kept from outside: by the leaf where there is one.
    LeafKind leaf = LeafKind::None;
    std::uint64_t treeMemory = 0; // bytes, files in memory included
    std::uint64_t processMemory = 0; // bytes, without files; kept by a look now and then, also with a leaf
    std::uint64_t treeProcesses = 0; // processes and threads at once; leaf only
    std::uint64_t treeCpu = 0; // microseconds
    std::uint64_t cpuPercent = 0; // of one processor; leaf only
    std::uint8_t hasChannel = 0;
    std::uint8_t hasEgress = 0; // every address leads to the listeners; else the run has no network at all
    std::uint8_t refuseUnixSockets = 0; // a folder besides the system's is shown
    std::uint8_t refuseUncountedMemory = 0; // no leaf counts what no process has in its own
    std::uint8_t hasTerminal = 0; // the program's streams are a pseudo terminal of the run's own
    std::uint8_t refuseSetId = 0; // a folder is granted: nobody makes set-user-id files in it
    std::uint8_t refuseAllocation = 0; // a folder of the host's is writable: space there is taken by writing only
    std::uint8_t refuseInotify = 0; // its instances can't be bounded, and the person has few

    // How many system call filters init loads, besides the one that reports.
    int filters() const
    {
        return 2 + refuseUnixSockets + refuseUncountedMemory + refuseSetId + refuseAllocation + refuseInotify
               + (processors != 0);
    }

    static void fields(auto &self, auto &archive)
    {
        archive(self.builder, self.bubblewrap, self.argv, self.environment, self.steps, self.submounts,
                self.writableSubmounts, self.rules, self.hostNamespaces, self.listeners, self.connectors, self.canary);
        archive(self.scratchBytes, self.scratchInodes, self.dataSegment, self.processes, self.fileSize, self.openFiles,
                self.cpuSeconds, self.pendingSignals, self.messageQueues, self.inotifyInstances, self.inotifyWatches,
                self.processors);
        archive(self.leaf, self.treeMemory, self.processMemory, self.treeProcesses, self.treeCpu, self.cpuPercent);
        archive(self.hasChannel, self.hasEgress, self.refuseUnixSockets, self.refuseUncountedMemory, self.hasTerminal,
                self.refuseSetId, self.refuseAllocation, self.refuseInotify);
    }
    std::string encode() const { return Writer().put(*this).bytes(); }
    bool decode(std::string_view bytes)
    {
        Reader in(bytes);
        in.get(*this);
        return in.done();
    }
};

constexpr std::array<const char *, 7> namespaceNames{"user", "mnt", "pid", "net", "ipc", "uts", "cgroup"};

} // namespace glovebox::launcher
