// SPDX-License-Identifier: Apache-2.0
#include "systemdscope.h"

#include "hierarchies.h"

#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>

#ifdef GLOVEBOX_SYSTEMD
#include <dlfcn.h>
#include <systemd/sd-bus.h>
#endif

namespace glovebox::native {

#ifdef GLOVEBOX_SYSTEMD

namespace {

using namespace std::chrono_literals;

constexpr auto patience = 2s;
constexpr auto pause = 200us;

std::unexpected<Error> failed(const char *what, int error)
{
    return fail(ErrorCode::Unavailable, Text("systemd: %1: %2", {QString::fromLatin1(what), errnoText(-error)}));
}

// Loaded when it is needed, so that no start of the command line waits for it and its own libraries.
struct Library
{
    void *handle = ::dlopen("libsystemd.so.0", RTLD_LAZY | RTLD_LOCAL);
    decltype(&::sd_bus_open_user) openUser = find("sd_bus_open_user");
    decltype(&::sd_bus_open_system) openSystem = find("sd_bus_open_system");
    decltype(&::sd_bus_set_method_call_timeout) setTimeout = find("sd_bus_set_method_call_timeout");
    decltype(&::sd_bus_call_method) call = find("sd_bus_call_method");
    decltype(&::sd_bus_flush_close_unref) close = find("sd_bus_flush_close_unref");

    bool isWhole() const { return openUser && openSystem && setTimeout && call && close; }

private:
    // A name, never the function itself: without optimisation its address would have to be linked.
    struct Symbol
    {
        void *address;
        template<typename Function> operator Function *() const { return reinterpret_cast<Function *>(address); }
    };
    Symbol find(const char *name) const { return {handle ? ::dlsym(handle, name) : nullptr}; }
};

// "/user.slice/.../glovebox-....scope" once it is there.
std::string cgroupOf(pid_t process)
{
    for (const QByteArray &line : cgroupsOf(QString::number(process)).split('\n')) {
        if (line.startsWith("0::"))
            return line.sliced(3).toStdString();
    }
    return {};
}

} // namespace

Result<std::string> startScope(const std::string &name, pid_t process)
{
    if (::access("/run/systemd/system", F_OK) != 0) // sd_booted(3)
        return fail(ErrorCode::Unavailable, Text("systemd doesn't run here"));
    static const Library library;
    if (!library.isWhole())
        return fail(ErrorCode::Unavailable, Text("there is no libsystemd"));
    sd_bus *bus = nullptr;
    if (const int error = ::geteuid() == 0 ? library.openSystem(&bus) : library.openUser(&bus); error < 0)
        return failed("bus", error);
    library.setTimeout(bus, static_cast<std::uint64_t>(std::chrono::microseconds(patience).count()));
    const int asked =
        library.call(bus, "org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager",
                     "StartTransientUnit", nullptr, nullptr, "ssa(sv)a(sa(sv))", name.c_str(), "fail", 4, "Description",
                     "s", "Sealed runs of Glovebox", "Delegate", "b", 1, "CollectMode", "s", "inactive-or-failed",
                     "PIDs", "au", 1, static_cast<std::uint32_t>(process), 0);
    library.close(bus);
    if (asked < 0)
        return failed("StartTransientUnit", asked);

    const auto deadline = std::chrono::steady_clock::now() + patience;
    do {
        if (const std::string cgroup = cgroupOf(process); cgroup.ends_with("/" + name)) {
            for (const Hierarchy &hierarchy : ownCgroups()) {
                if (hierarchy.second)
                    return hierarchy.top + cgroup;
            }
            break;
        }
        std::this_thread::sleep_for(pause);
    } while (std::chrono::steady_clock::now() < deadline);
    return fail(ErrorCode::Unavailable, Text("systemd did not make the scope in time"));
}

#else

Result<std::string> startScope(const std::string &, pid_t)
{
    return fail(ErrorCode::Unavailable, Text("built without systemd"));
}

#endif

} // namespace glovebox::native
