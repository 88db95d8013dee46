// SPDX-License-Identifier: Apache-2.0
// How far a copy into a session or out of one is, on a terminal: "120 of 3000 files, 12.5 MB of 340 MB".
#pragma once

#include "app/cli/terminal/statusline.h"

#include "engine/engine.h"

namespace glovebox {

class CopyLine
{
public:
    CopyLine() = default; // nobody knows how much it will be
    explicit CopyLine(const SessionTree &all);

    CopyProgress progress(); // for as long as this lives
    void end() { m_line.end(); }

private:
    StatusLine m_line;
    std::optional<CopiedUntilNow> m_all;
};

} // namespace glovebox
