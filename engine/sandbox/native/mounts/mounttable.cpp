// SPDX-License-Identifier: Apache-2.0
#include "mounttable.h"

#include "engine/base/base.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <mutex>

namespace glovebox::native {

namespace {

// The kernel writes the list anew for each reader, which takes longer than all else that a plan asks the system; whether anything
// was mounted since, it says at once (proc(5), /proc/PID/mounts).
class MountTable
{
public:
    std::shared_ptr<const std::vector<Mount>> read()
    {
        const std::scoped_lock lock(m_mutex);
        if (!m_file)
            m_file.reset(::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC));
        pollfd changes{m_file.get(), POLLPRI, 0};
        const bool isSame = ::poll(&changes, 1, 0) == 0;
        if (m_mounts && isSame)
            return m_mounts;
        m_mounts.reset();
        if (::lseek(m_file.get(), 0, SEEK_SET) < 0)
            return std::make_shared<const std::vector<Mount>>();
        m_mounts = std::make_shared<const std::vector<Mount>>(launcher::parseMountinfo(readWhole(m_file.get())));
        return m_mounts;
    }

private:
    std::mutex m_mutex;
    UniqueFd m_file;
    std::shared_ptr<const std::vector<Mount>> m_mounts; // as they were when last asked; null: not read
};

} // namespace

std::shared_ptr<const std::vector<Mount>> readMounts()
{
    static MountTable table;
    return table.read();
}

bool isAtOrBelow(std::string_view path, std::string_view folder)
{
    return folder == "/" || path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
}

} // namespace glovebox::native
