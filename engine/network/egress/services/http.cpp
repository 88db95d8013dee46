// SPDX-License-Identifier: Apache-2.0
// HTTP/1, for programs that know of the proxy, in its tunnels, and for those that don't know of it. Each request is read, decided on and
// reported by itself, also on a connection that is kept alive.
#include "engine/network/egress/services/exchange.h"
#include "engine/network/egress/services/services.h"

#include <poll.h>

#include <utility>

namespace glovebox::network {

namespace {

constexpr std::chrono::seconds lingerPatience{2};

std::string refusal(const Target &target, Reason reason)
{
    const std::string place = authority(target);
    switch (reason) {
    case Reason::PrivateAddress:
        return "Glovebox: " + place + " leads to an address that a run may not reach.\n";
    case Reason::OtherName:
        return "Glovebox: this connection is to " + place + ", and the request names another host.\n";
    case Reason::NotTls:
        return "Glovebox: port 443 is for TLS. Ask for https://" + place + ".\n";
    case Reason::NotResolved:
        return "Glovebox: " + place + " has no address.\n";
    case Reason::NotReached:
        return "Glovebox: " + place + " could not be reached.\n";
    case Reason::BudgetSpent:
        return "Glovebox: this run has used up its network traffic.\n";
    case Reason::ProxyNotReached:
        return "Glovebox: the upstream proxy could not be reached.\n";
    case Reason::ProxyRefused:
        return "Glovebox: the upstream proxy refused a connection to " + place + ".\n";
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

    // The one target that there can be, how it was asked for, and the connection to it.
    void bindTo(const Target &target, Way way, Dialled &dialled)
    {
        m_way = way;
        m_bound = m_target = target;
        m_server = std::move(dialled.server);
        m_unused = std::move(dialled.entry);
    }

    void hold()
    {
        while (auto request = nextRequest()) {
            if (request->isConnect())
                return tunnel(*request);
            if (!exchange(*std::move(request)))
                break;
        }
        endUnused();
    }

private:
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
                if (m_unused)
                    endUnused(Reason::Malformed, request.fault);
                else
                    m_gate.reporter.malformed(m_way, request.fault, m_bound.value_or(Target()));
                reply(400, "Glovebox: " + std::string(request.fault) + ".\n");
                return std::nullopt;
            }
            searched = m_run.pending.size();
            if (m_run.receive(deadline) != Stream::Got::Bytes)
                return std::nullopt;
        }
    }

    // What was told of the connection, where no request did.
    void endUnused(Reason reason = Reason::None, std::string_view fault = {})
    {
        if (!m_unused)
            return;
        m_unused->attempt.fault = fault;
        m_gate.reporter.ended(*m_unused, reason);
        m_unused.reset();
    }

    // Without a server: refused, and said so.
    Dialled dial(const Target &target, Way way)
    {
        Dialled dialled = m_gate.dial(way, target);
        if (!dialled.server)
            reply(verdictOf(dialled.reason) == Verdict::Denied ? 403 : 502, refusal(target, dialled.reason));
        return dialled;
    }

    // Of the request, now that there is a connection for it. Nothing: refused, and said so.
    std::optional<Reporter::Entry> reach(const Target &target)
    {
        if (target.port == httpsPort && m_gate.allows(target)) { // where tunnels are held to TLS, too
            m_gate.reporter.refused(m_way, Reason::NotTls, target);
            reply(403, refusal(target, Reason::NotTls));
            return std::nullopt;
        }
        if (m_bound && target.host != m_bound->host && !(m_bound->host.address && m_gate.allows(target))) {
            m_gate.reporter.refused(m_way, Reason::OtherName, target);
            reply(403, refusal(*m_bound, Reason::OtherName));
            return std::nullopt;
        }
        if (m_gate.allows(target) && m_server && m_target == target && m_server.pending.empty() && isQuiet(m_server)) {
            if (m_unused)
                return std::exchange(m_unused, std::nullopt);
            Reporter::Entry entry = m_gate.reporter.opened(m_way, target);
            m_gate.reporter.reached(entry);
            return entry;
        }
        endUnused();
        Dialled dialled = dial(m_bound ? *m_bound : target, m_way);
        if (!dialled.server)
            return std::nullopt;
        m_server = std::move(dialled.server);
        m_target = target;
        return std::move(dialled.entry);
    }

    void tunnel(const HttpRequest &request)
    {
        const Target target = m_gate.meant(request.host, request.port);
        m_server = {};
        Dialled dialled = dial(target, Way::Connect);
        if (!dialled.server)
            return;
        if (m_run.send(httpReply(200), within(headPatience)))
            serveTunnel(m_run, dialled, target, Way::Connect, m_gate);
        else
            m_gate.reporter.ended(dialled.entry);
    }

    // One request and its response. False: nothing can follow on this connection.
    bool exchange(HttpRequest request)
    {
        if (m_bound && request.host.text.empty()) { // HTTP/1.0, and the server shall not guess
            request.host = m_bound->host;
            request.port = m_bound->port;
        }
        // Where the connection goes, its address said; a Host field without a port means the scheme's own.
        const Target target = m_gate.meant(request.host, m_bound ? m_bound->port : request.port);
        auto told = reach(target);
        if (!told)
            return false;
        m_served = true;
        Reporter::Entry &entry = *told;
        const std::string head = httpHeadForServer(request);
        bool goesOn = false;
        const auto paid = static_cast<std::size_t>(m_gate.budget.spend(head.size()));
        Reason reason = paid == head.size() ? Reason::None : Reason::BudgetSpent;
        const bool isSent = m_server.send(std::string_view(head).substr(0, paid), within(headPatience));
        entry.attempt.sent += isSent ? paid : 0;
        if (reason == Reason::None && isSent
            && (!request.expectsContinue || m_run.send(httpContinue, within(headPatience)))) {
            Exchange exchange(m_run, m_server, m_gate.budget, request);
            exchange.go();
            entry.attempt.sent += exchange.sent();
            entry.attempt.received += exchange.received();
            goesOn = exchange.goesOn();
            if (exchange.isOverBudget())
                reason = Reason::BudgetSpent;
            else if (!exchange.fault().empty())
                reason = Reason::Malformed;
            else if (exchange.changedProtocol())
                reason = relay(m_run, m_server, m_gate, entry);
            entry.attempt.fault = exchange.fault();
            if (!exchange.problem().empty())
                reply(exchange.status(), exchange.problem());
        }
        m_gate.reporter.ended(entry, reason);
        if (!goesOn)
            letGo();
        else if (request.isLastForServer()) // which was told so, and may not have closed it yet
            m_server = {};
        return goesOn;
    }

    // What it still says, nobody reads; but if it were cut off, it might lose what it was answered (RFC 9112 section 9.6).
    void letGo()
    {
        m_server = {};
        m_run.shutdownSend();
        const Time deadline = within(lingerPatience);
        while (m_run.receive(deadline) == Stream::Got::Bytes)
            m_run.pending.clear();
    }

    Stream &m_run;
    Gate &m_gate;
    Way m_way = Way::Http;
    std::optional<Target> m_bound;
    Stream m_server;
    Target m_target; // of m_server
    std::optional<Reporter::Entry> m_unused; // of m_server
    bool m_served = false;
};

} // namespace

void serveHttpProxy(Stream run, Gate &gate)
{
    HttpConversation(run, gate).hold();
}

void serveHttp(Stream &run, Dialled &dialled, const Target &target, Way way, Gate &gate)
{
    HttpConversation conversation(run, gate);
    conversation.bindTo(target, way, dialled);
    conversation.hold();
}

} // namespace glovebox::network
