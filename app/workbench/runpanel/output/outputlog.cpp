// SPDX-License-Identifier: Apache-2.0
#include "outputlog.h"

#include "app/workbench/shell/words/words.h"

#include <algorithm>

namespace glovebox {

void OutputLog::append(const OutputChunk &chunk)
{
    m_bytesSinceGap += chunk.bytes.size();
    const qint64 firstNewLine = m_text.lines().end();
    if (m_screen) {
        m_screen->feed(chunk.bytes);
        return noteTime(firstNewLine);
    }
    m_text.append(chunk);
    noteTime(firstNewLine);
    tell();
}

void OutputLog::openScreen(QSize cells)
{
    m_screen = std::make_unique<TerminalScreen>(m_text.lines(), cells);
}

void OutputLog::resizeScreen(QSize cells)
{
    if (!m_screen)
        return;
    m_screen->resize(cells);
    showScreen();
}

void OutputLog::showScreen()
{
    if (!m_screen)
        return;
    m_screen->show();
    tell();
}

void OutputLog::skip(qint64 bytes)
{
    if (bytes <= 0)
        return;
    m_text.finish();
    if (m_screen)
        m_screen->settle();
    LineStore &lines = m_text.lines();
    m_skipped += bytes;
    if (m_gapLine >= lines.first()) {
        m_skipped += m_bytesSinceGap;
        lines.truncate(m_gapLine);
    }
    m_bytesSinceGap = 0;
    m_gapLine = lines.end();
    lines.appendLine(OutputLine::Kind::Note, gapSentence(m_skipped));
    if (m_screen)
        m_screen->moveToEnd();
    noteTime(m_gapLine);
    tell();
}

void OutputLog::noteTime(qint64 firstNewLine)
{
    if (firstNewLine >= lines().end())
        return; // the last line went on
    while (!m_times.empty() && m_times.back().first >= firstNewLine)
        m_times.pop_back(); // of lines that were left out
    m_times.emplace_back(firstNewLine, QTime::currentTime());
    while (m_times.size() > 1 && m_times[1].first <= lines().first())
        m_times.pop_front();
}

std::optional<QTime> OutputLog::timeOf(qint64 line) const
{
    const auto behind = std::ranges::upper_bound(m_times, line, {}, &std::pair<qint64, QTime>::first);
    return behind == m_times.begin() ? std::nullopt : std::optional(std::prev(behind)->second);
}

QString OutputLog::gapSentence(qint64 bytes)
{
    return tr("… %1 of output left out here …").arg(sizeWord(bytes));
}

void OutputLog::setLines(LineStore lines)
{
    m_text.lines() = std::move(lines);
    m_times.clear();
    tell();
}

void OutputLog::finish()
{
    m_text.finish();
    if (m_screen)
        m_screen->finish();
    m_screen.reset();
    tell();
}

void OutputLog::remark(OutputLine::Kind kind, const QString &text)
{
    if (m_screen)
        m_screen->settle();
    const qint64 firstNewLine = m_text.lines().end();
    m_text.lines().appendLine(kind, text);
    noteTime(firstNewLine);
    if (m_screen)
        m_screen->moveToEnd();
    tell();
}

} // namespace glovebox
