// SPDX-License-Identifier: Apache-2.0
// What a request of OAuth brings along, and the addresses that an answer may be brought to.
#pragma once

#include <QByteArray>

#include <map>
#include <optional>

namespace glovebox::mcp {

using Parameters = std::map<QByteArray, QByteArray>;

// Of a query or a form (application/x-www-form-urlencoded). Empty ones are left out. Nothing: it isn't such a form, or names one
// twice (RFC 6749, 3.1).
std::optional<Parameters> parametersIn(QByteArrayView form);

// A program of this machine reads it: plain http of 127.0.0.1, [::1] or localhost with any port (RFC 8252, 7.3), or an address that a
// known editor registered with the desktop (7.1). Another program could have registered that: PKCE makes a code useless to it.
bool isRedirectAllowed(const QByteArray &address);

// Both allowed, and the same but for the port of this machine: programs listen at one that is free.
bool isSameRedirect(const QByteArray &registered, const QByteArray &asked);

// Takes the same time wherever they differ. Empty ones are never the same.
bool isSameSecret(const QByteArray &a, const QByteArray &b);

QByteArray randomSecret(); // 256 bits, as 43 characters of base64url

} // namespace glovebox::mcp
