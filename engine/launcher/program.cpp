// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <csignal>

namespace glovebox::launcher {

namespace {

constexpr int firstDescriptor = 3;

} // namespace

int startProgram(const std::string &path, uid_t uid, gid_t gid, const std::vector<int> &descriptors, pid_t &pid)
{
    std::vector<std::string> arguments{path};
    if (::geteuid() == 0)
        arguments.insert(arguments.end(), {"--user", std::to_string(uid), std::to_string(gid)});
    return startProgram(std::move(arguments), descriptors, pid);
}

int startProgram(std::vector<std::string> argv, const std::vector<int> &descriptors, pid_t &pid)
{
    std::vector<char *> arguments;
    arguments.reserve(argv.size() + 1);
    for (std::string &argument : argv)
        arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    char *environment[] = {nullptr};

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    for (int fd : {0, 1, 2})
        ::posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
    for (std::size_t i = 0; i < descriptors.size(); ++i)
        ::posix_spawn_file_actions_adddup2(&actions, descriptors[i], firstDescriptor + static_cast<int>(i));
    sigset_t none;
    sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
    const int error = ::posix_spawn(&pid, arguments.front(), &actions, &attributes, arguments.data(), environment);
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    return error;
}

} // namespace glovebox::launcher
