// SPDX-License-Identifier: Apache-2.0
#include "outputlog.h"

#include "app/workbench/shell/words.h"

namespace glovebox {

void OutputLog::append(const OutputChunk &chunk)
{
    m_kind = chunk.stream == OutputStream::Out ? OutputLine::Kind::Out : OutputLine::Kind::Err;
    m_bytesSinceGap += chunk.bytes.size();
    parserOf(chunk.stream).feed(chunk.bytes, *this);
    Q_EMIT changed();
}

void OutputLog::finishParsers()
{
    m_kind = OutputLine::Kind::Out;
    m_out.finish(*this);
    m_kind = OutputLine::Kind::Err;
    m_err.finish(*this);
    m_lines.endLine();
}

void OutputLog::skip(qint64 bytes)
{
    if (bytes <= 0)
        return;
    finishParsers();
    m_skipped += bytes;
    if (m_gapLine >= m_lines.first()) {
        m_skipped += m_bytesSinceGap;
        m_lines.truncate(m_gapLine);
    }
    m_bytesSinceGap = 0;
    m_gapLine = m_lines.end();
    m_lines.appendLine(OutputLine::Kind::Note, gapSentence(m_skipped));
    Q_EMIT changed();
}

QString OutputLog::gapSentence(qint64 bytes)
{
    return tr("… %1 of output left out here …").arg(sizeWord(bytes));
}

void OutputLog::setLines(LineStore lines)
{
    m_lines = std::move(lines);
    Q_EMIT changed();
}

void OutputLog::finish()
{
    finishParsers();
    Q_EMIT changed();
}

void OutputLog::remark(OutputLine::Kind kind, const QString &text)
{
    m_lines.appendLine(kind, text);
    Q_EMIT changed();
}

} // namespace glovebox
