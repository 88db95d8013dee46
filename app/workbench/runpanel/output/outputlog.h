// SPDX-License-Identifier: Apache-2.0
// What one run printed, as lines, with our own remarks between them.
#pragma once

#include "linestore.h"

#include "engine/engine.h"

#include <QObject>

namespace glovebox {

// Lives on the GUI thread.
class OutputLog : public QObject, private TextSink
{
    Q_OBJECT
public:
    using QObject::QObject;

    const LineStore &lines() const { return m_lines; }

    void append(const OutputChunk &chunk);
    // Bytes that were printed here aren't shown. One gap at most: what was shown since the last one is left out too, so
    // that the view ends up with the beginning and the end of a flood, as the record does.
    void skip(qint64 bytes);
    // Nothing of the program follows: shows what is unfinished.
    void finish();
    void remark(OutputLine::Kind kind, const QString &text);

    // Shows these instead of what was appended.
    void setLines(LineStore lines);
    static QString gapSentence(qint64 bytes);

    qint64 skippedBytes() const { return m_skipped; }

Q_SIGNALS:
    void changed(); // once for each call above

private:
    void text(QStringView text, const TextStyle &style) override { m_lines.append(m_kind, text, style); }
    void newLine() override { m_lines.newLine(m_kind); }
    AnsiParser &parserOf(OutputStream stream) { return stream == OutputStream::Out ? m_out : m_err; }
    void finishParsers();

    LineStore m_lines;
    AnsiParser m_out, m_err;
    OutputLine::Kind m_kind = OutputLine::Kind::Out; // where the parser's text goes
    qint64 m_skipped = 0;
    qint64 m_gapLine = -1; // the remark that says what was skipped
    qint64 m_bytesSinceGap = 0;
};

} // namespace glovebox
