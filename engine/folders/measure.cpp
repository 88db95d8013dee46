// SPDX-License-Identifier: Apache-2.0
#include "folders.h"

#include <dirent.h>
#include <fcntl.h>
#include <set>
#include <sys/stat.h>

namespace glovebox {

std::optional<TreeSize> measureTree(int descriptor, FileSystems *fileSystems)
{
    constexpr qint64 mostEntries = 200'000; // about 0.2 s
    TreeSize size;
    std::set<std::pair<dev_t, ino_t>> linked;
    const auto add = [&](const QByteArray &, int parent, const char *name, const struct stat &info) {
        constexpr qint64 block = 512; // stat(2), st_blocks
        ++size.entries;
        // What has several names takes its space once.
        if (S_ISDIR(info.st_mode) || info.st_nlink < 2 || linked.emplace(info.st_dev, info.st_ino).second)
            size.bytes += info.st_blocks * block;
        if (fileSystems && S_ISDIR(info.st_mode) && !fileSystems->contains(info.st_dev))
            fileSystems->emplace(info.st_dev, openPlace(parent, name));
        return true;
    };
    const WalkEnd end = walkTree(descriptor, mostEntries, add, Mounts::Entered, &size.unseen);
    return end == WalkEnd::TooMany ? std::nullopt : std::optional(size);
}

} // namespace glovebox
