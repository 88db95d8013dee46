// SPDX-License-Identifier: Apache-2.0
// HTTP/1, for programs that know of the proxy and for those that don't. Each request is read, decided on and reported by itself,
// also on a connection that is kept alive.
#include "engine/network/protocols/httpbody.h"
#include "engine/network/protocols/httprequest.h"
#include "engine/network/protocols/httpresponse.h"

#include "engine/network/egress/services/services.h"

#include <poll.h>

namespace glovebox::network {

namespace {

constexpr std::uint64_t worthAPipe = 256 * 1024;

std::string refusal(const Target &target, Reason reason)
{
    const std::string place = target.host.text + ":" + std::to_string(target.port);
    switch (reason) {
    case Reason::PrivateAddress:
        return "Glovebox: " + place + " leads to an address that a run may not reach.\n";
    case Reason::OtherName:
        return "Glovebox: this connection is to " + place + ", and the request names another host.\n";
    case Reason::NotResolved:
        return "Glovebox: " + place + " has no address.\n";
    case Reason::NotReached:
        return "Glovebox: " + place + " could not be reached.\n";
    default:
        return "Glovebox: " + place + " is not on this run's allowlist.\n";
    }
}

// Readable before anything was asked: it is closed, or speaks of its own accord.
bool isQuiet(const Stream &server)
{
    pollfd source{server.socket(), POLLIN, 0};
    return ::poll(&source, 1, 0) == 0;
}

class HttpConversation
{
public:
    HttpConversation(Stream &run, Gate &gate)
        : m_run(run)
        , m_gate(gate)
    {
    }

    // The one target that there can be, and the connection to it.
    void bindTo(const Target &target, Stream &server)
    {
        m_bound = m_target = target;
        m_server = std::move(server);
    }

    void hold()
    {
        while (const auto request = nextRequest()) {
            if (request->isConnect())
                return tunnel(*request);
            if (!exchange(*request))
                return;
        }
    }

private:
    Way way() const { return m_bound ? Way::Direct : Way::Http; }
    void reply(int status, const std::string &sentence)
    {
        m_run.send(httpReply(status, sentence), within(headPatience));
    }

    std::optional<HttpRequest> nextRequest()
    {
        const Time deadline = within(m_served ? idleLimit : headPatience);
        const HttpListener listener = m_bound ? HttpListener::Transparent : HttpListener::Proxy;
        std::size_t searched = 0;
        for (;;) {
            auto request = parseHttpRequest(m_run.pending, listener, searched);
            if (request.state == ParseState::Done) {
                m_run.pending.erase(0, request.used);
                return std::move(request.value);
            }
            if (request.state == ParseState::Malformed) {
                m_gate.reporter.malformed(way(), request.fault, m_bound.value_or(Target()));
                reply(400, "Glovebox: " + std::string(request.fault) + ".\n");
                return std::nullopt;
            }
            searched = m_run.pending.size();
            if (m_run.receive(deadline) != Stream::Got::Bytes)
                return std::nullopt;
        }
    }

    // False: refused, and said so.
    bool reach(const Target &target, Way way)
    {
        Dialled dialled;
        if (m_bound && (target.host != m_bound->host && !(m_bound->host.address && m_gate.allows(target))))
            dialled = {{}, Verdict::Denied, Reason::OtherName};
        else if (m_gate.allows(target) && m_server && m_target == target && m_server.pending.empty()
                 && isQuiet(m_server))
            return true;
        else
            dialled = m_gate.dial(m_bound ? *m_bound : target);
        if (dialled.server) {
            m_server = std::move(dialled.server);
            m_target = target;
            return true;
        }
        m_gate.reporter.refused(way, dialled.verdict, dialled.reason, target);
        reply(dialled.verdict == Verdict::Denied ? 403 : 502, refusal(m_bound ? *m_bound : target, dialled.reason));
        return false;
    }

    void tunnel(const HttpRequest &request)
    {
        const Target target = m_gate.meant(request.host, request.port);
        m_server = {};
        if (reach(target, Way::Connect) && m_run.send(httpReply(200), within(headPatience)))
            serveTunnel(m_run, m_server, target, Way::Connect, m_gate);
    }

