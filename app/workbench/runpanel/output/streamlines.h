// SPDX-License-Identifier: Apache-2.0
// The lines of both streams of a program, each with a parser of its own.
#pragma once

#include "linestore.h"

#include "engine/engine.h"

namespace glovebox {

// A plain value.
class StreamLines : private TextSink
{
public:
    void append(const OutputChunk &chunk)
    {
        m_kind = kindOf(chunk.stream);
        parserOf(chunk.stream).feed(chunk.bytes, *this);
    }
    // Shows what is unfinished.
    void finish()
    {
        for (const OutputStream stream : {OutputStream::Out, OutputStream::Err}) {
            m_kind = kindOf(stream);
            parserOf(stream).finish(*this);
        }
        m_lines.endLine();
    }
    const LineStore &lines() const { return m_lines; }
    LineStore &lines() { return m_lines; }

private:
    static OutputLine::Kind kindOf(OutputStream stream)
    {
        return stream == OutputStream::Out ? OutputLine::Kind::Out : OutputLine::Kind::Err;
    }
    AnsiParser &parserOf(OutputStream stream) { return stream == OutputStream::Out ? m_out : m_err; }
    void text(QStringView text, const TextStyle &style) override { m_lines.append(m_kind, text, style); }
    void newLine() override { m_lines.newLine(m_kind); }
    void control(LineControl control, int count) override { m_lines.control(m_kind, control, count); }

    LineStore m_lines;
    AnsiParser m_out, m_err;
    OutputLine::Kind m_kind = OutputLine::Kind::Out; // where the parser's text goes
};

} // namespace glovebox
