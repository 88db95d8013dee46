// SPDX-License-Identifier: Apache-2.0
// Compression is refused: nothing stands before a question that it could point to.
#include "engine/network/protocols/dns.h"

#include "engine/network/protocols/bytereader.h"

namespace glovebox::network {

namespace {

constexpr std::uint16_t responseBit = 0x8000;
constexpr std::uint16_t opcodeBits = 0x7800;
constexpr std::uint16_t truncatedBit = 0x0200;
constexpr std::uint16_t recursionDesiredBit = 0x0100;
constexpr std::uint16_t recursionAvailableBit = 0x0080;
constexpr std::uint16_t classInternet = 1;
constexpr std::uint16_t typeOpt = 41;
constexpr std::size_t headerSize = 12;
constexpr std::size_t labelMax = 63;
constexpr std::size_t nameMax = 255; // RFC 1035 section 3.1: with the lengths, and the root's

void append16(std::string &bytes, std::uint32_t value)
{
    bytes += static_cast<char>(value >> 8 & 0xff);
    bytes += static_cast<char>(value & 0xff);
}

// As in zone files (RFC 1035 section 5.1), so that a dot within a label is no dot between two.
void appendEscaped(std::string &text, char character)
{
    const auto byte = static_cast<unsigned char>(character);
    if (byte > 0x20 && byte < 0x7f) {
        if (character == '.' || character == '\\')
            text += '\\';
        text += character;
        return;
    }
    text += {'\\', static_cast<char>('0' + byte / 100), static_cast<char>('0' + byte / 10 % 10),
             static_cast<char>('0' + byte % 10)};
}

// Nothing if it doesn't end, or is a pointer.
std::optional<std::string> takeName(ByteReader &reader)
{
    const std::size_t start = reader.used();
    std::string name;
    while (true) {
        const std::size_t length = reader.u8();
        const std::string_view label = reader.take(length);
        if (reader.failed() || length > labelMax || reader.used() - start > nameMax)
            return std::nullopt;
        if (length == 0)
            return name.empty() ? "." : name;
        if (!name.empty())
            name += '.';
        for (const char letter : label)
            appendEscaped(name, letter);
    }
}

// The one additional record that a question may have is that of EDNS (RFC 6891); its wishes are not looked at.
bool takeOptRecord(ByteReader &reader)
{
    const bool root = reader.u8() == 0;
    const bool opt = reader.u16() == typeOpt;
    reader.u16(); // size of datagrams
    reader.number(4); // flags
    reader.take(reader.u16());
    return root && opt && !reader.failed();
}

// What comes after the header; true if all of it was understood.
bool takeQuestion(ByteReader &reader, std::string_view message, bool withOpt, DnsQuery &query)
{
    auto asked = takeName(reader);
    const std::uint16_t type = reader.u16();
    const std::uint16_t klass = reader.u16();
    if (!asked || reader.failed())
        return false;
    const std::size_t end = reader.used();
    if ((withOpt && !takeOptRecord(reader)) || !reader.atEnd())
        return false;
    query.asked = *std::move(asked);
    query.type = type;
    query.question = message.substr(headerSize, end - headerSize);
    if (klass != classInternet)
        query.verdict = DnsCode::NotImplemented;
    if (auto host = canonicalHost(query.asked); host && !host->address)
        query.name = *std::move(host);
    return true;
}

} // namespace

std::optional<DnsQuery> parseDnsQuery(std::string_view message)
{
    ByteReader reader(message);
    DnsQuery query;
    query.id = reader.u16();
    const std::uint16_t flags = reader.u16();
    const std::uint16_t questions = reader.u16();
    const std::uint16_t answers = reader.u16();
    const std::uint16_t authorities = reader.u16();
    const std::uint16_t additional = reader.u16();
    if (reader.failed() || (flags & responseBit) != 0)
        return std::nullopt;
    query.kept = flags & (opcodeBits | recursionDesiredBit);
    if ((flags & opcodeBits) != 0)
        query.verdict = DnsCode::NotImplemented;
    else if (message.size() > dnsQueryMax || (flags & truncatedBit) != 0 || questions != 1 || answers != 0
             || authorities != 0 || additional > 1 || !takeQuestion(reader, message, additional == 1, query))
        query.verdict = DnsCode::FormatError;
    return query;
}

std::string askedName(std::string_view message)
{
    ByteReader reader(message);
    reader.take(headerSize);
    const auto name = takeName(reader);
    return name && *name != "." ? *name : std::string();
}

Parsed<std::string_view> parseDnsFrame(std::string_view bytes)
{
    ByteReader reader(bytes);
    const std::size_t length = reader.u16();
    if (reader.failed())
        return {};
    if (length < headerSize || length > dnsQueryMax)
        return Malformed{"no DNS question has that length"};
    const std::string_view message = reader.take(length);
    if (reader.failed())
        return {};
    return done(message, reader.used());
}

std::string dnsAnswer(const DnsQuery &query, DnsCode code, const std::optional<Address> &address, std::uint32_t seconds)
{
    std::string bytes;
    append16(bytes, query.id);
    append16(bytes, std::uint32_t{responseBit} | query.kept | recursionAvailableBit | static_cast<std::uint32_t>(code));
    append16(bytes, query.question.empty() ? 0 : 1);
    append16(bytes, address ? 1 : 0);
    append16(bytes, 0);
    append16(bytes, 0);
    bytes += query.question;
    if (!address)
        return bytes;
    append16(bytes, 0xc000 | headerSize); // the question's name
    append16(bytes, DnsQuery::typeA);
    append16(bytes, classInternet);
    append16(bytes, seconds >> 16);
    append16(bytes, seconds);
    append16(bytes, 4);
    for (std::size_t i = 0; i < 4; ++i)
        bytes += static_cast<char>(address->bytes[i]);
    return bytes;
}

std::string dnsFrame(std::string_view message)
{
    std::string bytes;
    append16(bytes, static_cast<std::uint32_t>(message.size()));
    bytes += message;
    return bytes;
}

} // namespace glovebox::network
