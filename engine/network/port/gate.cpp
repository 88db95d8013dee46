// SPDX-License-Identifier: Apache-2.0
#include "engine/network/port/gate.h"

#include <algorithm>

namespace glovebox::network {

namespace {

// In a time that tells nothing of where they differ.
bool isSame(std::string_view a, std::string_view b)
{
    if (a.size() != b.size() || a.empty())
        return false;
    unsigned char difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        difference |= static_cast<unsigned char>(a[i] ^ b[i]);
    return difference == 0;
}

std::string_view withoutBlanks(std::string_view text)
{
    while (text.starts_with(' ') || text.starts_with('\t'))
        text.remove_prefix(1);
    while (text.ends_with(' ') || text.ends_with('\t'))
        text.remove_suffix(1);
    return text;
}

// Calls visit(name, value, whole) for each cookie of a Cookie field (RFC 6265 section 4.2.1).
void eachCookie(std::string_view field, auto visit)
{
    while (!field.empty()) {
        const std::size_t end = std::min(field.find(';'), field.size());
        const std::string_view whole = withoutBlanks(field.substr(0, end));
        field.remove_prefix(std::min(end + 1, field.size()));
        const std::size_t equals = std::min(whole.find('='), whole.size());
        if (!whole.empty())
            visit(whole.substr(0, equals), whole.substr(std::min(equals + 1, whole.size())), whole);
    }
}

// The server inside gets the cookies that are its own.
void removeOurCookie(HttpRequest &request)
{
    std::erase_if(request.fields, [](HttpField &field) {
        if (!sameIgnoringCase(field.name, "Cookie"))
            return false;
        std::string rest;
        eachCookie(field.value, [&](std::string_view name, std::string_view, std::string_view whole) {
            if (name != portCookie)
                rest.append(rest.empty() ? "" : "; ").append(whole);
        });
        field.value = std::move(rest);
        return field.value.empty();
    });
}

std::string redirect(const std::string &target, const std::string &cookie)
{
    return "HTTP/1.1 303 See Other\r\nLocation: " + target + "\r\nSet-Cookie: " + std::string(portCookie) + '=' + cookie
           + "; Path=/; HttpOnly; SameSite=Strict\r\nCache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n"
             "Content-Length: 0\r\nConnection: close\r\n\r\n";
}

// Cross-site requests come without the cookie (SameSite=Strict); this is for browsers and pages that get around that. "null" is what
// documents without an origin say.
bool isFromElsewhere(const HttpRequest &request, const std::string &origin)
{
    return std::ranges::any_of(request.fields, [&](const HttpField &field) {
        return sameIgnoringCase(field.name, "Origin") && !sameIgnoringCase(field.value, origin);
    });
}

} // namespace

std::string takePortToken(std::string &target)
{
    const std::size_t query = target.find('?');
    if (query == std::string::npos)
        return {};
    std::string token;
    std::string rest;
    std::string_view pairs = std::string_view(target).substr(query + 1);
    while (!pairs.empty()) {
        const std::size_t end = std::min(pairs.find('&'), pairs.size());
        const std::string_view pair = pairs.substr(0, end);
        pairs.remove_prefix(std::min(end + 1, pairs.size()));
        if (pair.starts_with(portTokenField) && pair.substr(portTokenField.size()).starts_with('='))
            token = pair.substr(portTokenField.size() + 1);
        else
            rest.append(rest.empty() ? "" : "&").append(pair);
    }
    if (token.empty())
        return {};
    target.resize(query);
    if (!rest.empty())
        target += '?' + rest;
    return token;
}

void PortGate::addLink(std::string token)
{
    const std::scoped_lock lock(m_mutex);
    m_links.push_back(std::move(token));
    if (m_links.size() > portLinksMost)
        m_links.pop_front();
}

// A link that somebody reads later, in the list of processes or in a history, is of no use any more.
bool PortGate::takeLink(std::string_view token)
{
    const std::scoped_lock lock(m_mutex);
    const auto link = std::ranges::find_if(m_links, [&](const std::string &each) { return isSame(each, token); });
    if (link == m_links.end())
        return false;
    m_links.erase(link);
    return true;
}

bool PortGate::isCookie(const HttpRequest &request) const
{
    bool isThere = false;
    for (const HttpField &field : request.fields) {
        if (sameIgnoringCase(field.name, "Cookie"))
            eachCookie(field.value, [&](std::string_view name, std::string_view value, std::string_view) {
                isThere = isThere || (name == portCookie && isSame(value, m_spec.cookie));
            });
    }
    return isThere;
}

std::string PortGate::answer(HttpRequest &request)
{
    // A name that somebody else made lead here (DNS rebinding) is another one.
    if (request.host.text != m_spec.host || request.port != m_spec.outerPort)
        return httpReply(403, "Glovebox: no job has a port open at this address. Open the link as it was printed.\n");
    if (isFromElsewhere(request, "http://" + m_spec.host + ':' + std::to_string(m_spec.outerPort)))
        return httpReply(403, "Glovebox: pages of other sites can't use the port of a job.\n");
    const bool isKnown = isCookie(request);
    const std::string token = takePortToken(request.target);
    if (!token.empty() && (request.method == "GET" || request.method == "HEAD") && (takeLink(token) || isKnown)) {
        // Of "//host/" a browser would make another site's address.
        const std::size_t path = std::min(request.target.find_first_not_of('/'), request.target.size());
        return redirect('/' + request.target.substr(path), m_spec.cookie);
    }
    if (!isKnown)
        return httpReply(403, token.empty() ? "Glovebox: this port of a job opens by its link only. To get a link: "
                                              "glovebox session open SESSION PORT\n"
                                            : "Glovebox: this link was used already, or it is too old. To get a new "
                                              "one: glovebox session open SESSION PORT\n");
    removeOurCookie(request);
    return {};
}

} // namespace glovebox::network
