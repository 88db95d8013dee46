// SPDX-License-Identifier: Apache-2.0
// Heads and bodies of HTTP: what is written for the server reads as exactly one request to the host that was checked, a body ends
// at the same byte in whatever pieces it passes by, and what a client says first is no request unless it was taken for one.
#include "engine/network/protocols/http/firstwords.h"
#include "engine/network/protocols/http/httpbody.h"
#include "engine/network/protocols/http/httprequest.h"
#include "engine/network/protocols/http/httpresponse.h"

#include "pieces.h"

#include <algorithm>
#include <string>

using namespace glovebox::network;

namespace {

void request(std::string_view bytes, HttpListener listener)
{
    const auto parsed = inPieces(
        bytes, [&](std::string_view part, std::size_t seen) { return parseHttpRequest(part, listener, seen); });
    assert(parsed.state != ParseState::NeedMore || bytes.size() < httpHeadMax);
    if (parsed.state != ParseState::Done)
        return;
    const HttpRequest &request = parsed.value;
    if (request.host.text.empty()) { // it is the connection's
        assert(listener == HttpListener::Transparent && request.minorVersion == 0 && !request.isConnect());
        return;
    }
    assert(canonicalHost(request.host.text) == request.host && request.port != 0);
    assert(request.body.framing != HttpBody::Framing::UntilClose);
    if (request.isConnect())
        return;
    const std::string head = httpHeadForServer(request);
    const auto again = parseHttpRequest(head, HttpListener::Transparent);
    if (head.size() <= httpHeadMax && request.fields.size() < httpFieldsMax - 3) {
        HttpRequest expected = request;
        expected.expectsContinue = false;
        expected.keepAlive = !request.isLastForServer();
        assert(again == done(expected, head.size()));
        assert(httpHeadForServer(again.value) == head);
    }
}

void body(std::string_view bytes, const HttpBody &body)
{
    HttpBodyFollower whole(body);
    const std::size_t end = whole.follow(bytes);
    assert(end <= bytes.size() && (end == bytes.size() || whole.state() != ParseState::NeedMore));
    assert((whole.state() == ParseState::Malformed) == !whole.fault().empty());
    HttpBodyFollower cut(body);
    std::size_t used = 0;
    const std::size_t step = bytes.size() / 64 + 1;
    while (used < bytes.size() && cut.state() == ParseState::NeedMore) {
        const std::string_view piece = bytes.substr(used, step);
        if (const auto data = std::min<std::uint64_t>(cut.opaque(), piece.size()); data > 0) {
            cut.skip(data);
            used += data;
        } else {
            used += cut.follow(piece.substr(0, 1));
        }
    }
    assert(used == end && cut.state() == whole.state() && cut.fault() == whole.fault());
}

// The first line that isn't empty, by another way than the program's.
std::string_view firstLine(std::string_view bytes)
{
    const std::size_t start = std::min(bytes.find_first_not_of("\r\n \t\v\f"), bytes.size());
    return bytes.substr(start, bytes.find('\n', start) - start);
}

std::string inCapitals(std::string_view line)
{
    std::string text(line);
    std::ranges::transform(text, text.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; });
    return text;
}

bool saysHttp(std::string_view line)
{
    return inCapitals(line).find("HTTP/") != std::string::npos;
}

// Nor may a line name another host without the name of HTTP, or hide whose connection this is.
bool namesAHost(std::string_view line)
{
    const std::string text = inCapitals(line);
    return line.starts_with("PROXY ") || text.find("HTTP://") != std::string::npos
           || text.find("HTTPS://") != std::string::npos;
}

void firstWords(std::string_view bytes)
{
    const auto whole = looksLikeHttp(bytes);
    assert(whole || bytes.size() < 9000);
    const std::size_t step = bytes.size() / 64 + 1;
    for (std::size_t size = 0; size < bytes.size(); size += step) {
        const auto part = looksLikeHttp(bytes.substr(0, size));
        assert(!part || part == whole);
    }
    // A verdict may come late, or never: what is passed on without one is no request, either.
    for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, step, bytes.size() + 1}) {
        RequestLines lines;
        std::size_t passed = 0;
        while (passed < bytes.size() && lines.follow(bytes.substr(passed, piece)))
            passed = std::min(passed + piece, bytes.size());
        assert(!saysHttp(firstLine(bytes.substr(0, passed))));
        const std::string_view first = firstLine(bytes);
        assert(passed == bytes.size() || saysHttp(first) || namesAHost(first) || bytes.find('\n') < bytes.size());
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char *>(data), size);
    firstWords(bytes);
    request(bytes, HttpListener::Proxy);
    request(bytes, HttpListener::Transparent);
    const auto response =
        inPieces(bytes, [](std::string_view part, std::size_t seen) { return parseHttpResponse(part, "GET", seen); });
    assert(response.state != ParseState::NeedMore || size < httpHeadMax);
    if (response.state == ParseState::Done)
        body(bytes.substr(response.used), response.value.body);
    body(bytes, {HttpBody::Framing::Chunked, 0});
    body(bytes, {HttpBody::Framing::Length, size / 2});
    return 0;
}
