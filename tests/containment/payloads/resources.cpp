// SPDX-License-Identifier: Apache-2.0
#include "attack.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace attack {
namespace {

constexpr std::size_t mebibyte = 1024 * 1024;

std::size_t bounded(long megabytes)
{
    return static_cast<std::size_t>(std::clamp(megabytes, 0L, 1536L)) * mebibyte;
}

// In steps, so that all that can be had is had.
void touchHeap(std::size_t size)
{
    for (std::size_t at = 0; at < size; at += 4 * mebibyte) {
        void *part = ::mmap(nullptr, 4 * mebibyte, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (part == MAP_FAILED)
            return;
        std::memset(part, 1, 4 * mebibyte);
    }
}

// MEGABYTES PROCESSES, all of them together
void useHeap(Words words)
{
    const long processes = std::clamp(words.number(1), 1L, 300L);
    for (long i = 1; i < processes; ++i) {
        if (::fork() == 0) {
            touchHeap(bounded(words.number(0)) / static_cast<std::size_t>(processes));
            stay();
        }
    }
    touchHeap(bounded(words.number(0)) / static_cast<std::size_t>(processes));
    ::sleep(processes > 1 ? 1 : 0);
}

void fillDescriptor(int fd, std::size_t size)
{
    static char block[mebibyte];
    std::memset(block, 1, sizeof block);
    for (std::size_t at = 0; at < size && ::write(fd, block, sizeof block) > 0; at += sizeof block) { }
}

// Memory that belongs to no process: MEGABYTES in each kind.
void useSharedMemory(Words words)
{
    const std::size_t size = bounded(words.number(0));
    fillDescriptor(static_cast<int>(::syscall(SYS_memfd_create, "x", 0)), size);
    const int segment = ::shmget(IPC_PRIVATE, size, IPC_CREAT | 0600);
    void *at = segment >= 0 ? ::shmat(segment, nullptr, 0) : nullptr;
    if (segment >= 0 && at != reinterpret_cast<void *>(-1)) {
        for (std::size_t i = 0; i < size; i += 4096)
            static_cast<char *>(at)[i] = 1;
        ::shmdt(at);
    }
    if (words.count > 1 && segment >= 0) // outside there is no namespace that takes it along
        ::shmctl(segment, IPC_RMID, nullptr);
    fillDescriptor(::open("/dev/shm", O_TMPFILE | O_RDWR, 0600), size);
}

// Semaphores are kernel memory that no process owns: 32,000 of them are 2 MB.
void useSemaphores(Words words)
{
    // Outside they would stay when this is killed.
    if (words.count > 1 && ::unshare(CLONE_NEWUSER | CLONE_NEWIPC) < 0)
        return;
    for (long i = 0; i < words.number(0) && ::semget(IPC_PRIVATE, 32000, IPC_CREAT | 0600) >= 0; ++i) { }
}

void openMany(Words words)
{
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    for (long i = 0; i < std::min(4000L, words.number(0)) && ::open("/dev/null", O_RDONLY) >= 0; ++i) { }
}

// MEGABYTES in each folder
void fillFolders(Words words)
{
    for (int i = 1; i < words.count; ++i) {
        const std::string path = std::string(words.at(i)) + "/" + token;
        fillDescriptor(::open(path.c_str(), O_WRONLY | O_CREAT, 0600), bounded(words.number(0)) / 5);
    }
}

void makeManyFiles(Words words)
{
    for (int i = 1; i < words.count; ++i) {
        for (long n = 0; n < std::min(20'000L, words.number(0)); ++n) {
            const std::string path = std::string(words.at(i)) + "/" + token + std::to_string(n);
            const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT, 0600);
            if (fd < 0)
                break;
            ::close(fd);
        }
    }
}

// MEGABYTES without an end of line
void floodOutput(Words words)
{
    fillDescriptor(STDOUT_FILENO, std::min<std::size_t>(300 * mebibyte, bounded(words.number(0))));
    ::_exit(0);
}

void speakAfterTheEnd(Words)
{
    if (::fork() == 0) {
        ::setsid();
        ::usleep(300'000);
        say(token);
        ::_exit(0);
    }
    ::_exit(0);
}

// PROCESSES SECONDS
void useProcessor(Words words)
{
    for (long i = 0; i < std::min(16L, words.number(0)); ++i) {
        if (::fork() == 0) {
            ::alarm(static_cast<unsigned>(std::min(30L, words.number(1))));
            for (;;)
                asm volatile("");
        }
    }
    say("ready\n");
    while (::wait(nullptr) > 0) { }
    ::_exit(0);
}

void writeGarbage(Words words)
{
    const std::size_t size = std::min<std::size_t>(100 * mebibyte, bounded(words.number(0)));
    const std::string deep(mebibyte, '[');
    for (int fd = 3; fd < 16; ++fd) {
        for (std::size_t at = 0; at < size && ::write(fd, deep.data(), deep.size()) > 0; at += deep.size()) { }
    }
}

} // namespace

const Deed resourceDeeds[] = {
    {"heap", useHeap},
    {"shared-memory", useSharedMemory},
    {"semaphores", useSemaphores},
    {"open-many", openMany},
    {"fill", fillFolders},
    {"many-files", makeManyFiles},
    {"flood", floodOutput},
    {"speak-late", speakAfterTheEnd},
    {"spin", useProcessor},
    {"garbage", writeGarbage},
    {nullptr, nullptr},
};

} // namespace attack
