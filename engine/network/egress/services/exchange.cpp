// SPDX-License-Identifier: Apache-2.0
#include "engine/network/egress/services/exchange.h"

#include <poll.h>

namespace glovebox::network {

namespace {

constexpr std::size_t headPiece = 16 * 1024;

} // namespace

bool Exchange::fail(int status, std::string problem)
{
    m_status = status;
    m_problem = std::move(problem);
    return false;
}

// False: nothing more of the request will go.
bool Exchange::moveUp()
{
    if (m_upBroken || m_up.isDone())
        return true;
    if (m_up.move())
        return true;
    m_upBroken = true;
    if (m_up.isOverBudget())
        return false;
    if (!m_up.fault().empty())
        return m_down ? false : fail(400, "Glovebox: " + std::string(m_up.fault()) + ".\n");
    m_server.shutdownSend(); // a run that ends in the middle; what the server makes of it, it may answer
    return true;
}

// False: there is no answer.
bool Exchange::readHead()
{
    for (;;) {
        const auto response = parseHttpResponse(m_server.pending, m_request.method, m_searched);
        if (response.state == ParseState::Malformed)
            return fail(502, "Glovebox: the server's answer is malformed: " + std::string(response.fault) + ".\n");
        if (response.state == ParseState::Done) {
            m_searched = 0;
            if (response.value.changesProtocol() && !m_request.wantsWebSocket)
                return fail(502, "Glovebox: the server changed the protocol, which nobody asked for.\n");
            m_changedProtocol = response.value.changesProtocol();
            m_isInterim = response.value.isInterim();
            m_keepAlive = response.value.keepAlive;
            m_down.emplace(m_server, m_run, m_budget, response.value.body, response.used);
            return true;
        }
        m_searched = m_server.pending.size();
        const Stream::Got got = m_server.receive(Time(), m_budget.piece(headPiece)); // what is there
        if (got == Stream::Got::TimedOut)
            return true;
        if (got != Stream::Got::Bytes)
            return fail(502, "Glovebox: the server gave no answer.\n");
    }
}

// False: it can't go on.
bool Exchange::moveDown()
{
    for (;;) {
        if (!m_down && !readHead())
            return false;
        if (!m_down)
            return true;
        if (!m_down->move())
            return false;
        if (!m_isInterim || !m_down->isDone())
            return true;
        m_received += m_down->moved(); // the real one follows
        m_down.reset();
    }
}

bool Exchange::isOver() const
{
    return m_down && !m_isInterim && m_down->isDone() && (m_upBroken || m_up.isDone());
}

void Exchange::go()
{
    for (;;) {
        if (!moveUp() || !moveDown())
            return;
        if (isOver())
            break;
        const bool upGoes = !m_upBroken && !m_up.isDone();
        const bool answered = m_down && m_down->isDone();
        const auto ofRun = static_cast<short>((upGoes && m_up.wantsSource() ? POLLIN : 0)
                                              | (m_down && m_down->wantsTarget() ? POLLOUT : 0));
        const auto ofServer = static_cast<short>((!answered && (!m_down || m_down->wantsSource()) ? POLLIN : 0)
                                                 | (upGoes && m_up.wantsTarget() ? POLLOUT : 0));
        pollfd sources[] = {{ofRun ? m_run.socket() : -1, ofRun, 0}, {ofServer ? m_server.socket() : -1, ofServer, 0}};
        // A server that has answered need not take the rest.
        const std::chrono::milliseconds patience = answered ? std::chrono::milliseconds(headPatience) : idleLimit;
        if (::poll(sources, 2, static_cast<int>(patience.count())) == 0) {
            if (!m_down)
                fail(504, "Glovebox: the server gave no answer.\n");
            return;
        }
    }
    m_goesOn = !m_changedProtocol && m_up.isDone() && !m_upBroken && m_keepAlive && m_request.keepAlive;
}

} // namespace glovebox::network
