// SPDX-License-Identifier: Apache-2.0
// One request's body and its response, both as they come: a server may answer before it has read everything.
#pragma once

#include "engine/network/egress/services/bodypass.h"
#include "engine/network/protocols/http/httprequest.h"
#include "engine/network/protocols/http/httpresponse.h"

namespace glovebox::network {

class Exchange
{
public:
    // The head was sent already.
    Exchange(Stream &run, Stream &server, Budget &budget, const HttpRequest &request)
        : m_run(run)
        , m_server(server)
        , m_budget(budget)
        , m_request(request)
        , m_up(run, server, budget, request.body)
    {
    }

    void go();

    // Whether the connection can be used again.
    bool goesOn() const { return m_goesOn; }
    // What follows on it is no HTTP: the server agreed to what was asked for.
    bool changedProtocol() const { return m_changedProtocol; }
    bool isOverBudget() const { return m_up.isOverBudget() || (m_down && m_down->isOverBudget()); }
    std::string_view fault() const { return m_up.fault(); } // of what the run sent
    std::uint64_t sent() const { return m_up.moved(); }
    std::uint64_t received() const { return m_received + (m_down ? m_down->moved() : 0); }
    // What the run is to be told instead of the answer that is missing; empty: it got what there was.
    const std::string &problem() const { return m_problem; }
    int status() const { return m_status; }

private:
    bool moveUp();
    bool moveDown();
    bool readHead();
    bool fail(int status, std::string problem);
    bool isOver() const;

    Stream &m_run;
    Stream &m_server;
    Budget &m_budget;
    const HttpRequest &m_request;
    BodyPass m_up;
    bool m_upBroken = false;
    std::optional<BodyPass> m_down; // since there is a head
    bool m_isInterim = false; // that head
    bool m_changedProtocol = false;
    bool m_keepAlive = false;
    std::uint64_t m_received = 0; // of interim responses
    std::size_t m_searched = 0;
    bool m_goesOn = false;
    std::string m_problem;
    int m_status = 0;
};

} // namespace glovebox::network
