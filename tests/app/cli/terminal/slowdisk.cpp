// SPDX-License-Identifier: Apache-2.0
// Loaded into a program by LD_PRELOAD: its disk takes 600 ms each time that something is to last, as disks do that others keep busy.
#include <ctime>

#include <dlfcn.h>

namespace {

int callSlowly(const char *name, int descriptor)
{
    const timespec pause{0, 600'000'000};
    ::nanosleep(&pause, nullptr);
    const auto real = reinterpret_cast<int (*)(int)>(::dlsym(RTLD_NEXT, name));
    return real(descriptor);
}

} // namespace

// Seen by other libraries, whatever this one is built with.
#define SEEN __attribute__((visibility("default")))

extern "C" {

SEEN int fsync(int descriptor)
{
    return callSlowly("fsync", descriptor);
}

SEEN int fdatasync(int descriptor)
{
    return callSlowly("fdatasync", descriptor);
}

SEEN int syncfs(int descriptor) noexcept
{
    return callSlowly("syncfs", descriptor);
}
}
