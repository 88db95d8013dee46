// SPDX-License-Identifier: Apache-2.0
// Records are taken apart, the handshake message put together, and its extensions looked through.
#include "engine/network/protocols/clienthello.h"

#include "engine/network/protocols/bytereader.h"

namespace glovebox::network {

namespace {

constexpr int serverNameExtension = 0;
constexpr std::size_t recordMax = std::size_t{1} << 14;

constexpr Malformed notTls{"not TLS"};
constexpr Malformed tooLarge{"a TLS hello of that size"};
constexpr Malformed badLength{"a length in the TLS hello is wrong"};

// The list of one name; nothing if it isn't that.
std::optional<Host> hostFromServerName(std::string_view extension)
{
    ByteReader reader(extension);
    ByteReader list(reader.take(reader.u16()));
    const bool isHostName = list.u8() == 0;
    const std::string_view name = list.take(list.u16());
    if (reader.failed() || !reader.atEnd() || list.failed() || !list.atEnd() || !isHostName)
        return std::nullopt;
    auto host = canonicalHost(name);
    if (!host || host->address)
        return std::nullopt;
    return *std::move(host);
}

// body: the message without its header.
std::expected<ClientHello, Malformed> helloFromBody(std::string_view body)
{
    ByteReader reader(body);
    reader.u16(); // legacy_version
    reader.take(32); // random
    reader.take(reader.u8()); // legacy_session_id
    reader.take(reader.u16()); // cipher_suites
    reader.take(reader.u8()); // legacy_compression_methods
    ClientHello hello;
    if (!reader.failed() && reader.atEnd()) // without extensions, as TLS 1.2 allows
        return hello;
    ByteReader extensions(reader.take(reader.u16()));
    if (reader.failed() || !reader.atEnd())
        return std::unexpected(badLength);
    while (!extensions.atEnd()) {
        const int type = extensions.u16();
        const std::string_view content = extensions.take(extensions.u16());
        if (extensions.failed())
            return std::unexpected(badLength);
        if (type != serverNameExtension)
            continue;
        if (hello.serverName) // which of the two would the server take?
            return std::unexpected(Malformed{"two server names in the TLS hello"});
        hello.serverName = hostFromServerName(content);
        if (!hello.serverName)
            return std::unexpected(Malformed{"no valid host in the TLS hello"});
    }
    return hello;
}

} // namespace

bool looksLikeTls(std::string_view bytes)
{
    static_assert(tlsClientHello
                  == tlsWarning); // what the record begins with; lengths of other protocols begin as its header does
    if (bytes.empty() || (bytes[0] != tlsHandshake && bytes[0] != tlsAlert))
        return false;
    return bytes.size() < 2 || bytes[1] == tlsVersion || bytes.size() <= tlsRecordHeader
           || bytes[tlsRecordHeader] == tlsClientHello;
}

Parsed<ClientHello> parseClientHello(std::string_view bytes)
{
    bytes = bytes.substr(0, clientHelloMax);
    std::string message;
    std::size_t at = 0;
    for (int records = 1; at < bytes.size(); ++records) {
        const std::string_view record = bytes.substr(at);
        if (records > clientHelloRecordsMax)
            return tooLarge;
        if (record[0] != tlsHandshake || (record.size() > 1 && record[1] != tlsVersion))
            return notTls;
        ByteReader reader(record);
        reader.take(3);
        const std::size_t length = reader.u16();
        if (reader.failed())
            break;
        if (length == 0 || length > recordMax)
            return badLength;
        const std::string_view body = record.substr(tlsRecordHeader, length);
        message += body;
        if (!message.empty() && message[0] != tlsClientHello)
            return Malformed{"TLS that begins without a hello"};
        if (message.size() >= tlsMessageHeader) {
            ByteReader header(message);
            header.u8();
            const std::size_t whole = tlsMessageHeader + header.number(3);
            if (whole > clientHelloMax)
                return tooLarge;
            // Nothing may follow in the same record: a client waits for the answer.
            if (message.size() > whole || (message.size() == whole && body.size() < length))
                return badLength;
            if (message.size() == whole) {
                auto hello = helloFromBody(std::string_view(message).substr(tlsMessageHeader));
                if (!hello)
                    return hello.error();
                return done(*std::move(hello), at + tlsRecordHeader + length);
            }
        }
        if (body.size() < length)
            break;
        at += tlsRecordHeader + length;
    }
    if (bytes.size() == clientHelloMax)
        return tooLarge;
    return {};
}

} // namespace glovebox::network
