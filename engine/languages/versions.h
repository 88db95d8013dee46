// SPDX-License-Identifier: Apache-2.0
// Versions of interpreters, asked for once and remembered in a file until the program changes.
#pragma once

#include "languages.h"

#include <QHash>

namespace glovebox {

// One use, one thread: reads the file when made, writes it in save() if something was learnt. The file is a cache: what is
// broken in it is asked for again, and a file that can't be written is no failure.
class Versions
{
public:
    Versions(QString cacheFile, VersionQuestion ask); // either may be empty
    // Asks unless it is known. Empty when it didn't tell, nullopt when nobody could ask.
    std::optional<QString> of(const InterpreterCandidate &interpreter, const QStringList &versionArguments);
    void save() const;

private:
    QString m_cacheFile;
    VersionQuestion m_ask;
    QHash<QString, QString> m_known; // "path:device:inode:size:mtime in ns" -> version
    bool m_learnt = false;
};

} // namespace glovebox
