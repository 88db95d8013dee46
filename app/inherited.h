// SPDX-License-Identifier: Apache-2.0
// What a program is handed down by the shell that started it, where that isn't enough for Glovebox.
#pragma once

#include <algorithm>
#include <pthread.h>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>

namespace glovebox {

// A umask that takes rights from the owner would leave folders that Glovebox itself can't enter, for good.
inline void keepOwnersRights()
{
    ::umask(::umask(077) & 077);
}

// Too small a stack (ulimit -s) ends a program by SIGSEGV, without a word.
// Raises the limit as far as this process may: for itself, for threads to come, and for the programs that it starts. Call first.
// Empty, or a sentence where that isn't enough; no QString, which needs more.
inline std::string provideStacks()
{
    constexpr rlim_t usual = 8 * 1024 * 1024; // bytes, as most systems have it
    constexpr rlim_t needed = 256 * 1024;
    rlimit limit{};
    if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= usual / 8)
        return {};
#ifdef __GLIBC__
    // Threads would have the limit that the program was started under (pthread_create(3)).
    pthread_attr_t attributes;
    if (::pthread_attr_init(&attributes) == 0) {
        if (::pthread_attr_setstacksize(&attributes, usual) == 0)
            ::pthread_setattr_default_np(&attributes);
        ::pthread_attr_destroy(&attributes);
    }
#endif
    limit.rlim_cur = std::min(limit.rlim_max, usual);
    ::setrlimit(RLIMIT_STACK, &limit);
    if (limit.rlim_max >= needed)
        return {};
    return "Stacks are limited to " + std::to_string(limit.rlim_max / 1024) + " KB here, and Glovebox needs "
           + std::to_string(needed / 1024)
           + " KB. Use a new shell, or raise the limit of this one: sudo prlimit --pid $$ --stack="
           + std::to_string(usual);
}

} // namespace glovebox
