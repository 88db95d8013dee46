// SPDX-License-Identifier: Apache-2.0
// How far applying is, told to whoever waits for it and may stop it.
#pragma once

#include "engine/folders/folders.h"

namespace glovebox {

class Course
{
public:
    Course() = default; // nobody waits
    // all: how much there is to do.
    Course(ApplyProgress progress, AppliedUntilNow all)
        : m_progress(std::move(progress))
        , m_now(all)
    {
    }

    // Asks; false once it is to stop, from then on always.
    bool goesOn() { return wrote(0); }
    // The same in the middle of a file, of which more was read or written.
    bool wrote(qint64 bytes);
    // For a function that reads or writes one file, but tells nothing of the bytes.
    std::function<bool(qint64)> asking()
    {
        return [this](qint64) { return goesOn(); };
    }
    std::function<bool(qint64)> counting()
    {
        return [this](qint64 bytes) { return wrote(bytes); };
    }
    // This change is applied, or was refused.
    void finished(const FolderChange &change);
    bool isStopped() const { return m_isStopped; }
    // What comes now is one deed with what follows: it goes on in any case.
    void hold(bool is) { m_isHeld = is; }

private:
    ApplyProgress m_progress;
    AppliedUntilNow m_now;
    qint64 m_whole = 0; // bytes of the changes that are finished
    bool m_isStopped = false;
    bool m_isHeld = false;
};

} // namespace glovebox
