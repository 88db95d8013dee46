// SPDX-License-Identifier: Apache-2.0
// However bytes arrive, the output view is given the same text and styles, and no control in it; the store's cursor stays
// in its lines.
#include "app/workbench/runpanel/output/linestore.h"

#include <cassert>
#include <vector>

using namespace glovebox;

namespace {

// Neighbours of one style are one: where a text is cut is nobody's business.
class Collector final : public TextSink
{
public:
    struct Piece
    {
        QString text;
        TextStyle style;
        bool operator==(const Piece &) const = default;
    };
    std::vector<Piece> pieces;

    void text(QStringView text, const TextStyle &style) override
    {
        for (const QChar c : text)
            assert(c == u'\t' || (c.unicode() >= 0x20 && (c.unicode() < 0x7f || c.unicode() >= 0xa0)));
        if (pieces.empty() || pieces.back().style != style || pieces.back().text == u"\n")
            pieces.push_back({{}, style});
        pieces.back().text += text;
    }
    void newLine() override { pieces.push_back({QStringLiteral("\n"), {}}); }
    void control(LineControl control, int count) override
    {
        pieces.push_back({QStringLiteral("%1 %2").arg(int(control)).arg(count), {}});
        pieces.push_back({QStringLiteral("\n"), {}});
    }
};

class Storing final : public TextSink
{
public:
    LineStore lines;

    void text(QStringView text, const TextStyle &style) override { lines.append(OutputLine::Kind::Out, text, style); }
    void newLine() override { lines.newLine(OutputLine::Kind::Out); }
    void control(LineControl control, int count) override { lines.control(OutputLine::Kind::Out, control, count); }
};

void checkLines(const LineStore &lines)
{
    qint64 characters = 0;
    for (qint64 number = lines.first(); number < lines.end(); ++number) {
        const OutputLine &line = lines.line(number);
        characters += line.text.size();
        assert(line.text.size() <= LineStore::longestLine && line.text.isValidUtf16());
        int columns = 0;
        for (qsizetype i = 0; i < line.text.size();)
            columns += cellsOf(nextCodePoint(line.text, i), columns);
        assert(line.columns == columns && lines.widest() >= columns);
        assert(!line.plain || columns == line.text.size());
        int last = -1;
        for (const StyleSpan &span : line.spans) {
            assert(span.start > last && span.start <= line.text.size());
            last = span.start;
        }
    }
    assert(characters == lines.characters());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const QByteArrayView bytes(data, static_cast<qsizetype>(size));
    Collector whole;
    AnsiParser parser;
    parser.feed(bytes, whole);
    parser.finish(whole);

    Collector cut;
    AnsiParser inPieces;
    for (qsizetype at = 0, length = 1; at < bytes.size(); at += length, length = 1 + (length * 3) % 7)
        inPieces.feed(bytes.sliced(at, std::min(length, bytes.size() - at)), cut);
    inPieces.finish(cut);
    assert(whole.pieces == cut.pieces);

    Storing storing;
    AnsiParser again;
    again.feed(bytes, storing);
    again.finish(storing);
    checkLines(storing.lines);
    return 0;
}
