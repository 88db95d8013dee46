// SPDX-License-Identifier: Apache-2.0
// What the code of a cell writes to its interpreter's channel: an answer is the same in whatever pieces it comes, and never larger than it
// may be.
#include "engine/languages/languages.h"

#include <algorithm>
#include <cassert>
#include <cstdint>

using namespace glovebox;

namespace {

CellAnswer answerIn(QByteArrayView bytes, qsizetype step)
{
    CellAnswer answer("tag");
    for (qsizetype at = 0; at < bytes.size(); at += step) {
        answer.feed(bytes.sliced(at, std::min(step, bytes.size() - at)));
        assert(answer.status() || !answer.value());
    }
    return answer;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const QByteArrayView bytes(reinterpret_cast<const char *>(data), qsizetype(size));
    const CellAnswer whole = answerIn(bytes, bytes.size() + 1);
    assert(!whole.status() || (*whole.status() >= 0 && *whole.status() <= 255));
    assert(!whole.value() || whole.value()->text.size() <= maximumValueBytes);
    assert(!whole.status() || bytes.contains(QByteArrayView("tag")));
    for (const qsizetype step : {1, 7}) {
        const CellAnswer inPieces = answerIn(bytes, step);
        assert(inPieces.status() == whole.status() && inPieces.value() == whole.value());
    }
    return 0;
}
