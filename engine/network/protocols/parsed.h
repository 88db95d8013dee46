// SPDX-License-Identifier: Apache-2.0
// What every parser of a run's bytes answers. They are pure and throw nothing (but for memory): they get all bytes that came so
// far, and keep nothing. Their results don't depend on how the bytes were cut; a verdict is for good, whatever follows.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

namespace glovebox::network {

enum class ParseState {
    NeedMore, // no verdict yet: ask again with more bytes; each parser has a limit at which it gives one
    Done,
    Malformed, // close the connection
};

template<typename T> struct Parsed
{
    ParseState state = ParseState::NeedMore;
    T value{}; // with Done
    std::size_t used = 0; // with Done: bytes at the front that belong to it
    std::string_view fault; // with Malformed: what is wrong, in English, of static storage; never bytes of the run

    bool operator==(const Parsed &) const = default;
};

template<typename T> Parsed<T> done(T value, std::size_t used)
{
    return {ParseState::Done, std::move(value), used, {}};
}

// Becomes any Parsed, as std::unexpected does.
struct Malformed
{
    std::string_view fault;

    template<typename T> operator Parsed<T>() const { return {ParseState::Malformed, {}, 0, fault}; }
};

} // namespace glovebox::network
