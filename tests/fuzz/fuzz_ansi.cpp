// SPDX-License-Identifier: Apache-2.0
// However bytes arrive, the output view is given the same text and styles, and no control in it.
#include "app/workbench/runpanel/output/ansi/ansiparser.h"

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
};

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
    return 0;
}
