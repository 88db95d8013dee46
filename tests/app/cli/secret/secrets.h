// SPDX-License-Identifier: Apache-2.0
// `glovebox secret ...` as tests call it, and what it is to keep to itself.
#pragma once

#include "tests/app/cli/program.h"

#include <QDirIterator>
#include <QFile>

namespace glovebox {

inline const QByteArray passphrase = "correct horse battery";
inline const QByteArray value = "s3cr3t-needle-of-the-test";

inline Ended secret(const Home &home, const QStringList &words, const QByteArray &input = {})
{
    return home.run(QStringList{QStringLiteral("secret")} + words, input);
}

// No file below holds the bytes.
inline bool isClean(const Home &home, const QByteArray &bytes)
{
    QDirIterator files(home.path(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        QFile file(files.next());
        if (!file.open(QIODevice::ReadOnly) || file.readAll().contains(bytes))
            return false;
    }
    return true;
}

} // namespace glovebox
