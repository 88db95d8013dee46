// SPDX-License-Identifier: Apache-2.0
#include "engine/base/system/processes/startagain.h"

#include <QCoreApplication>
#include <QFile>

#include <fcntl.h>
#include <unistd.h>

namespace glovebox {

QByteArray pathOfThisProgram()
{
    return QFile::encodeName(QCoreApplication::applicationFilePath());
}

void closeOnExecFrom(int descriptor)
{
    const long most = ::sysconf(_SC_OPEN_MAX);
    for (int each = descriptor; each < most; ++each) {
        if (const int flags = ::fcntl(each, F_GETFD); flags >= 0)
            ::fcntl(each, F_SETFD, flags | FD_CLOEXEC);
    }
}

} // namespace glovebox
