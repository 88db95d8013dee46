// SPDX-License-Identifier: Apache-2.0
// Follows both sides of a connection while it is passed on, until nothing can come any more that would need a check: a request of
// HTTP behind other words, or a second TLS hello that names another host than the first.
#pragma once

#include "engine/network/protocols/clienthello.h"
#include "engine/network/protocols/http/firstwords.h"

#include <string>

namespace glovebox::network {

// Pure, as the parsers are. Each side's bytes are given in their order, before they are passed on.
class Opening
{
public:
    virtual ~Opening() = default;

    enum class Side { Run, Server };
    // bytes: what comes next from that side. False: the other side must not get them, and the connection is to be closed.
    virtual bool follow(Side side, std::string_view bytes) = 0;
    // There is nothing more to look at from that side.
    virtual bool isOver(Side side) const = 0;
    // Why it is to be closed, in English, of static storage.
    std::string_view fault() const { return m_fault; }

protected:
    bool refuse(std::string_view fault)
    {
        m_fault = fault;
        return false;
    }

private:
    std::string_view m_fault;
};

// Of what is neither TLS nor HTTP, as far as that can be told by a run's first line. A server that answers by HTTP knows no other.
class PlainOpening : public Opening
{
public:
    bool follow(Side side, std::string_view bytes) override;
    bool isOver(Side side) const override;

    // A server of HTTP has given up by then (bytes; the largest head that a common one takes).
    static constexpr std::uint64_t junkMax = 1024 * 1024;

private:
    RequestLines m_lines;
    std::size_t m_answered = 0; // bytes of "HTTP/"
    bool m_isOther = false; // the server speaks something else
};

// Of a hello that was checked, and what follows it. A server that can't use a hello asks for another (HelloRetryRequest, RFC 8446
// section 4.1.4), and may go by the name in that one.
class TlsOpening : public Opening
{
public:
    // size: bytes of the first hello, which comes first.
    TlsOpening(ClientHello first, std::size_t size)
        : m_first(std::move(first))
        , m_skip(size)
    {
    }

    bool follow(Side side, std::string_view bytes) override;
    bool isOver(Side side) const override { return side == Side::Run ? m_isOver : m_answer != Answer::None; }

private:
    bool followRun(std::string_view bytes);
    bool followServer(std::string_view bytes);
    bool judgeHandshake();

    enum class Answer { None, Retry, Other };
    const ClientHello m_first;
    Answer m_answer = Answer::None;
    RequestLines m_lines{RequestLines::Begin::AtLaterLine}; // the server could be one of HTTP
    std::size_t m_skip; // bytes of the run's, before the next record that is looked at
    std::string m_record; // of the run's: that record, as far as it is there, and what follows it
    std::string m_flight; // the server's, until its answer is known
    bool m_changedCipher = false; // the run said so: what follows may be encrypted
    bool m_isOver = false;
};

} // namespace glovebox::network
