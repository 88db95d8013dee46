// SPDX-License-Identifier: Apache-2.0
// Where tests of packages get them from, and where they are then.
#pragma once

#include "engine/base/base.h"
#include "tests/app/cli/program.h"

#include <QFileInfo>
#include <QTest>

#include <unistd.h>

namespace glovebox {

// Makes packages in the test internet: "index.py" those of Python, "registry.py" those of Node.js.
inline void makeIndex(const QString &script = QStringLiteral("index.py"))
{
    QProcess python;
    python.start(QStringLiteral("/usr/bin/python3"),
                 {QStringLiteral("-B"), QStringLiteral(GLOVEBOX_SOURCE_DIR "/tests/engine/packages/") + script,
                  QFileInfo(qEnvironmentVariable("TEST_INTERNET_LOG")).path()});
    QVERIFY(python.waitForFinished(60'000));
    QVERIFY2(python.exitCode() == 0, python.readAllStandardError().constData());
}

// The folder of a home's installed packages, which is outside of it for root.
inline QString packagesOf(const Home &home)
{
    const QString data = home.path(QStringLiteral("data"));
    return ::geteuid() == 0 ? QStringLiteral("/var/lib/glovebox/packages-")
                                  + QString::fromLatin1(sha256({QFile::encodeName(data)}).toHex().first(16))
                            : data + QStringLiteral("/packages");
}

inline void removePackagesOf(const Home &home)
{
    static_cast<void>(removeTree(packagesOf(home)));
}

} // namespace glovebox
