// SPDX-License-Identifier: Apache-2.0
// Both sides of a connection while it is looked at: no verdict depends on how the bytes were cut, and what is passed on has no
// request line of HTTP in it. The first byte chooses the kind; then each piece has a byte before it: its side, and its size.
#include "engine/network/protocols/opening.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <memory>
#include <vector>

using namespace glovebox::network;

namespace {

struct Piece
{
    Opening::Side side;
    std::string_view bytes;
};

std::vector<Piece> piecesOf(std::string_view bytes)
{
    std::vector<Piece> pieces;
    while (!bytes.empty()) {
        const auto head = static_cast<unsigned char>(bytes[0]);
        const std::string_view piece = bytes.substr(1, (head & 0x7f) + 1U);
        pieces.push_back({(head & 0x80) != 0 ? Opening::Side::Server : Opening::Side::Run, piece});
        bytes.remove_prefix(1 + piece.size());
    }
    return pieces;
}

std::unique_ptr<Opening> openingOf(bool isTls)
{
    if (isTls)
        return std::make_unique<TlsOpening>(ClientHello{*canonicalHost("example.org")}, 0);
    return std::make_unique<PlainOpening>();
}

// METHOD TARGET HTTP/x.y, as servers read it (without a target the version is one, of HTTP/0.9 and its own host); by another way than the
// program's.
bool isRequestLine(std::string_view line)
{
    constexpr std::string_view blanks = " \t\v\f";
    const auto trim = [&](std::string_view text) {
        const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
        return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
    };
    line = trim(line);
    const std::size_t last = line.find_last_of(blanks);
    const std::size_t first = line.find_first_of(blanks);
    if (last == std::string_view::npos || trim(line.substr(first, last - first)).empty())
        return false;
    const auto isLetter = [](char c) { return c >= 'A' && c <= 'Z'; };
    const std::string_view version = line.substr(last + 1);
    return std::ranges::all_of(line.substr(0, first), isLetter) && version.size() == 8 && version.starts_with("HTTP/")
           && version.find_first_not_of("0123456789.", 5) == std::string_view::npos;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    if (size == 0)
        return 0;
    const std::string_view bytes(reinterpret_cast<const char *>(data), size);
    const bool isTls = (bytes[0] & 1) != 0;
    const auto whole = openingOf(isTls);
    const auto cut = openingOf(isTls);
    std::string passed; // of the run's, while the server has said nothing
    for (const Piece &piece : piecesOf(bytes.substr(1))) {
        const bool goesOn = whole->follow(piece.side, piece.bytes);
        bool cutGoesOn = true;
        for (std::size_t i = 0; cutGoesOn && i < piece.bytes.size(); ++i)
            cutGoesOn = cut->follow(piece.side, piece.bytes.substr(i, 1));
        assert(goesOn == cutGoesOn);
        assert(goesOn == whole->fault().empty() && goesOn == cut->fault().empty());
        if (!goesOn || piece.side == Opening::Side::Server)
            break;
        assert(whole->isOver(piece.side) == cut->isOver(piece.side));
        passed += piece.bytes;
    }
    for (std::string_view rest = passed; !rest.empty();) {
        const std::size_t end = rest.find_first_of("\r\n");
        if (end == std::string_view::npos)
            break;
        assert(!isRequestLine(rest.substr(0, end)));
        rest.remove_prefix(end + 1);
    }
    return 0;
}
