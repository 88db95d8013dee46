// SPDX-License-Identifier: Apache-2.0
#include "statusline.h"

#include "console.h"
#include "terminalmode.h"

#include <unistd.h>

#include <utility>

namespace glovebox {

using namespace std::chrono_literals;

namespace {

constexpr auto betweenDrawings = 100ms;

} // namespace

// As terminals have drawn lines again since the VT100; one that can't says so.
bool canRedraw()
{
    return isTerminal(STDERR_FILENO) && !qEnvironmentVariableIsEmpty("TERM") && qgetenv("TERM") != "dumb";
}

StatusLine::StatusLine(bool isShown)
    : m_isShown(isShown && canRedraw())
    , m_drawn(std::chrono::steady_clock::now())
{
}

void StatusLine::show(const QByteArray &line)
{
    if (!m_isShown)
        return;
    m_isDue = true;
    if (std::chrono::steady_clock::now() - m_drawn < betweenDrawings)
        return;
    m_drawn = std::chrono::steady_clock::now();
    m_isDue = false;
    m_isThere = true;
    std::ignore = writeAll(STDERR_FILENO,
                           "\r\x1b[K" + line.first(std::min<qsizetype>(line.size(), sizeOfTerminal().columns - 1)));
}

std::optional<std::chrono::milliseconds> StatusLine::nextDrawing() const
{
    if (!m_isDue)
        return std::nullopt;
    const auto left = m_drawn + betweenDrawings - std::chrono::steady_clock::now();
    return std::max(std::chrono::ceil<std::chrono::milliseconds>(left), 0ms);
}

void StatusLine::clear()
{
    if (std::exchange(m_isThere, false))
        std::ignore = writeAll(STDERR_FILENO, "\r\x1b[K");
}

void StatusLine::end()
{
    clear();
    m_isDue = false;
}

} // namespace glovebox
