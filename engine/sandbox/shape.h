// SPDX-License-Identifier: Apache-2.0
// What is known of a sandbox before anybody's code is (its shape), and what makes it one run's own (the assignment).
//
// Two types, so that the compiler keeps them apart: a sandbox that is built ahead is built from a shape alone, and hence holds
// nothing of the person's.
#pragma once

#include "engine/policy/policy.h"

#include <QByteArrayList>

#include <memory>

namespace glovebox {

// A socket that listens inside a run's network and is served from outside.
struct InnerSocket
{
    quint16 port = 0;
    bool datagram = false;
    bool everywhere = false; // at every address that the run may dial; else at 127.0.0.1

    bool operator==(const InnerSocket &) const = default;
};

// Bounds on everything inside together.
struct SandboxLimits
{
    qint64 memoryBytes = Limits().memoryBytes;
    int processes = Limits().processes; // processes and threads at once
    std::optional<std::chrono::milliseconds> cpu; // processor time; none: not bounded
    std::optional<int> cpuPercent; // of one processor; none: all there are

    bool operator==(const SandboxLimits &) const = default;
};

// A workspace in memory, which goes with its sandbox: behind /work, /tmp and /dev/shm together.
struct Tmpfs
{
    qint64 bytes = Limits().diskBytes;
    qint64 files = Limits().diskFiles(); // and folders

    bool operator==(const Tmpfs &) const = default;
};

// Everything that is settled before it is known whose a sandbox becomes. Sandboxes of equal shapes can take each other's
// place.
struct SandboxShape
{
    QByteArrayList argv; // the program, with what is the same for every snippet
    QByteArrayList environment; // NAME=value; nothing else is set
    QStringList folders; // of the language runtime: read-only, same path inside
    QString modules; // a folder that /node_modules leads to; empty: there is no such link
    QList<InnerFile> supportFiles; // read-only, below /run/glovebox: the driver
    QList<InnerSocket>
        listeners; // with egress every address leads to them, and names to port 53; else they hear what is sent to themselves
    bool hasEgress = false; // else nobody can be reached
    int connectors = 0; // how many there are for reaching servers inside
    SandboxLimits limits;
    Tmpfs workspace; // where a run writes
    bool strict = false; // every control is a must
    bool hasDriver = false; // the program reads its job on descriptor 3; else there is no such descriptor
    bool hasTerminal = false; // the program's streams are a terminal of the run's own
    bool hasSecretFiles = false; // there is a folder /run/secrets

    bool operator==(const SandboxShape &) const = default;
};

std::size_t qHash(const SandboxShape &shape, std::size_t seed = 0);

// A folder (or a file) of this machine that was looked at and may be shown to a run.
struct OpenedFolder
{
    QString hostPath; // no symbolic link in it
    QString path; // absolute path inside
    bool writable = false;
    quint64 device = 0; // identity: the builder must find the same
    quint64 inode = 0;
    std::shared_ptr<const UniqueFd> handle; // keeps the inode from being given to another file meanwhile

    bool operator==(const OpenedFolder &) const = default;
};

// A value that the run is lent, as an environment variable or a file of mode 0400 below /run/secrets.
struct SandboxSecret
{
    QByteArray variable; // also one that holds no secret; empty: a file, and the shape hasSecretFiles
    QByteArray file; // one path component
    QByteArrayView
        value; // has to stay until launch() has returned; no copy of it is kept in this process after start()

    bool operator==(const SandboxSecret &) const = default;
};

// What is one person's, for one run. Which hosts may be reached is not among it: that is settled outside, by who serves the
// shape's listeners.
struct Assignment
{
    QList<InnerFile> files; // in /work, the snippet's own
    QByteArrayList arguments; // behind argv: the snippet's own, where they are not in the job
    QByteArray job; // for the driver, whole with its frame
    QList<SandboxSecret>
        secrets; // variables of a program with a driver come as a second frame (engine/languages/job.h)
    QList<OpenedFolder> granted; // mounted when the sandbox is built, so one with some can't have been built ahead
    QStringList
        copies; // paths inside of empty folders in the workspace, for SealedProcess::takeCopies(); never built ahead
    Terminal terminal; // size at first, where the shape has one
    std::chrono::milliseconds wall = Limits().wall; // from the first instruction
    qint64 outputBytes = Limits().outputBytes; // kept of each stream, by whoever reads it
    bool mayBeWarm = false; // a sandbox that was built ahead will do (Backend::keepWarm)

    bool operator==(const Assignment &) const = default;
};

} // namespace glovebox
