// SPDX-License-Identifier: Apache-2.0
// The room's public header: what becomes of the folders that a person grants, before and after a run.
#pragma once

#include "engine/policy/policy.h"

#include <QByteArray>
#include <QMap>

#include <memory>
#include <optional>

namespace glovebox {

// What happened to one entry of a folder.
struct FolderChange
{
    enum class Kind { Added, Changed, Removed };
    enum class Type { File, Folder, Link, Other };
    Kind kind = Kind::Changed;
    Type type = Type::File; // of what is there now; of what was removed
    QByteArray path; // relative to the folder; any bytes but NUL
    qint64 bytes = 0; // of a file, as it is now
    quint32 mode = 0; // permissions now (0755), and before; 0 where there is none
    quint32 oldMode = 0;
    bool isSensitive = false; // other programs run it or obey it: hooks, editors' and shells' settings, build files

    bool operator==(const FolderChange &) const = default;
};

// Whether programs of the person may run or obey what is at this path of a folder: .git/hooks, .envrc, .vscode ...
bool isSensitive(const QByteArray &path);

// Looks at the sensitive files of a folder that a run may write to, to tell afterwards which of them it changed. Nothing
// prevents that where the folder itself is granted (a read-only mount over .git/hooks is got round by renaming .git).
class SensitiveFiles
{
public:
    // Takes the state before. descriptor: of the folder (O_PATH will do). Reads names and times only.
    explicit SensitiveFiles(int descriptor);
    ~SensitiveFiles();
    SensitiveFiles(SensitiveFiles &&) noexcept;

    // What is different now, by path; once, after the run.
    QList<FolderChange> changes() const;
    // False: the folder is too large or parts of it can't be read, so changes may be missed.
    bool isWhole() const;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

struct TreeSize
{
    qint64 bytes = 0; // on disk
    qint64 entries = 0;

    bool operator==(const TreeSize &) const = default;
};

// What a folder takes up; nullopt when it has more entries than can be counted again and again.
std::optional<TreeSize> measureTree(int descriptor);

} // namespace glovebox
