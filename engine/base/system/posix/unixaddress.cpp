// SPDX-License-Identifier: Apache-2.0
#include "engine/base/system/unixaddress.h"

#include <QFile>

#include <sys/socket.h>

#include <cstring>

namespace glovebox {

std::optional<sockaddr_un> unixAddress(int, const QString &folderPath, const QString &name)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const QByteArray path = QFile::encodeName(folderPath + u'/' + name);
    if (path.size() >= qsizetype(sizeof address.sun_path))
        return std::nullopt;
    std::memcpy(address.sun_path, path.constData(), std::size_t(path.size()));
    return address;
}

} // namespace glovebox
