// SPDX-License-Identifier: Apache-2.0
#include "mounttable.h"

#include <QFile>

namespace glovebox::native {

std::vector<Mount> readMounts()
{
    QFile file(QStringLiteral("/proc/self/mountinfo"));
    return file.open(QIODevice::ReadOnly) ? launcher::parseMountinfo(file.readAll().toStdString())
                                          : std::vector<Mount>();
}

bool isAtOrBelow(const std::string &path, const std::string &folder)
{
    return folder == "/" || path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
}

} // namespace glovebox::native
