// SPDX-License-Identifier: Apache-2.0
// The head of a server's response, as far as a relay has to know it: it is sent on as it came.
#pragma once

#include "engine/network/protocols/http/httphead.h"

namespace glovebox::network {

struct HttpResponse
{
    int status = 0; // 100 to 599
    HttpBody body;
    bool keepAlive = true; // after its body; never with UntilClose

    bool operator==(const HttpResponse &) const = default;

    bool changesProtocol() const { return status == 101; } // no HTTP any more; malformed unless it was asked for
    bool isInterim() const { return status < 200 && !changesProtocol(); } // another head follows, of the real response
};

// method: of the request, since HEAD has no body.
Parsed<HttpResponse> parseHttpResponse(std::string_view bytes, std::string_view method, std::size_t searched = 0);

} // namespace glovebox::network
