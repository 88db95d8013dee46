// SPDX-License-Identifier: Apache-2.0
// A line on the terminal of standard error that says how far something is, and is drawn over itself.
#pragma once

#include <QByteArray>

#include <chrono>
#include <optional>

namespace glovebox {

// Standard error is a terminal on which a line can be drawn over.
bool canRedraw();

// What is done before the first drawing is due is never shown.
class StatusLine
{
public:
    // isShown: and standard error is a terminal that can draw over a line; else nothing is ever written.
    explicit StatusLine(bool isShown = true);

    // At most some times a second.
    void show(const QByteArray &line);
    // How long until the line that was held back is due; none is.
    std::optional<std::chrono::milliseconds> nextDrawing() const;
    void clear(); // for other lines; shown anew by the next show()
    void end(); // and nothing is due any more

private:
    const bool m_isShown;
    std::chrono::steady_clock::time_point m_drawn;
    bool m_isDue = false, m_isThere = false;
};

} // namespace glovebox
