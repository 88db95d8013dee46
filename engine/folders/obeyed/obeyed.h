// SPDX-License-Identifier: Apache-2.0
// Which files of a folder other programs run or obey without being asked: one table, with who does.
#pragma once

#include "engine/base/base.h"

#include <QByteArray>
#include <QHash>

#include <optional>

namespace glovebox {

// Why a person should look at what is at this path of a folder first: who runs or obeys such a file ("Git runs this file, or
// commands that it names."), or that a link leads out of the folder, or may once other links are followed on its way. Nothing: the table
// knows nobody. path: relative to the folder, any bytes but NUL. target: of a link, else null.
std::optional<Text> whySensitive(const QByteArray &path, const QByteArray *target = nullptr);

// Git obeys the configuration of every folder that looks like a repository, whatever its name, for whoever calls it inside
// (`safe.bareRepository`, git-config(1)). Shown all entries of a folder, knows which of them belong to one.
class GitFolders
{
public:
    // Whether the answer about this path may be needed.
    static bool mayObey(const QByteArray &path);
    void see(const QByteArray &path);
    std::optional<Text> obeyedBy(const QByteArray &path) const;

private:
    enum Part : unsigned { Head = 1, Objects = 2, Refs = 4, CommonDir = 8 };
    bool isGitFolder(const QByteArray &folder) const;

    QHash<QByteArray, unsigned> m_parts; // by folder
};

} // namespace glovebox
