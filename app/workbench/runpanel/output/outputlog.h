// SPDX-License-Identifier: Apache-2.0
// What one run printed, as lines, with our own remarks between them.
#pragma once

#include "streamlines.h"
#include "terminal/terminalscreen.h"

#include <QObject>
#include <QTime>

#include <deque>
#include <memory>
#include <optional>
#include <utility>

namespace glovebox {

// Lives on the GUI thread.
class OutputLog : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;

    const LineStore &lines() const { return m_text.lines(); }

    void append(const OutputChunk &chunk);
    // For a run with a terminal: from now on output goes to a screen; showScreen() shows its changes.
    void openScreen(QSize cells);
    void resizeScreen(QSize cells);
    void showScreen();
    // Null: there is none, or the run is over.
    TerminalScreen *screen() const { return m_screen.get(); }

    // Bytes that were printed here aren't shown. One gap at most: what was shown since the last one is left out too, so
    // that the view ends up with the beginning and the end of a flood, as the record does.
    void skip(qint64 bytes);
    // Nothing of the program follows: shows what is unfinished.
    void finish();
    void remark(OutputLine::Kind kind, const QString &text);

    // Shows these instead of what was appended.
    void setLines(LineStore lines);
    static QString gapSentence(qint64 bytes);

    // When the beginning of the line came here; nullopt: not known, as for lines of setLines().
    std::optional<QTime> timeOf(qint64 line) const;

    qint64 skippedBytes() const { return m_skipped; }

Q_SIGNALS:
    // Once for each call above. from: the first line that is another than before, if that is above the last one.
    void changed(qint64 from);

private:
    void noteTime(qint64 firstNewLine);
    void tell() { Q_EMIT changed(m_text.lines().takeChanged()); }

    StreamLines m_text;
    std::unique_ptr<TerminalScreen> m_screen;
    std::deque<std::pair<qint64, QTime>> m_times; // of this line and those behind it
    qint64 m_skipped = 0;
    qint64 m_gapLine = -1; // the remark that says what was skipped
    qint64 m_bytesSinceGap = 0;
};

} // namespace glovebox
