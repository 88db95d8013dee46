// SPDX-License-Identifier: Apache-2.0
// attack TOKEN [--as UID GID | --with-namespaces] DEED [WORDS]
#include "attack.h"

#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace attack {

const char *token = "";

long Words::number(int i) const
{
    return std::strtol(at(i), nullptr, 0);
}

void say(const void *bytes, std::size_t size)
{
    const char *at = static_cast<const char *>(bytes);
    while (size > 0) {
        const ssize_t n = ::write(STDOUT_FILENO, at, size);
        if (n <= 0)
            return;
        at += n;
        size -= static_cast<std::size_t>(n);
    }
}

void say(const char *text)
{
    say(text, std::strlen(text));
}

void holdStill()
{
    char part[256];
    while (::read(STDIN_FILENO, part, sizeof part) > 0) { }
    ::_exit(0);
}

void stay()
{
    ::alarm(60);
    for (;;)
        ::pause();
}

namespace {

void writeText(const char *path, const char *text)
{
    const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || ::write(fd, text, std::strlen(text)) < 0)
        std::perror(path);
    ::close(fd);
}

// The control: everything that only needs privilege inside a namespace is allowed, and nothing filters calls.
void enterNamespaces()
{
    char uids[64];
    char gids[64];
    std::snprintf(uids, sizeof uids, "0 %u 1", ::getuid());
    std::snprintf(gids, sizeof gids, "0 %u 1", ::getgid());
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS) < 0) {
        std::perror("unshare");
        ::_exit(1);
    }
    writeText("/proc/self/setgroups", "deny");
    writeText("/proc/self/gid_map", gids);
    writeText("/proc/self/uid_map", uids);
    const pid_t child = ::fork(); // the pid namespace is the child's
    if (child != 0) {
        ::waitpid(child, nullptr, 0);
        ::_exit(0);
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

const Deed *find(const char *name)
{
    for (const Deed *list : {fileDeeds, kernelDeeds, processDeeds, networkDeeds, resourceDeeds}) {
        for (const Deed *deed = list; deed->name; ++deed) {
            if (std::strcmp(deed->name, name) == 0)
                return deed;
        }
    }
    return nullptr;
}

} // namespace
} // namespace attack

int main(int argc, char **argv)
{
    using namespace attack;
    int next = 1;
    if (argc > next)
        token = argv[next++];
    if (argc > next + 2 && std::strcmp(argv[next], "--as") == 0) {
        const auto uid = static_cast<unsigned>(std::strtoul(argv[next + 1], nullptr, 10));
        const auto gid = static_cast<unsigned>(std::strtoul(argv[next + 2], nullptr, 10));
        if (::setgroups(0, nullptr) < 0 || ::setresgid(gid, gid, gid) < 0 || ::setresuid(uid, uid, uid) < 0)
            return 1;
        next += 3;
    } else if (argc > next && std::strcmp(argv[next], "--with-namespaces") == 0) {
        enterNamespaces();
        ++next;
    }
    const Deed *deed = argc > next ? find(argv[next++]) : nullptr;
    if (!deed) {
        std::fprintf(stderr, "no such deed\n");
        return 2;
    }
    deed->run({argv + next, argc - next});
    say("ready\n");
    holdStill();
}
