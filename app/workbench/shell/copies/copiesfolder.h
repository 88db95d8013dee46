// SPDX-License-Identifier: Apache-2.0
// Copies of files for other programs, in a folder that goes with its owner, also where this program was killed.
#pragma once

#include "engine/base/base.h"

#include <QString>

namespace glovebox {

// A folder of its own in the folder for temporary files, which nobody else can look into. Its owner holds a lock on it (flock(2)), which
// ends with the process, however it ends. Removed with the object.
class CopiesFolder
{
public:
    CopiesFolder();
    CopiesFolder(const CopiesFolder &) = delete;
    CopiesFolder &operator=(const CopiesFolder &) = delete;
    ~CopiesFolder();

    QString filePath(const QString &name) const; // empty: no folder could be made

    // Removes those of this user that no process holds. What isn't surely such a folder stays: links, what belongs to others or others may
    // write to, and all where somebody else could put another folder in the place of one. Blocks; any thread.
    static void removeLeft();

private:
    QString m_path;
    UniqueFd m_lock;
};

} // namespace glovebox
