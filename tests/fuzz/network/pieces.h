// SPDX-License-Identifier: Apache-2.0
// What holds for every parser of bytes that come in pieces: no verdict depends on how they were cut.
#pragma once

#include "engine/network/protocols/parsed.h"

#include <algorithm>
#include <cassert>

// parse takes bytes and how many of these it has seen before. The verdict on all of them.
template<typename Parse> auto inPieces(std::string_view bytes, Parse parse)
{
    using glovebox::network::ParseState;
    auto whole = parse(bytes, std::size_t{0});
    assert(whole.used <= bytes.size());
    assert((whole.state == ParseState::Malformed) == !whole.fault.empty());
    // Not at every place: long inputs would be slow.
    const std::size_t step = std::max<std::size_t>(bytes.size() / 64, 1);
    std::size_t seen = 0;
    for (std::size_t size = 0; size < bytes.size(); size += step) {
        const auto verdict = parse(bytes.substr(0, size), seen);
        if (verdict.state != ParseState::NeedMore) {
            assert(verdict == whole);
            break;
        }
        seen = size;
    }
    if (whole.state == ParseState::Done)
        assert(parse(bytes.substr(0, whole.used), std::size_t{0}) == whole);
    return whole;
}
