// SPDX-License-Identifier: Apache-2.0
// A little room on the log's disk that is kept for entries of deletions. On a full disk nothing could be deleted without it, as each
// deletion is on record.
#pragma once

#include <QString>

namespace glovebox {

// A file beside the log. Whoever records a deletion on a full disk empties the file, and the log takes its room. Thread-safe, also between
// programs.
class Reserve
{
public:
    static constexpr qint64 bytes = qint64(1024) * 1024; // an entry takes about 25 KB of them, opening the log 32 KB

    explicit Reserve(const QString &log)
        : m_file(log + QStringLiteral("-reserve"))
    {
    }

    // Makes it, unless it is there, or the disk has little room. False: it was given up, and the disk has no room for it since.
    bool keep() const;
    bool isGivenUp() const;
    // True: its room is free now.
    bool giveUp() const;

private:
    QString m_file;
};

} // namespace glovebox
