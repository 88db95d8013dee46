// SPDX-License-Identifier: Apache-2.0
// However bytes arrive, a terminal is sent the same, and nothing in it but text, tabs, newlines and colours.
#include "app/cli/terminal/terminal.h"

#include <QString>

#include <cassert>

using namespace glovebox;

namespace {

bool isColour(QByteArrayView sequence) // after ESC
{
    qsizetype i = 1;
    if (!sequence.startsWith('['))
        return false;
    while (i < sequence.size() && QByteArrayView("0123456789;:").contains(sequence[i]))
        ++i;
    return i < sequence.size() && sequence[i] == 'm';
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const QByteArray bytes(reinterpret_cast<const char *>(data), static_cast<qsizetype>(size));
    TerminalFilter whole(TerminalFilter::Colours::Pass);
    QByteArray shown = whole.filter(bytes);
    shown += whole.finish();

    TerminalFilter pieces(TerminalFilter::Colours::Pass);
    QByteArray same;
    for (qsizetype at = 0, length = 1; at < bytes.size(); at += length, length = 1 + (length * 3) % 7)
        same += pieces.filter(bytes.mid(at, length));
    same += pieces.finish();
    assert(same == shown);

    for (qsizetype i = 0; i < shown.size(); ++i) {
        const char c = shown[i];
        assert(c != 0x7f && (static_cast<uchar>(c) >= 0x20 || c == '\n' || c == '\t' || c == '\x1b'));
        assert(c != '\x1b' || isColour(QByteArrayView(shown).sliced(i + 1)));
    }
    assert(QString::fromUtf8(shown).toUtf8() == shown);
    assert(!escapedLine(bytes).contains('\n') && !escapedText(bytes).contains('\x1b'));
    return 0;
}
