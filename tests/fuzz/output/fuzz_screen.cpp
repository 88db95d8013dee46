// SPDX-License-Identifier: Apache-2.0
// Whatever a program prints into a terminal, the screen stays in its bounds, and its rows are lines of the store.
#include "app/workbench/runpanel/output/terminal/terminalscreen.h"

#include <cassert>

using namespace glovebox;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const QByteArrayView bytes(data, static_cast<qsizetype>(size));
    SequenceFilter whole;
    QByteArray passed = whole.passed(bytes);
    passed += whole.finish();
    SequenceFilter cut;
    QByteArray inPieces;
    LineStore lines;
    TerminalScreen screen(lines, {20, 5});
    for (qsizetype at = 0, length = 1; at < bytes.size(); at += length, length = 1 + (length * 3) % 7) {
        const QByteArrayView piece = bytes.sliced(at, std::min(length, bytes.size() - at));
        inPieces += cut.passed(piece);
        screen.feed(piece);
        if (at % 5 == 0)
            screen.show();
        if (at % 31 == 30)
            screen.resize({3 + int(at) % 40, 2 + int(at) % 9});
        if (const auto cursor = screen.cursor())
            assert(cursor->line >= lines.first() && cursor->line < lines.end() && cursor->column >= 0);
        assert(screen.takeAnswers().size() < 200);
    }
    assert(inPieces + cut.finish() == passed);
    screen.finish();
    for (qint64 number = lines.first(); number < lines.end(); ++number) {
        for (const QChar c : lines.line(number).text)
            assert(c.unicode() >= 0x20 && (c.unicode() < 0x7f || c.unicode() >= 0xa0));
    }
    return 0;
}
