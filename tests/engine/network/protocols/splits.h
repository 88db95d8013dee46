// SPDX-License-Identifier: Apache-2.0
// Bytes come in pieces; a parser's verdict may not depend on how they were cut.
#pragma once

#include "engine/network/protocols/parsed.h"

#include <QTest>

namespace glovebox::network {

using namespace std::string_literals;

// The verdict on all of bytes, after each beginning of them got either the same one or none, and more after them changed
// nothing. parse takes bytes and how many of these it has seen before.
template<typename Parse> auto atEverySplit(const std::string &bytes, Parse parse)
{
    auto whole = parse(bytes, 0);
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
        const std::string part = bytes.substr(0, size); // of its own, for the address sanitizer
        for (const std::size_t seen : {std::size_t{0}, size - std::min<std::size_t>(size, 1), size / 2}) {
            if (seen > 0 && parse(part.substr(0, seen), 0).state != ParseState::NeedMore)
                continue;
            const auto verdict = parse(part, seen);
            if (verdict.state != ParseState::NeedMore && verdict != whole)
                qFatal("another verdict on the first %zu bytes, %zu of them seen", size, seen);
        }
    }
    if (whole.state != ParseState::NeedMore && parse(bytes + "\0\xff\r\nmore"s, 0) != whole)
        qFatal("what follows changes the verdict");
    if (whole.state == ParseState::Done && whole.used > bytes.size())
        qFatal("more was used than there is");
    if (whole.state == ParseState::Malformed && whole.fault.empty())
        qFatal("malformed without a reason");
    return whole;
}

} // namespace glovebox::network