    // One request and its response. False: nothing can follow on this connection.
    bool exchange(const HttpRequest &request)
    {
        // Where the connection goes, its address said; a Host field without a port means the scheme's own.
        const Target target = m_gate.meant(request.host, m_bound ? m_bound->port : request.port);
        if (!reach(target, way()))
            return false;
        m_served = true;
        Reporter::Entry entry = m_gate.reporter.opened(way(), target);
        const std::string head = httpHeadForServer(request);
        m_overBudget = !m_gate.budget.spend(head.size());
        const bool sent = !m_overBudget && m_server.send(head, within(headPatience))
                          && (!request.expectsContinue || m_run.send(httpContinue, within(headPatience)));
        entry.attempt.sent += head.size();
        // A server may answer without having read the whole body.
        const bool whole = sent && passBody(m_run, m_server, request.body, entry.attempt.sent);
        const bool goesOn = !m_overBudget && passResponse(request, entry) && whole && request.keepAlive;
        m_gate.reporter.ended(entry, m_overBudget ? Reason::BudgetSpent : Reason::None);
        return goesOn;
    }

    bool passResponse(const HttpRequest &request, Reporter::Entry &entry)
    {
        std::size_t searched = 0;
        for (;;) {
            const auto response = parseHttpResponse(m_server.pending, request.method, searched);
            if (response.state == ParseState::NeedMore) {
                searched = m_server.pending.size();
                const Stream::Got got = m_server.receive(within(idleLimit));
                if (got == Stream::Got::Bytes)
                    continue;
                reply(got == Stream::Got::TimedOut ? 504 : 502, "Glovebox: the server gave no answer.\n");
                return false;
            }
            if (response.state == ParseState::Malformed) {
                reply(502, "Glovebox: the server's answer is malformed: " + std::string(response.fault) + ".\n");
                return false;
            }
            m_overBudget = !m_gate.budget.spend(response.used);
            if (m_overBudget
                || !m_run.send(std::string_view(m_server.pending).substr(0, response.used), within(idleLimit)))
                return false;
            entry.attempt.received += response.used;
            m_server.pending.erase(0, response.used);
            searched = 0;
            if (!response.value.isInterim())
                return passBody(m_server, m_run, response.value.body, entry.attempt.received)
                       && response.value.keepAlive;
        }
    }

    bool passBody(Stream &from, Stream &to, const HttpBody &body, std::uint64_t &count)
    {
        if (body.framing == HttpBody::Framing::UntilClose)
            return passToEnd(from, to, count);
        HttpBodyFollower follower(body);
        while (follower.state() == ParseState::NeedMore) {
            if (from.pending.empty()) {
                if (const std::uint64_t opaque = follower.opaque(); opaque >= worthAPipe) {
                    Conduit conduit(from, to, m_gate.budget);
                    const bool moved = conduit.moveExactly(opaque, idleLimit);
                    m_overBudget = m_overBudget || conduit.isOverBudget();
                    count += conduit.moved();
                    if (!moved)
                        return false;
                    follower.skip(opaque);
                    continue;
                }
                if (from.receive(within(idleLimit), 64 * 1024) != Stream::Got::Bytes)
                    return false;
            }
            const std::size_t own = follower.follow(from.pending);
            if (!m_gate.budget.spend(own)) {
                m_overBudget = true;
                return false;
            }
            if (!to.send(std::string_view(from.pending).substr(0, own), within(idleLimit)))
                return false;
            count += own;
            from.pending.erase(0, own);
        }
        return follower.state() == ParseState::Done;
    }

    bool passToEnd(Stream &from, Stream &to, std::uint64_t &count)
    {
        Conduit conduit(from, to, m_gate.budget);
        while (!conduit.isDone() && conduit.move()) {
            pollfd sources[] = {{conduit.wantedOfSource() ? from.socket() : -1, POLLIN, 0},
                                {conduit.wantedOfTarget() ? to.socket() : -1, POLLOUT, 0}};
            if (!conduit.isDone()
                && ::poll(sources, 2, static_cast<int>(std::chrono::milliseconds(idleLimit).count())) == 0)
                break;
        }
        m_overBudget = m_overBudget || conduit.isOverBudget();
        count += conduit.moved();
        return false; // the end of the connection is the end of the body
    }

    Stream &m_run;
    Gate &m_gate;
    std::optional<Target> m_bound;
    Stream m_server;
    Target m_target; // of m_server
    bool m_served = false;
    bool m_overBudget = false;
};

} // namespace

void serveHttpProxy(Stream run, Gate &gate)
{
    HttpConversation(run, gate).hold();
}

void serveHttp(Stream &run, Stream &server, const Target &target, Gate &gate)
{
    HttpConversation conversation(run, gate);
    conversation.bindTo(target, server);
    conversation.hold();
}

} // namespace glovebox::network
