// SPDX-License-Identifier: Apache-2.0
// Makes up the environment.
#include "environment.h"

#include <QFile>
#include <QFileInfo>

namespace glovebox {

QByteArrayList sealedEnvironment(const InterpreterCandidate &interpreter)
{
    QByteArray path = "/usr/local/bin:/usr/bin:/bin";
    // An interpreter with folders of its own: what the snippet starts by name (pip, npx) comes from there too.
    if (!interpreter.folders.isEmpty())
        path.prepend(QFile::encodeName(QFileInfo(interpreter.path).path()) + ':');
    return {"PATH=" + path, "HOME=/work", "USER=sandbox", "LOGNAME=sandbox", "LANG=C.UTF-8",
            "TMPDIR=/tmp",  "TERM=dumb",  "PWD=/work",    "SHELL=/bin/sh"};
}

} // namespace glovebox
