// SPDX-License-Identifier: Apache-2.0
// Cases 17 to 30: the kernel's doors.
#include "tests/containment/field.h"

#include <QFile>

#include <csignal>
#include <unistd.h>

namespace containment {

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// Whether the processes of an attempt are in different namespaces.
bool areApart(const Attempt &attempt, std::initializer_list<const char *> kinds)
{
    const QList<qint64> pids = attempt.processes();
    for (const char *kind : kinds) {
        QByteArray first;
        for (const qint64 pid : pids) {
            const QByteArray its = linkOf(pid, QByteArray("ns/") + kind);
            if (first.isEmpty())
                first = its;
            if (!its.isEmpty() && its != first)
                return true;
        }
    }
    return false;
}

bool nestsNamespaces(Field &field)
{
    const auto attempt = field.hold({.deed = "nest", .unprivileged = true});
    return attempt && areApart(*attempt, {"user", "mnt", "net"});
}

bool entersNamespaces(Field &field)
{
    const auto attempt = field.hold({.deed = "enter", .unprivileged = true});
    if (!attempt)
        return false;
    if (areApart(*attempt, {"user", "uts", "net"}))
        return true;
    if (!field.isSealed())
        return false;
    // Somebody's of the host, named by its pid there.
    const Victim victim;
    const auto named = field.hold({.deed = "enter", .words = {victim.number()}});
    return named && areApart(*named, {"user", "uts", "net", "mnt"});
}

bool tracesProcesses(Field &field)
{
    const Victim victim;
    const auto attempt = field.hold({.deed = "trace", .words = {victim.number(), "1", "2", "3", "4"}});
    if (!attempt)
        return false;
    QList<qint64> others{victim.pid()};
    if (field.isSealed())
        others += descendantsOf(::getpid());
    // The spawner traces bwrap while a sandbox is being built; names end after 15 bytes (proc(5)).
    const auto traced = [](qint64 pid) {
        const qint64 tracer = statusField(pid, "TracerPid").toLongLong();
        return tracer > 0 && statusField(tracer, "Name").trimmed() != "glovebox-spawne";
    };
    return std::ranges::any_of(others, traced);
}

bool readsMemory(Field &field)
{
    const Victim victim;
    return field.reveals({.deed = "read-memory",
                          .words = {QByteArray::number(reinterpret_cast<quintptr>(victim.address())),
                                    QByteArray::number(victim.secret().size()), victim.number(), "1", "2"}},
                         victim.secret());
}

bool opens(Field &field, const QByteArray &deed, const QByteArrayList &kinds)
{
    const auto attempt = field.hold({.deed = deed});
    if (!attempt)
        return false;
    for (const qint64 pid : attempt->processes()) {
        for (const QByteArray &what : descriptorsOf(pid)) {
            for (const QByteArray &kind : kinds) {
                if (what.contains(kind)) {
                    field.note(u"got "_s + QString::fromLocal8Bit(what));
                    return true;
                }
            }
        }
    }
    return false;
}

bool opensRing(Field &field)
{
    return opens(field, "kernel-objects", {"[io_uring]"});
}

bool opensRareSockets(Field &field)
{
    return opens(field, "rare-sockets", {"socket:"});
}

bool opensKernelObjects(Field &field)
{
    return opens(field, "kernel-objects", {"bpf-map", "[perf_event]", "[userfaultfd]", "secretmem", "[fanotify]"});
}

bool keepsKeys(Field &field)
{
    const QByteArray name = newToken();
    const QByteArray secret = newToken();
    field.start({.deed = "add-key", .words = {name, secret}})->finish();
    return field.reveals({.deed = "read-key", .words = {name, "remove"}}, secret);
}

bool changesPersonality(Field &field)
{
    const auto attempt = field.hold({.deed = "personality"});
    if (!attempt)
        return false;
    for (const qint64 pid : attempt->processes()) {
        if (procFile(pid, "personality").trimmed() != "00000000")
            return true;
    }
    return false;
}

bool callsOtherTables(Field &field)
{
    const QByteArray text = newToken();
    // Halves: the whole is in the arguments, which nobody prints.
    const bool wrote32 = field.reveals({.deed = "write-32", .words = {text}}, text);
    const bool wroteX32 = field.reveals({.deed = "write-x32", .words = {text}}, text);
    if (wrote32 && !wroteX32)
        field.note(u"int 0x80; x32 isn't there"_s);
    return wrote32 || wroteX32;
}

// Any process of the attempt that is less bound than it has to be.
QString looseness(const Attempt &attempt)
{
    for (const qint64 pid : attempt.processes()) {
        for (const char *set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) {
            if (statusField(pid, set) != "0000000000000000")
                return QString::fromLatin1(set);
        }
        if (statusField(pid, "NoNewPrivs") != "1")
            return u"NoNewPrivs"_s;
        if (statusField(pid, "Seccomp") != "2")
            return u"Seccomp"_s;
        if (statusField(pid, "Uid").startsWith("0 ") && ::getuid() != 0)
            return u"Uid"_s;
    }
    return {};
}

bool isLoose(Field &field, const QByteArray &deed)
{
    const auto attempt = field.hold({.deed = deed});
    const QString loose = attempt ? looseness(*attempt) : QString();
    if (!loose.isEmpty())
        field.note(loose + u" is not what it has to be"_s);
    return !loose.isEmpty();
}

bool gainsPrivileges(Field &field)
{
    return isLoose(field, "privileges");
}

bool shedsTheSeal(Field &field)
{
    return isLoose(field, "execute-from-memory");
}

} // namespace

const QList<Case> kernelCases{
    {"17", "nested user namespace (unshare, clone, clone3)", nestsNamespaces},
    {"18", "setns into namespaces found in /proc", entersNamespaces},
    {"20", "ptrace of PID 1 and of a host process", tracesProcesses},
    {"21", "process_vm_readv and /proc/PID/mem of a host process", readsMemory},
    {"22", "io_uring", opensRing},
    {"23", "netlink, packet, vsock, alg, raw and other sockets", opensRareSockets},
    {"25", "keyrings from one run to the next", keepsKeys},
    {"26", "bpf, perf events, userfaultfd, secret memory, fanotify", opensKernelObjects},
    {"27", "personality", changesPersonality},
    {"28", "system calls of other tables: int 0x80, x32", callsOtherTables},
    {"29", "regain capabilities, lift no_new_privs and the filter", gainsPrivileges},
    {"30", "a program executed from memory stays sealed", shedsTheSeal},
};

} // namespace containment
