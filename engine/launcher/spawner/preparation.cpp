// SPDX-License-Identifier: Apache-2.0
#include "preparation.h"

#include "engine/launcher/protocol.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

namespace glovebox::launcher {

namespace {

// A spawner that somebody stopped goes on when its engine ends, and ends, too: by SIGCONT, which is nothing to one that runs.
// (PR_SET_PDEATHSIG would come when the thread of the engine ends that started it.)
void wakeWhenTheEngineEnds(int controlSocket)
{
    ::fcntl(controlSocket, F_SETOWN, ::getpid());
    ::fcntl(controlSocket, F_SETSIG, SIGCONT);
    ::fcntl(controlSocket, F_SETFL, ::fcntl(controlSocket, F_GETFL) | O_ASYNC);
}

// Started by root, runs belong to somebody who owns nothing: root escapes several limits.
std::string becomeUser(unsigned uid, unsigned gid)
{
    if (::setgroups(0, nullptr) < 0 || ::setresgid(gid, gid, gid) < 0 || ::setresuid(uid, uid, uid) < 0
        || ::getuid() != uid || ::setresuid(0, 0, 0) == 0)
        return "can't become the user " + std::to_string(uid)
               + " that runs of root belong to: " + ::strerrordesc_np(errno);
    // The change of user made it undumpable, and then /proc/self/uid_map of its children belongs to root.
    ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    return {};
}

} // namespace

UniqueFd sealedCopy(int program)
{
    struct stat info = {};
    if (::fstat(program, &info) < 0)
        return {};
    const auto size = static_cast<std::size_t>(info.st_size);
    void *content = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, program, 0);
    if (content == MAP_FAILED)
        return {};
    const UniqueFd sealed = sealedMemory("glovebox-init", std::string_view(static_cast<char *>(content), size));
    ::munmap(content, size);
    return sealed ? UniqueFd(::fcntl(sealed.get(), F_DUPFD_CLOEXEC, 64)) : UniqueFd();
}

UniqueFd prepare(int controlSocket)
{
    sendPacket(controlSocket, Writer().put(Message::Hello).put(protocolVersion).bytes());
    std::string problem;
    UniqueFd program(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    if (!program)
        problem = std::string("can't read its own program: ") + ::strerrordesc_np(errno);
    // For root the engine asks the system about users meanwhile.
    Packet packet;
    if (receivePacket(controlSocket, packet) != 0 || packet.bytes.empty())
        return {};
    Reader in(packet.bytes);
    Message kind{};
    std::uint64_t uid = 0;
    std::uint64_t gid = 0;
    in(kind, uid, gid);
    if (!in.done() || kind != Message::Become)
        return {};
    if (problem.empty() && ::geteuid() == 0)
        problem = becomeUser(static_cast<unsigned>(uid), static_cast<unsigned>(gid));
    if (problem.empty() && ::geteuid() == 0)
        problem = "refuses to run anything as root";
    wakeWhenTheEngineEnds(controlSocket);
    sendPacket(controlSocket, Writer().put(Message::Prepared).put(problem).bytes());
    return problem.empty() ? std::move(program) : UniqueFd();
}

} // namespace glovebox::launcher
