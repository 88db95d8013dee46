// SPDX-License-Identifier: Apache-2.0
#include "engine/network/protocols/opening.h"

#include "engine/network/protocols/bytereader.h"
#include "engine/network/protocols/http/httphead.h"

#include <algorithm>

namespace glovebox::network {

namespace {

// Types of records, and of a message (clienthello.h has the others).
constexpr char changeCipherSpec = 20;
constexpr char applicationData = 23;
constexpr char serverHello = 2;
constexpr std::size_t anyRecordMax = (std::size_t{1} << 14) + 2048; // an encrypted one of TLS 1.2
constexpr std::size_t tlsRandomSize = 32;
// The random of a ServerHello that is a HelloRetryRequest (section 4.1.3).
constexpr std::string_view retryRandom("\xcf\x21\xad\x74\xe5\x9a\x61\x11\xbe\x1d\x8c\x02\x1e\x65\xb8\x91"
                                       "\xc2\xa2\x11\x16\x7a\xbb\x8c\x5e\x07\x9e\x09\xe2\xc8\xa8\x33\x9c",
                                       tlsRandomSize);

// Whether these bytes can begin a record.
bool isRecord(std::string_view bytes)
{
    return bytes[0] >= changeCipherSpec && bytes[0] <= applicationData && (bytes.size() < 2 || bytes[1] == tlsVersion);
}

std::size_t recordSize(std::string_view bytes)
{
    ByteReader reader(bytes);
    reader.take(3);
    return reader.u16();
}

} // namespace

bool PlainOpening::follow(Side side, std::string_view bytes)
{
    for (const char byte : bytes) {
        if (isOver(side))
            break;
        if (side == Side::Run) {
            if (!m_lines.follow({&byte, 1}))
                return refuse("a request of HTTP or the PROXY protocol among other words");
            continue;
        }
        m_isOther = !sameIgnoringCase({&byte, 1}, httpName.substr(m_answered, 1));
        if (!m_isOther && ++m_answered == httpName.size())
            return refuse("an answer of HTTP to something that is not a request");
    }
    return true;
}

bool PlainOpening::isOver(Side side) const
{
    if (side == Side::Server)
        return m_isOther;
    return m_lines.isPastFirst() && (m_isOther || m_lines.seen() > junkMax);
}

bool TlsOpening::follow(Side side, std::string_view bytes)
{
    if (isOver(side))
        return true;
    return side == Side::Run ? followRun(bytes) : followServer(bytes);
}

bool TlsOpening::followRun(std::string_view bytes)
{
    if (m_answer == Answer::None && !m_lines.follow(bytes))
        return refuse("a request of HTTP in TLS");
    const std::size_t skipped = std::min(m_skip, bytes.size());
    m_skip -= skipped;
    m_record += bytes.substr(skipped);
    while (!m_isOver && !m_record.empty()) {
        if (!isRecord(m_record))
            return refuse("something else than TLS after a hello");
        if (m_record.size() < tlsRecordHeader)
            return true;
        const std::size_t length = recordSize(m_record);
        if (length > anyRecordMax)
            return refuse("a TLS record of that size");
        if (m_record[0] == tlsHandshake) {
            if (length == 0)
                return refuse("an empty TLS record");
            return m_record.size() == tlsRecordHeader || judgeHandshake();
        }
        m_isOver = m_record[0] == applicationData && m_answer == Answer::Other;
        m_changedCipher = m_changedCipher || m_record[0] == changeCipherSpec;
        const std::size_t there = std::min(tlsRecordHeader + length, m_record.size());
        m_skip = tlsRecordHeader + length - there;
        m_record.erase(0, there);
    }
    return true;
}

// The record at the front, of which something is there.
bool TlsOpening::judgeHandshake()
{
    if (m_answer == Answer::None)
        return refuse("a second TLS hello before the answer to the first");
    if (m_answer == Answer::Other) {
        if (!m_changedCipher && m_record[tlsRecordHeader] == tlsClientHello)
            return refuse("a second TLS hello that the server did not ask for");
        m_isOver = true;
        return true;
    }
    const auto second = parseClientHello(m_record);
    if (second.state == ParseState::Malformed)
        return refuse(second.fault);
    if (second.state == ParseState::Done && second.value != m_first)
        return refuse("another host in the second TLS hello");
    m_isOver = second.state == ParseState::Done;
    return true;
}

bool TlsOpening::followServer(std::string_view bytes)
{
    m_flight += bytes;
    std::string message;
    for (std::string_view rest = m_flight; !rest.empty();) {
        if (!isRecord(rest) || (rest[0] != tlsHandshake && rest[0] != tlsAlert))
            return refuse("an answer to a TLS hello that is none of TLS");
        if (rest.size() < tlsRecordHeader)
            return true;
        const std::size_t length = recordSize(rest);
        if (length == 0 || length > anyRecordMax)
            return refuse("a TLS record of that size");
        const std::string_view content = rest.substr(tlsRecordHeader, length);
        // After a warning the server goes on, and may still ask for another hello.
        if (rest[0] == tlsAlert && !content.empty() && content[0] != tlsWarning)
            m_answer = Answer::Other;
        else if (rest[0] == tlsHandshake)
            message += content;
        constexpr std::size_t before = tlsMessageHeader + 2; // the version
        if (!message.empty() && message[0] != serverHello)
            m_answer = Answer::Other;
        else if (message.size() >= before + tlsRandomSize)
            m_answer =
                std::string_view(message).substr(before, tlsRandomSize) == retryRandom ? Answer::Retry : Answer::Other;
        if (m_answer != Answer::None)
            return true;
        rest.remove_prefix(std::min(tlsRecordHeader + length, rest.size()));
    }
    return true;
}

} // namespace glovebox::network
